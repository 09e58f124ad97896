// What obliqua.cu needs of CUDA C beyond the language; emulate.h has the same for tests.
#define SHARED(T, name, dims) __shared__ T name dims
#define EXTERN_SHARED(T, name) extern __shared__ T name[]
