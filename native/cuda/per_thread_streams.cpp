// Streams, launches and graphs on the calling thread's own default stream.
#include "per_thread.h"
#include "support.h"

using namespace maya::driver;

extern "C" {

int cuEventRecordWithFlags_ptsz(void* event, void* stream, unsigned int flags) {
  return cuEventRecordWithFlags(event, own(stream), flags);
}

int cuEventRecord_ptsz(void* event, void* stream) {
  return cuEventRecord(event, own(stream));
}

int cuGraphInstantiateWithParams_ptsz(void** exec, void* graph, void* params) {
  return cuGraphInstantiateWithParams(exec, graph, params);
}

int cuGraphLaunch_ptsz(void* exec, void* stream) {
  return cuGraphLaunch(exec, own(stream));
}

int cuGraphUpload_ptsz(void* exec, void* stream) {
  return cuGraphUpload(exec, own(stream));
}

int cuLaunchCooperativeKernel_ptsz(void* function, unsigned int gx, unsigned int gy, unsigned int gz,
                                   unsigned int bx, unsigned int by, unsigned int bz,
                                   unsigned int shared_bytes, void* stream, void** arguments) {
  return cuLaunchCooperativeKernel(function, gx, gy, gz, bx, by, bz, shared_bytes, own(stream), arguments);
}

int cuLaunchHostFunc_ptsz(void* stream, void* function, void* user_data) {
  return cuLaunchHostFunc(own(stream), function, user_data);
}

int cuLaunchHostFunc_v2_ptsz(void* stream, void* function, void* user_data, unsigned int sync_mode) {
  return cuLaunchHostFunc_v2(own(stream), function, user_data, sync_mode);
}

int cuLaunchKernel_ptsz(void* function, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,
                        unsigned int by, unsigned int bz, unsigned int shared_bytes, void* stream,
                        void** arguments, void** extra) {
  return cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared_bytes, own(stream), arguments, extra);
}

int cuStreamAddCallback_ptsz(void* stream, void* callback, void* user_data, unsigned int flags) {
  return cuStreamAddCallback(own(stream), callback, user_data, flags);
}

int cuStreamAttachMemAsync_ptsz(void* stream, unsigned long long address, size_t length, unsigned int flags) {
  return cuStreamAttachMemAsync(own(stream), address, length, flags);
}

int cuStreamBatchMemOp_ptsz(void* stream, unsigned int count, void* operations, unsigned int flags) {
  return cuStreamBatchMemOp(own(stream), count, operations, flags);
}

int cuStreamBatchMemOp_v2_ptsz(void* stream, unsigned int count, void* operations, unsigned int flags) {
  return cuStreamBatchMemOp_v2(own(stream), count, operations, flags);
}

int cuStreamBeginCaptureToGraph_ptsz(void* stream, void* graph, void* const* dependencies, const void* edges,
                                     size_t count, int mode) {
  return cuStreamBeginCaptureToGraph(own(stream), graph, dependencies, edges, count, mode);
}

int cuStreamBeginCapture_ptsz(void* stream) {
  return cuStreamBeginCapture(own(stream));
}

int cuStreamBeginCapture_v2_ptsz(void* stream, int mode) {
  return cuStreamBeginCapture_v2(own(stream), mode);
}

int cuStreamCopyAttributes_ptsz(void* dst, void* src) {
  return cuStreamCopyAttributes(own(dst), own(src));
}

int cuStreamEndCapture_ptsz(void* stream, void** graph) {
  return cuStreamEndCapture(own(stream), graph);
}

int cuStreamGetAttribute_ptsz(void* stream, int attribute, void* value) {
  return cuStreamGetAttribute(own(stream), attribute, value);
}

int cuStreamGetCaptureInfo_ptsz(void* stream, int* status, unsigned long* id) {
  return cuStreamGetCaptureInfo(own(stream), status, id);
}

int cuStreamGetCaptureInfo_v2_ptsz(void* stream, int* status, unsigned long* id, void** graph,
                                   void* const** nodes, size_t* count) {
  return cuStreamGetCaptureInfo_v2(own(stream), status, id, graph, nodes, count);
}

