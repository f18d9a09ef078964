"""The driver interface through cuda-python: contexts, modules (PTX and NVRTC), launches, events."""

import numpy as np
from cuda.bindings import driver, nvrtc

PTX = b"""
.version 7.0
.target sm_70
.address_size 64
.visible .entry axpy(.param .u64 x, .param .u64 y, .param .f32 a, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .f32 %f<4>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [y];
    ld.param.f32 %f1, [a];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra done;
    mul.wide.u32 %rd3, %r5, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.f32 %f2, [%rd4];
    ld.global.f32 %f3, [%rd5];
    fma.rn.f32 %f3, %f1, %f2, %f3;
    st.global.f32 [%rd5], %f3;
done:
    ret;
}
"""
CUDA = b"""
extern "C" __global__ void scale(float* x, float a, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= a;
}
"""


def check(result):
    error, *values = result
    assert error.value == 0, error
    return values[0] if len(values) == 1 else tuple(values)


def launch(function, stream, *values):
    images = [
        np.array([int(v)], np.uint64) if not isinstance(v, np.generic) else np.array([v])
        for v in values
    ]
    pointers = np.array([image.ctypes.data for image in images], np.uint64)
    check(driver.cuLaunchKernel(function, 4, 1, 1, 256, 1, 1, 0, stream, pointers.ctypes.data, 0))


check(driver.cuInit(0))
assert check(driver.cuDeviceGetCount()) >= 1
assert check(driver.cuDriverGetVersion()) >= 12000
device = check(driver.cuDeviceGet(0))
name = check(driver.cuDeviceGetName(64, device)).split(b"\0")[0].decode()
attribute = driver.CUdevice_attribute
major = check(
    driver.cuDeviceGetAttribute(attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device)
)
minor = check(
    driver.cuDeviceGetAttribute(attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device)
)
print(name, f"sm_{major}{minor}", check(driver.cuDeviceTotalMem(device)) >> 30, "GiB")

primary = check(driver.cuDevicePrimaryCtxRetain(device))
check(driver.cuDevicePrimaryCtxRelease(device))
context = check(driver.cuCtxCreate(0, device))
assert int(check(driver.cuCtxGetCurrent())) == int(context) != int(primary)
stream = check(driver.cuStreamCreate(0))
start, end = check(driver.cuEventCreate(0)), check(driver.cuEventCreate(0))

n = np.uint32(1000)
x, y, back = np.arange(n, dtype=np.float32), np.ones(n, np.float32), np.zeros(n, np.float32)
dx, dy = check(driver.cuMemAlloc(x.nbytes)), check(driver.cuMemAlloc(y.nbytes))
check(driver.cuMemcpyHtoDAsync(dx, x.ctypes.data, x.nbytes, stream))
check(driver.cuMemcpyHtoD(dy, y.ctypes.data, y.nbytes))
check(driver.cuMemcpyDtoH(back.ctypes.data, dx, x.nbytes))
assert np.array_equal(back, x)

module = check(driver.cuModuleLoadData(PTX))
axpy = check(driver.cuModuleGetFunction(module, b"axpy"))
check(driver.cuEventRecord(start, stream))
launch(axpy, stream, dx, dy, np.float32(2.0), n)
check(driver.cuEventRecord(end, stream))
check(driver.cuStreamSynchronize(stream))
assert check(driver.cuEventElapsedTime(start, end)) >= 0
missing = driver.cuModuleGetFunction(module, b"no_such_kernel")[0]
assert missing == driver.CUresult.CUDA_ERROR_NOT_FOUND, missing

program = check(nvrtc.nvrtcCreateProgram(CUDA, b"scale.cu", 0, [], []))
check(
    nvrtc.nvrtcCompileProgram(program, 1, [f"--gpu-architecture=compute_{major}{minor}".encode()])
)
image = b" " * check(nvrtc.nvrtcGetPTXSize(program))
check(nvrtc.nvrtcGetPTX(program, image))
check(nvrtc.nvrtcDestroyProgram(program))
compiled = check(driver.cuModuleLoadData(image))
launch(check(driver.cuModuleGetFunction(compiled, b"scale")), stream, dx, np.float32(0.5), n)

check(driver.cuCtxSynchronize())
check(driver.cuMemFree(dx))
check(driver.cuMemFree(dy))
assert driver.cuMemFree(dy)[0] == driver.CUresult.CUDA_ERROR_INVALID_VALUE
check(driver.cuModuleUnload(module))
check(driver.cuModuleUnload(compiled))
check(driver.cuStreamDestroy(stream))
check(driver.cuCtxDestroy(context))
print("done")
