// What CUDA C adds to C++, for one core. fake.cpp runs the threads of a block in turns: one
// that comes to a barrier gives way to the next. Races between two barriers aren't seen.
//
// It includes little, because the tests compile the kernels many times.
#pragma once
#include <math.h>
#include <stdint.h>
#include <string.h>

struct Index { unsigned x, y, z; };
extern __thread Index threadIdx, blockIdx, blockDim;
extern __thread char *dynamicShared;
void __syncthreads();
#define __global__
#define __device__
#define __noinline__
#define __align__(n) alignas(n)
#define __launch_bounds__(...)
#define SHARED(T, name, dims) static thread_local T name dims
#define EXTERN_SHARED(T, name) T *name = (T *)dynamicShared

// Compiled with -ffp-contract=off.
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline double __ddiv_rn(double a, double b) { return a / b; }
static inline float __double2float_rn(double a) { return (float)a; }
static inline float __double2float_rd(double a) { return (float)a > a ? nextafterf((float)a, -INFINITY) : (float)a; }
template <class To, class From> static inline To sameBits(From from) {
	static_assert(sizeof(To) == sizeof(From));
	To to;
	memcpy(&to, &from, sizeof to);
	return to;
}
static inline float __int_as_float(int bits) { return sameBits<float>(bits); }
static inline double __longlong_as_double(long long bits) { return sameBits<double>(bits); }

// A Kernel is one of obliqua.cu as the driver calls it.
struct Kernel {
	const char *name;
	int params;
	bool barrier; // whether it calls __syncthreads
	void (*run)(const uint64_t *params); // one thread
};
extern Kernel kernels[];
extern const int kernelCount;
