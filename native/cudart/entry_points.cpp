// The driver's functions by name, through the runtime.
#include <dlfcn.h>

#include "gen/cudart.h"
#include "status.h"

using namespace maya;

namespace {

constexpr unsigned kNewest = 13020;

// The driver chooses the variant for a version itself; it is preloaded beside us.
int entry_point(const char* symbol, void** function, unsigned version, unsigned long long flags,
                int* status) {
  if (!symbol || !function) return fail(kInvalidValue);
  using GetProcAddress = int (*)(const char*, void**, int, uint64_t, int*);
  auto find = reinterpret_cast<GetProcAddress>(dlsym(RTLD_DEFAULT, "cuGetProcAddress_v2"));
  *function = nullptr;
  int found = 1;  // symbol not found
  if (find) find(symbol, function, static_cast<int>(version), flags, &found);
  if (status) *status = found;
  if (*function) return kSuccess;
  // Without a place for the reason the absence itself is the error.
  return status ? kSuccess : fail(kSymbolNotFound);
}

}  // namespace

int cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags, int* status) {
  return entry_point(symbol, function, MAYA_CUDA_MAJOR * 1000, flags, status);
}
int cudaGetDriverEntryPoint_ptsz(const char* symbol, void** function, unsigned long long flags, int* status) {
  return entry_point(symbol, function, MAYA_CUDA_MAJOR * 1000, flags, status);
}
int cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned int version,
                                     unsigned long long flags, int* status) {
  return entry_point(symbol, function, version ? version : kNewest, flags, status);
}
int cudaGetDriverEntryPointByVersion_ptsz(const char* symbol, void** function, unsigned int version,
                                          unsigned long long flags, int* status) {
  return entry_point(symbol, function, version ? version : kNewest, flags, status);
}