int cuStreamGetCaptureInfo_v3_ptsz(void* stream, int* status, unsigned long* id, void** graph,
                                   void* const** nodes, const void** edges, size_t* count) {
  return cuStreamGetCaptureInfo_v3(own(stream), status, id, graph, nodes, edges, count);
}

int cuStreamGetCtx_ptsz(void* stream, void** context) {
  return cuStreamGetCtx(own(stream), context);
}

int cuStreamGetCtx_v2_ptsz(void* stream, void** context, void** green_ctx) {
  return cuStreamGetCtx_v2(own(stream), context, green_ctx);
}

int cuStreamGetDevice_ptsz(void* stream, int* device) {
  return cuStreamGetDevice(own(stream), device);
}

int cuStreamGetFlags_ptsz(void* stream, unsigned int* flags) {
  return cuStreamGetFlags(own(stream), flags);
}

int cuStreamGetId_ptsz(void* stream, unsigned long long* id) {
  return cuStreamGetId(own(stream), id);
}

int cuStreamGetPriority_ptsz(void* stream, int* priority) {
  return cuStreamGetPriority(own(stream), priority);
}

int cuStreamIsCapturing_ptsz(void* stream, int* status) {
  return cuStreamIsCapturing(own(stream), status);
}

int cuStreamQuery_ptsz(void* stream) {
  return cuStreamQuery(own(stream));
}

int cuStreamSetAttribute_ptsz(void* stream, int attribute, const void* value) {
  return cuStreamSetAttribute(own(stream), attribute, value);
}

int cuStreamSynchronize_ptsz(void* stream) {
  return cuStreamSynchronize(own(stream));
}

int cuStreamUpdateCaptureDependencies_ptsz(void* stream, void** dependencies, size_t count,
                                           unsigned int flags) {
  return cuStreamUpdateCaptureDependencies(own(stream), dependencies, count, flags);
}

int cuStreamUpdateCaptureDependencies_v2_ptsz(void* stream, void** dependencies, const void* edges,
                                              size_t count, unsigned int flags) {
  return cuStreamUpdateCaptureDependencies_v2(own(stream), dependencies, edges, count, flags);
}

int cuStreamWaitEvent_ptsz(void* stream, void* event, unsigned int flags) {
  return cuStreamWaitEvent(own(stream), event, flags);
}

int cuStreamWaitValue32_ptsz(void* stream, unsigned long long address, unsigned int value,
                             unsigned int flags) {
  return cuStreamWaitValue32(own(stream), address, value, flags);
}

int cuStreamWaitValue32_v2_ptsz(void* stream, unsigned long long address, unsigned int value,
                                unsigned int flags) {
  return cuStreamWaitValue32_v2(own(stream), address, value, flags);
}

int cuStreamWaitValue64_ptsz(void* stream, unsigned long long address, unsigned long value,
                             unsigned int flags) {
  return cuStreamWaitValue64(own(stream), address, value, flags);
}

int cuStreamWaitValue64_v2_ptsz(void* stream, unsigned long long address, unsigned long value,
                                unsigned int flags) {
  return cuStreamWaitValue64_v2(own(stream), address, value, flags);
}

int cuStreamWriteValue32_ptsz(void* stream, unsigned long long address, unsigned int value,
                              unsigned int flags) {
  return cuStreamWriteValue32(own(stream), address, value, flags);
}

int cuStreamWriteValue32_v2_ptsz(void* stream, unsigned long long address, unsigned int value,
                                 unsigned int flags) {
  return cuStreamWriteValue32_v2(own(stream), address, value, flags);
}

int cuStreamWriteValue64_ptsz(void* stream, unsigned long long address, unsigned long value,
                              unsigned int flags) {
  return cuStreamWriteValue64(own(stream), address, value, flags);
}

int cuStreamWriteValue64_v2_ptsz(void* stream, unsigned long long address, unsigned long value,
                                 unsigned int flags) {
  return cuStreamWriteValue64_v2(own(stream), address, value, flags);
}

int cuLaunchKernelEx_ptsz(const void* config, void* function, void** arguments, void** extra) {
  if (!config) return kInvalidValue;
  LaunchConfig given = *static_cast<const LaunchConfig*>(config);
  given.stream = own(given.stream);
  return cuLaunchKernelEx(&given, function, arguments, extra);
}

}  // extern "C"
