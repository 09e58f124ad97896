// What CUDA C adds to C++, for one core: the threads of a block take turns, and one that
// comes to a barrier gives way to the next. Races between two barriers aren't seen.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <ucontext.h>
#include <utility>
#include <vector>

struct Index { unsigned x, y, z; };
static thread_local Index threadIdx, blockIdx, blockDim;
#define __global__
#define __device__
#define __noinline__
#define __align__(n) alignas(n)
#define __launch_bounds__(...)
#define SHARED(T, name, dims) static thread_local T name dims
#define EXTERN_SHARED(T, name) T *name = (T *)dynamicShared

// The dynamic shared memory is allocated for each block, so that the address sanitizer
// knows its bounds.
static thread_local char *dynamicShared;

// Compiled with -ffp-contract=off.
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline double __ddiv_rn(double a, double b) { return a / b; }
static inline float __double2float_rn(double a) { return (float)a; }
template <class To, class From> static inline To sameBits(From from) {
	static_assert(sizeof(To) == sizeof(From));
	To to;
	memcpy(&to, &from, sizeof to);
	return to;
}
static inline float __int_as_float(int bits) { return sameBits<float>(bits); }
static inline double __longlong_as_double(long long bits) { return sameBits<double>(bits); }

// The threads of a block.
static thread_local struct Fibers {
	std::vector<ucontext_t> contexts;
	std::vector<std::vector<char>> stacks;
	std::vector<bool> done;
	ucontext_t scheduler;
	unsigned now;
	std::function<void()> body;
} fibers;

static inline void __syncthreads() { swapcontext(&fibers.contexts[fibers.now], &fibers.scheduler); }

static void runFiber() {
	fibers.body();
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
	for (bool alive = true; alive;) {
		alive = false;
		for (unsigned t = 0; t < threads; t++)
			if (!fibers.done[t]) {
				alive = true;
				fibers.now = t, threadIdx = {t, 0, 0};
				swapcontext(&fibers.scheduler, &fibers.contexts[t]);
			}
	}
}

template <class... A, size_t... I>
static void call(void (*kernel)(A...), const uint64_t *params, std::index_sequence<I...>) {
	kernel(*(A *)&params[I]...);
}

// launch runs the blocks one after another. barrier says whether the kernel has one.
template <class... A>
static void launch(void (*kernel)(A...), Index grid, Index block, size_t shared, bool barrier, const uint64_t *params) {
	auto body = [=] { call(kernel, params, std::index_sequence_for<A...>{}); };
	blockDim = block;
	for (unsigned y = 0; y < grid.y; y++)
		for (unsigned x = 0; x < grid.x; x++) {
			blockIdx = {x, y, 0};
			dynamicShared = (char *)malloc(shared);
			memset(dynamicShared, 0xff, shared); // NaN: reading what wasn't written shows
			if (barrier) {
				fibers.body = body;
				runFibers(block.x);
			} else {
				for (unsigned t = 0; t < block.x; t++) threadIdx = {t, 0, 0}, body();
			}
			free(dynamicShared);
		}
}
