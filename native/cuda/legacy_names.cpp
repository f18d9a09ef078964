// Names of functions whose signature a later version kept. Those of 32-bit device pointers (before CUDA 3.2)
// are not emulated: nothing since 2010 asks for them.
#include "support.h"

extern "C" {

int cuCtxCreate(void** context, unsigned int flags, int device) {
  return cuCtxCreate_v2(context, flags, device);
}
int cuCtxDestroy(void* context) {
  return cuCtxDestroy_v2(context);
}
int cuCtxPopCurrent(void** context) {
  return cuCtxPopCurrent_v2(context);
}
int cuCtxPushCurrent(void* context) {
  return cuCtxPushCurrent_v2(context);
}
int cuDevicePrimaryCtxRelease(int device) {
  return cuDevicePrimaryCtxRelease_v2(device);
}
int cuDevicePrimaryCtxReset(int device) {
  return cuDevicePrimaryCtxReset_v2(device);
}
int cuDevicePrimaryCtxSetFlags(int device, unsigned int flags) {
  return cuDevicePrimaryCtxSetFlags_v2(device, flags);
}
int cuEventDestroy(void* event) {
  return cuEventDestroy_v2(event);
}
int cuIpcOpenMemHandle(unsigned long long* address, maya_abi_CUipcMemHandle handle, unsigned int flags) {
  return cuIpcOpenMemHandle_v2(address, handle, flags);
}
int cuLinkCreate(unsigned int count, int* options, void** values, void** state) {
  return cuLinkCreate_v2(count, options, values, state);
}
int cuLinkAddData(void* state, int type, void* data, size_t bytes, const char* name, unsigned int count,
                  int* options, void** values) {
  return cuLinkAddData_v2(state, type, data, bytes, name, count, options, values);
}
int cuLinkAddFile(void* state, int type, const char* path, unsigned int count, int* options, void** values) {
  return cuLinkAddFile_v2(state, type, path, count, options, values);
}
int cuMemHostRegister(void* block, size_t bytes, unsigned int flags) {
  return cuMemHostRegister_v2(block, bytes, flags);
}
int cuStreamBatchMemOp(void* stream, unsigned int count, void* operations, unsigned int flags) {
  return cuStreamBatchMemOp_v2(stream, count, operations, flags);
}
int cuStreamDestroy(void* stream) {
  return cuStreamDestroy_v2(stream);
}
int cuStreamWaitValue32(void* stream, unsigned long long address, unsigned int value, unsigned int flags) {
  return cuStreamWaitValue32_v2(stream, address, value, flags);
}
int cuStreamWaitValue64(void* stream, unsigned long long address, unsigned long value, unsigned int flags) {
  return cuStreamWaitValue64_v2(stream, address, value, flags);
}
int cuStreamWriteValue32(void* stream, unsigned long long address, unsigned int value, unsigned int flags) {
  return cuStreamWriteValue32_v2(stream, address, value, flags);
}
int cuStreamWriteValue64(void* stream, unsigned long long address, unsigned long value, unsigned int flags) {
  return cuStreamWriteValue64_v2(stream, address, value, flags);
}

}  // extern "C"
