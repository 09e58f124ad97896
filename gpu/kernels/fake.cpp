// A libcuda.so.1 without a device: its memory is the host's, and kernels are emulated. It
// is for tests of everything but the device itself.
//
// A stream does its work when it is waited for, and not before. So results that are read
// too early are wrong, and memory that is given back too early is noticed by the address
// sanitizer. Copies to the device without a stream end as late as a real driver allows: when
// a stream that isn't NonBlocking begins to work.
#include "emulate.h"
#include "obliqua.cu"
#include <map>
#include <mutex>

#define API extern "C" __attribute__((visibility("default"))) int
typedef unsigned long long Address;

enum { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_IMAGE = 200, INVALID_CONTEXT = 201, NOT_FOUND = 500, LEFT_BEHIND = 999 };

struct Kernel {
	const char *name;
	int params;
	void (*run)(Index grid, Index block, size_t shared, const uint64_t *params);
};

template <class... A> static constexpr int count(void (*)(A...)) { return sizeof...(A); }
#define KERNEL(name, barrier) \
	{#name, count(name), [](Index g, Index b, size_t s, const uint64_t *p) { launch(name, g, b, s, barrier, p); }}
static Kernel kernels[] = {
	KERNEL(start, false),     KERNEL(score, false), KERNEL(scorePlanes, false),  KERNEL(logShares, false), KERNEL(label, false),
	KERNEL(probabilities, false), KERNEL(sides, true),  KERNEL(sidesColumns, true),
};

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
	for (auto &k : kernels)
		if (!strcmp(k.name, name)) return *f = &k, SUCCESS;
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
	s->work.push_back([=] { k->run({gx, gy, 1}, {bx, 1, 1}, shared, copy.data()); });
	return SUCCESS;
}
