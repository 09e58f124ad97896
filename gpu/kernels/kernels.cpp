// The kernels, compiled for fake.cpp.
#include "emulate.h"
#include "obliqua.cu"
#include <utility>

template <class... A> static constexpr int arity(void (*)(A...)) { return sizeof...(A); }
template <class... A, size_t... I> static void call(void (*kernel)(A...), const uint64_t *params, std::index_sequence<I...>) {
	kernel(*(A *)&params[I]...);
}
template <class... A> static void call(void (*kernel)(A...), const uint64_t *params) { call(kernel, params, std::index_sequence_for<A...>{}); }

#define KERNEL(name, barrier) \
	{ #name, arity(name), barrier, [](const uint64_t *params) { call(name, params); } }
Kernel kernels[] = {
	KERNEL(start, false), KERNEL(score, false),         KERNEL(scorePlanes, false), KERNEL(logShares, false),
	KERNEL(label, false), KERNEL(probabilities, false), KERNEL(sidesColumns, true), KERNEL(bounds, false),
	KERNEL(draw, false),  KERNEL(sides, true),          KERNEL(count, false),       KERNEL(gains, true),
	KERNEL(best, true),
};
const int kernelCount = sizeof kernels / sizeof *kernels;
