//go:build cuda && linux

// The functions of the CUDA driver that gorgonia.org/cu and this package call. Each is a
// jump through a pointer, which is set before main if there is a driver. So a program
// needs no driver to be linked or to start.

#include <dlfcn.h>
#include <stddef.h>

// What functions return: CUDA_ERROR_NO_DEVICE without a driver, CUDA_ERROR_NOT_FOUND if
// the driver has no function of this name.
enum { noDevice = 100, notFound = 500 };

static int withoutDriver(void) { return noDevice; }
static int absent(void) { return notFound; }

#if defined(__x86_64__)
#define JUMP(name) "jmp *obliqua_" #name "(%rip)\n"
#elif defined(__aarch64__)
#define JUMP(name)                                                                 \
	"adrp x16, obliqua_" #name "\nldr x16, [x16, #:lo12:obliqua_" #name "]\nbr x16\n"
#else
#error "gpu needs amd64 or arm64"
#endif

#define FUNCTIONS \
	F(cuArray3DCreate_v2) F(cuArray3DGetDescriptor_v2) F(cuArrayCreate_v2) F(cuArrayDestroy) \
	F(cuArrayGetDescriptor_v2) F(cuCtxCreate_v2) F(cuCtxDestroy_v2) F(cuCtxDisablePeerAccess) \
	F(cuCtxEnablePeerAccess) F(cuCtxGetApiVersion) F(cuCtxGetCacheConfig) F(cuCtxGetCurrent) \
	F(cuCtxGetDevice) F(cuCtxGetFlags) F(cuCtxGetLimit) F(cuCtxGetSharedMemConfig) \
	F(cuCtxGetStreamPriorityRange) F(cuCtxPopCurrent_v2) F(cuCtxPushCurrent_v2) \
	F(cuCtxResetPersistingL2Cache) F(cuCtxSetCacheConfig) F(cuCtxSetCurrent) F(cuCtxSetLimit) \
	F(cuCtxSetSharedMemConfig) F(cuCtxSynchronize) F(cuDeviceCanAccessPeer) F(cuDeviceGet) \
	F(cuDeviceGetAttribute) F(cuDeviceGetCount) F(cuDeviceGetName) F(cuDeviceGetP2PAttribute) \
	F(cuDeviceGetUuid) F(cuDevicePrimaryCtxGetState) F(cuDevicePrimaryCtxRelease_v2) \
	F(cuDevicePrimaryCtxReset_v2) F(cuDevicePrimaryCtxRetain) F(cuDevicePrimaryCtxSetFlags_v2) \
	F(cuDeviceTotalMem_v2) F(cuDriverGetVersion) F(cuEventCreate) F(cuEventDestroy_v2) \
	F(cuEventElapsedTime) F(cuEventQuery) F(cuEventRecord) F(cuEventSynchronize) \
	F(cuFuncGetAttribute) F(cuFuncSetCacheConfig) F(cuFuncSetSharedMemConfig) \
	F(cuGraphAddChildGraphNode) F(cuGraphAddDependencies) F(cuGraphAddEmptyNode) \
	F(cuGraphAddHostNode) F(cuGraphAddKernelNode_v2) F(cuGraphAddMemcpyNode) \
	F(cuGraphAddMemsetNode) F(cuGraphClone) F(cuGraphCreate) F(cuGraphDestroy) \
	F(cuGraphDestroyNode) F(cuGraphExecDestroy) F(cuGraphGetEdges) F(cuLaunchKernel) \
	F(cuLinkAddData_v2) F(cuLinkAddFile_v2) F(cuLinkComplete) F(cuLinkCreate_v2) F(cuLinkDestroy) \
	F(cuMemAdvise) F(cuMemAllocManaged) F(cuMemAllocPitch_v2) F(cuMemAlloc_v2) F(cuMemFreeHost) \
	F(cuMemFree_v2) F(cuMemGetAddressRange_v2) F(cuMemGetInfo_v2) F(cuMemHostAlloc) \
	F(cuMemPrefetchAsync) F(cuMemcpy) F(cuMemcpy2DAsync_v2) F(cuMemcpy2DUnaligned_v2) \
	F(cuMemcpy2D_v2) F(cuMemcpy3DAsync_v2) F(cuMemcpy3DPeer) F(cuMemcpy3DPeerAsync) \
	F(cuMemcpy3D_v2) F(cuMemcpyAsync) F(cuMemcpyAtoA_v2) F(cuMemcpyAtoD_v2) F(cuMemcpyAtoHAsync_v2) \
	F(cuMemcpyAtoH_v2) F(cuMemcpyDtoA_v2) F(cuMemcpyDtoDAsync_v2) F(cuMemcpyDtoD_v2) \
	F(cuMemcpyDtoHAsync_v2) F(cuMemcpyDtoH_v2) F(cuMemcpyHtoAAsync_v2) F(cuMemcpyHtoA_v2) \
	F(cuMemcpyHtoDAsync_v2) F(cuMemcpyHtoD_v2) F(cuMemcpyPeer) F(cuMemcpyPeerAsync) \
	F(cuMemsetD16Async) F(cuMemsetD16_v2) F(cuMemsetD2D16Async) F(cuMemsetD2D16_v2) \
	F(cuMemsetD2D32Async) F(cuMemsetD2D32_v2) F(cuMemsetD2D8Async) F(cuMemsetD2D8_v2) \
	F(cuMemsetD32Async) F(cuMemsetD32_v2) F(cuMemsetD8Async) F(cuMemsetD8_v2) \
	F(cuModuleGetFunction) F(cuModuleGetGlobal_v2) F(cuModuleGetSurfRef) F(cuModuleGetTexRef) \
	F(cuModuleLoad) F(cuModuleLoadData) F(cuModuleLoadDataEx) F(cuModuleLoadFatBinary) \
	F(cuModuleUnload) F(cuOccupancyMaxActiveBlocksPerMultiprocessor) \
	F(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags) F(cuPointerGetAttribute) \
	F(cuPointerSetAttribute) F(cuStreamAttachMemAsync) F(cuStreamCreate) \
	F(cuStreamCreateWithPriority) F(cuStreamDestroy_v2) F(cuStreamGetFlags) F(cuStreamGetPriority) \
	F(cuStreamQuery) F(cuStreamSynchronize) F(cuStreamWaitEvent) F(cuStreamWaitValue32_v2) \
	F(cuStreamWriteValue32_v2) F(cuSurfRefGetArray) F(cuSurfRefSetArray) F(cuTexRefGetAddressMode) \
	F(cuTexRefGetAddress_v2) F(cuTexRefGetArray) F(cuTexRefGetBorderColor) F(cuTexRefGetFilterMode) \
	F(cuTexRefGetFlags) F(cuTexRefGetFormat) F(cuTexRefGetMaxAnisotropy) F(cuTexRefSetAddress2D_v3) \
	F(cuTexRefSetAddressMode) F(cuTexRefSetAddress_v2) F(cuTexRefSetArray) \
	F(cuTexRefSetBorderColor) F(cuTexRefSetFilterMode) F(cuTexRefSetFlags) F(cuTexRefSetFormat) \
	F(cuTexRefSetMaxAnisotropy) F(cuTexRefSetMipmapFilterMode) F(cuTexRefSetMipmapLevelBias) \
	F(cuTexRefSetMipmapLevelClamp)

