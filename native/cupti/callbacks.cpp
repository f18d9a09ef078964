// Subscribing to calls. A subscription is kept and its switches are remembered, but no callback is made: the
// emulator reports work, not calls.
#include <atomic>
#include <cstring>

#include "constants.h"
#include "gen/cupti.h"

namespace maya::cupti {
namespace {

struct NamedFunction {
  uint32_t function;
  const char* name;
};

constexpr NamedFunction kRuntimeNames[] = {
    {kCudaMemcpy, "cudaMemcpy_v3020"},
    {kCudaMemcpyAsync, "cudaMemcpyAsync_v3020"},
    {kCudaMemsetAsync, "cudaMemsetAsync_v3020"},
    {kCudaStreamSynchronize, "cudaStreamSynchronize_v3020"},
    {kCudaEventRecord, "cudaEventRecord_v3020"},
    {kCudaEventSynchronize, "cudaEventSynchronize_v3020"},
    {kCudaStreamWaitEvent, "cudaStreamWaitEvent_v3020"},
    {kCudaMemcpyPeerAsync, "cudaMemcpyPeerAsync_v4000"},
    {kCudaDeviceSynchronize, "cudaDeviceSynchronize_v3020"},
    {kCudaLaunchKernel, "cudaLaunchKernel_v7000"},
    {kCudaLaunchHostFunc, "cudaLaunchHostFunc_v10000"},
    {kCudaGraphLaunch, "cudaGraphLaunch_v10000"},
};

// There is room for one subscriber, as in the real library; its handle is this address.
std::atomic<bool> subscribed{false};
int subscriber_handle;

bool is_subscriber(const void* subscriber) {
  return subscriber == &subscriber_handle && subscribed;
}

}  // namespace
}  // namespace maya::cupti

using namespace maya::cupti;

extern "C" {

int cuptiSubscribe(void** subscriber, void*, void*) {
  if (!subscriber) return kInvalidParameter;
  if (subscribed.exchange(true)) return kMultipleSubscribers;
  *subscriber = &subscriber_handle;
  return kSuccess;
}

int cuptiUnsubscribe(void* subscriber) {
  if (!is_subscriber(subscriber)) return kInvalidParameter;
  subscribed = false;
  return kSuccess;
}

int cuptiEnableCallback(uint32_t, void* subscriber, int domain, unsigned int) {
  bool valid = is_subscriber(subscriber) && domain > 0 && domain < kCallbackDomains;
  return valid ? kSuccess : kInvalidParameter;
}

int cuptiEnableDomain(uint32_t, void* subscriber, int domain) {
  return cuptiEnableCallback(0, subscriber, domain, 0);
}

int cuptiEnableAllDomains(uint32_t, void* subscriber) {
  return is_subscriber(subscriber) ? kSuccess : kInvalidParameter;
}

int cuptiGetCallbackName(int domain, uint32_t cbid, const char** name) {
  if (!name) return kInvalidParameter;
  *name = nullptr;
  if (domain != kRuntimeApi) return kInvalidParameter;
  for (const auto& known : kRuntimeNames) {
    if (known.function == cbid) *name = known.name;
  }
  return *name ? kSuccess : kInvalidParameter;
}

}  // extern "C"
