// A libcuda.so.1 without a device: its memory is the host's, and kernels are emulated. It
// is for tests of everything but the device itself.
//
// A stream does its work when it is waited for, and not before. So results that are read
// too early are wrong, and memory that is given back too early is noticed by the address
// sanitizer. Copies to the device without a stream end as late as a real driver allows: when
// a stream that isn't NonBlocking begins to work.
#include "emulate.h"
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <ucontext.h>
#include <vector>

#define API extern "C" __attribute__((visibility("default"))) int
typedef unsigned long long Address;

enum { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_IMAGE = 200, INVALID_CONTEXT = 201, NOT_FOUND = 500, LEFT_BEHIND = 999 };

__thread Index threadIdx, blockIdx, blockDim;

// The dynamic shared memory is allocated for each block, so that the address sanitizer
// knows its bounds.
__thread char *dynamicShared;

// The threads of a block.
static thread_local struct Fibers {
	std::vector<ucontext_t> contexts;
	std::vector<std::vector<char>> stacks;
	std::vector<bool> done;
	ucontext_t scheduler;
	unsigned now;
	const Kernel *kernel;
	const uint64_t *params;
} fibers;

void __syncthreads() { swapcontext(&fibers.contexts[fibers.now], &fibers.scheduler); }

static void runFiber() {
	fibers.kernel->run(fibers.params);
	fibers.done[fibers.now] = true;
	swapcontext(&fibers.contexts[fibers.now], &fibers.scheduler);
}

static void runFibers(unsigned threads) {
	fibers.contexts.resize(threads);
	fibers.done.assign(threads, false);
	fibers.stacks.resize(threads, std::vector<char>(65536));
	for (unsigned t = 0; t < threads; t++) {
		ucontext_t *u = &fibers.contexts[t];
		getcontext(u);
		u->uc_stack.ss_sp = fibers.stacks[t].data(), u->uc_stack.ss_size = fibers.stacks[t].size(), u->uc_link = nullptr;
		makecontext(u, runFiber, 0);
	}
	// Between barriers the threads run in ascending order and then in descending order, so that a
	// missing barrier shows on either side of what needs it.
	bool alive = true;
	for (unsigned round = 0; alive; round++) {
		alive = false;
		for (unsigned i = 0; i < threads; i++)
			if (unsigned t = round % 2 ? threads - 1 - i : i; !fibers.done[t]) {
				alive = true;
				fibers.now = t, threadIdx = {t, 0, 0};
				swapcontext(&fibers.scheduler, &fibers.contexts[t]);
			}
	}
}

// launch runs the blocks one after another.
static void launch(const Kernel *kernel, Index grid, Index block, size_t shared, const uint64_t *params) {
	blockDim = block;
	fibers.kernel = kernel, fibers.params = params;
	for (unsigned y = 0; y < grid.y; y++)
		for (unsigned x = 0; x < grid.x; x++) {
			blockIdx = {x, y, 0};
			dynamicShared = (char *)malloc(shared);
			memset(dynamicShared, 0xff, shared); // NaN: reading what wasn't written shows
			if (kernel->barrier)
				runFibers(block.x);
			else
				for (unsigned t = 0; t < block.x; t++) threadIdx = {t, 0, 0}, kernel->run(params);
			free(dynamicShared);
		}
}

// number returns a setting of the environment.
static long number(const char *name, long otherwise) {
	const char *value = getenv(name);
	return value ? atol(value) : otherwise;
}

// The memory that is held, by address. FAKE_MEMORY limits the size of the device's;
// pinned memory of the host counts as 0.
static std::mutex mutex;
static std::map<Address, size_t> held;
static size_t heldBytes;
static int users; // of the context
static size_t total() { return number("FAKE_MEMORY", 1l << 30); }

// fails returns the code of a call that can fail. Calls are counted from 1 since FAKE_FAIL
// was changed, and the one of this number fails.
static thread_local int bound; // whether a context is
static int fails() {
	if (!bound) return INVALID_CONTEXT;
	std::lock_guard<std::mutex> lock(mutex);
	static long wanted, calls;
	if (long now = number("FAKE_FAIL", 0); now != wanted) wanted = now, calls = 0;
	return ++calls == wanted ? OUT_OF_MEMORY : SUCCESS;
}
#define MAY_FAIL \
	if (int code = fails()) return code

struct Stream {
	bool waits; // for copies without a stream
	std::vector<std::function<void()>> work;
};