// The names are hidden, so that they don't replace a real driver's in other libraries.
#define F(name)                                                                    \
	__attribute__((visibility("hidden"), used)) void *obliqua_##name = withoutDriver; \
	__asm__(".pushsection .text\n.globl " #name "\n.hidden " #name "\n.type " #name ", %function\n" #name ":\n" JUMP(name) ".popsection\n");
FUNCTIONS
#undef F

static const struct {
	const char *name;
	void **at;
} functions[] = {
#define F(name) {#name, &obliqua_##name},
FUNCTIONS
#undef F
};

static int (*driverInit)(unsigned);

__attribute__((visibility("hidden"))) int obliqua_cuda_code = noDevice; // what the driver's cuInit returned
__attribute__((visibility("hidden"))) char obliqua_cuda_error[512];     // why there is no driver

__attribute__((constructor)) static void load(void) {
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		const char *error = dlerror();
		for (size_t i = 0; error && error[i] && i + 1 < sizeof obliqua_cuda_error; i++) obliqua_cuda_error[i] = error[i];
		return;
	}
	driverInit = (int (*)(unsigned))dlsym(library, "cuInit");
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		void *f = dlsym(library, functions[i].name);
		*functions[i].at = f ? f : (void *)absent;
	}
}

// cu calls cuInit before main, and ends the program if it fails. So it is told that all is
// well, and obliqua_cuda_code keeps the truth.
__attribute__((visibility("hidden"))) int cuInit(unsigned flags) {
	if (driverInit) obliqua_cuda_code = driverInit(flags);
	return 0;
}
