# CUDA's header and its compiler of kernels come from wheels, 1 and 23 MB, and are never committed. The tests run
# the kernels' own source on the CPU, so they need no device.
CUDA  := $(LAB)/cuda/nvidia
NVRTC := $(CUDA)/cuda_nvrtc/lib
requirements-cuda := gpu/kernels/requirements.txt

.PHONY: gpu-test gpu-device gpu-kernels
gpu-test gpu-device: export CGO_ENABLED = 1
# With cgo's own -O2 -g the standard library's packages come out as without the header, so what imports them isn't
# compiled anew.
gpu-test gpu-device: export CGO_CFLAGS = -O2 -g -I$(CUDA)/cuda_runtime/include
gpu-test: $(CUDA) need-g++
	@echo "== Package gpu on an emulated driver"
	@mkdir -p $(OUT)/gpu
	@g++ -std=c++17 -O2 -ffp-contract=off -Wall -Wno-unknown-pragmas -fPIC -shared -Wl,-soname,libcuda.so.1 \
		-o $(OUT)/gpu/libcuda.so.1 gpu/kernels/fake.cpp gpu/kernels/kernels.cpp
	@go vet -tags cuda ./gpu/...
	@export LD_LIBRARY_PATH=$(OUT)/gpu; go test -count=1 -tags cuda -short -race ./gpu & race=$$!; \
		go test -count=1 -tags cuda ./gpu; status=$$?; wait $$race && exit $$status

# What gpu/device.sh takes to a machine with a device: a program that needs libc only, and MNIST.
gpu-device: $(CUDA)
	@mkdir -p $(OUT)/gpu/device/mnist
	@go test -tags cuda -ldflags='-s -w' -c -o $(OUT)/gpu/device/gpu.test ./gpu
	@git describe --always --dirty >$(OUT)/gpu/device/commit.txt
	@[ -z "$$OBLIQUA_DATA" ] || cp -f $$OBLIQUA_DATA/mnist/train-* $(OUT)/gpu/device/mnist/

# Compiles the kernels anew, after a change to their source.
gpu-kernels: $(CUDA)
	@LD_LIBRARY_PATH=$(NVRTC) python3 gpu/kernels/nvrtc.py $(NVRTC)/libnvrtc.so.11.2 compute_75 gpu/kernels/obliqua.ptx

$(CUDA): $(LAB)/cuda/ready
	@cd $(LAB)/cuda && ln -sfn lib/python3*/site-packages/nvidia nvidia