API cuInit(unsigned) { return number("FAKE_CUINIT", 0); }
API cuDriverGetVersion(int *v) { return *v = 13000, SUCCESS; }
API cuDeviceGetCount(int *n) { return *n = 1, SUCCESS; }
API cuDeviceGet(int *d, int) { return *d = 0, SUCCESS; }
API cuDeviceGetName(char *s, int n, int) { return snprintf(s, n, "emulated"), SUCCESS; }
API cuDeviceGetAttribute(int *v, int attribute, int) {
	switch (attribute) {
	case 75: *v = number("FAKE_MAJOR", 9); break; // compute capability
	case 76: *v = 0; break;
	case 38: *v = number("FAKE_L2", 50 << 20); break;
	default: return INVALID_VALUE;
	}
	return SUCCESS;
}
API cuDevicePrimaryCtxRetain(void **c, int) {
	std::lock_guard<std::mutex> lock(mutex);
	return users++, *c = (void *)1, SUCCESS;
}
// An error if the last user leaves memory behind; a real driver would free it.
API cuDevicePrimaryCtxRelease_v2(int) {
	std::lock_guard<std::mutex> lock(mutex);
	return --users == 0 && !held.empty() ? LEFT_BEHIND : SUCCESS;
}
API cuCtxSetCurrent(void *c) { return bound = c != nullptr, SUCCESS; }
API cuModuleLoadData(void **m, const void *image) {
	*m = (void *)image;
	return strstr((const char *)image, ".entry") ? SUCCESS : INVALID_IMAGE;
}
API cuModuleUnload(void *) { return SUCCESS; }
API cuModuleGetFunction(void **f, void *, const char *name) {
	for (Kernel *k = kernels; k < kernels + kernelCount; k++)
		if (!strcmp(k->name, name)) return *f = k, SUCCESS;
	return NOT_FOUND;
}

static void endCopies();
static int take(Address *p, size_t n, size_t counted) {
	MAY_FAIL;
	std::lock_guard<std::mutex> lock(mutex);
	if (n == 0) return INVALID_VALUE;
	if (heldBytes + counted > total()) return OUT_OF_MEMORY;
	*p = (Address)malloc(n);
	memset((void *)*p, 0xff, n);
	heldBytes += held[*p] = counted;
	return SUCCESS;
}
static int give(Address p) {
	std::lock_guard<std::mutex> lock(mutex);
	auto at = held.find(p);
	if (!bound || at == held.end()) return INVALID_VALUE;
	endCopies();
	heldBytes -= at->second;
	held.erase(at);
	free((void *)p);
	return SUCCESS;
}
API cuMemAlloc_v2(Address *p, size_t n) { return take(p, n, n); }
API cuMemFree_v2(Address p) { return give(p); }
API cuMemHostAlloc(void **p, size_t n, unsigned) { return take((Address *)p, n, 0); }
API cuMemFreeHost(void *p) { return give((Address)p); }
API cuMemGetInfo_v2(size_t *f, size_t *t) {
	std::lock_guard<std::mutex> lock(mutex);
	return *t = total(), *f = *t > heldBytes ? *t - heldBytes : 0, SUCCESS;
}
static std::vector<std::function<void()>> copies; // without a stream
static void endCopies() {
	for (auto &copy : copies) copy();
	copies.clear();
}
API cuMemcpyHtoD_v2(Address to, const void *from, size_t n) {
	MAY_FAIL;
	std::lock_guard<std::mutex> lock(mutex);
	std::vector<char> staged((const char *)from, (const char *)from + n);
	return copies.push_back([=] { memcpy((void *)to, staged.data(), n); }), SUCCESS;
}
API cuStreamCreate(Stream **s, unsigned nonBlocking) {
	MAY_FAIL;
	return *s = new Stream{!nonBlocking, {}}, SUCCESS;
}
API cuStreamDestroy_v2(Stream *s) { return delete s, SUCCESS; }
API cuStreamSynchronize(Stream *s) {
	MAY_FAIL;
	if (s->waits) {
		std::lock_guard<std::mutex> lock(mutex);
		endCopies();
	}
	for (auto &work : s->work) work();
	return s->work.clear(), SUCCESS;
}
static int copyLater(void *to, const void *from, size_t n, Stream *s) {
	MAY_FAIL;
	return s->work.push_back([=] { memcpy(to, from, n); }), SUCCESS;
}
API cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t n, Stream *s) { return copyLater((void *)to, from, n, s); }
API cuMemcpyDtoHAsync_v2(void *to, Address from, size_t n, Stream *s) { return copyLater(to, (void *)from, n, s); }
API cuLaunchKernel(Kernel *k, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, Stream *s,
		void **params, void **) {
	MAY_FAIL;
	if (!gx || !gy || gy > 65535 || gz != 1 || !bx || bx > 1024 || by != 1 || bz != 1 || shared > 48 << 10) return INVALID_VALUE;
	std::vector<uint64_t> copy;
	for (int i = 0; i < k->params; i++) copy.push_back(*(uint64_t *)params[i]);
	s->work.push_back([=] { launch(k, {gx, gy, 1}, {bx, 1, 1}, shared, copy.data()); });
	return SUCCESS;
}
