// Looking entry points up by name and version, as programs that do not link the driver do.
#include <dlfcn.h>

#include <cstring>
#include <string>

#include "support.h"

using namespace maya;
using namespace maya::driver;

namespace {

// CUdriverProcAddressQueryResult
constexpr int kFound = 0;
constexpr int kSymbolNotFound = 1;
constexpr unsigned long kPerThread = 2;
constexpr unsigned long kEveryFlag = 3;

struct Change {
  const char* name;
  int since;  // CUDA version
  const char* suffix;
};

// Functions whose signature changed after CUDA 4.1. Earlier changes (the _v2 of 3.2, 4.0 and 4.1) need no
// entry: nobody can ask for what came before.
constexpr Change kChanges[] = {
    {"cuCtxCreate", 3020, "_v2"},
    {"cuCtxCreate", 11040, "_v3"},
    {"cuCtxCreate", 12050, "_v4"},
    {"cuCtxGetDevice", 13000, "_v2"},
    {"cuCtxSynchronize", 13000, "_v2"},
    {"cuDeviceGetUuid", 11040, "_v2"},
    {"cuDevicePrimaryCtxRelease", 11000, "_v2"},
    {"cuDevicePrimaryCtxReset", 11000, "_v2"},
    {"cuDevicePrimaryCtxSetFlags", 11000, "_v2"},
    {"cuEventElapsedTime", 12080, "_v2"},
    {"cuGetProcAddress", 12000, "_v2"},
    {"cuGraphAddDependencies", 12030, "_v2"},
    {"cuGraphAddKernelNode", 12000, "_v2"},
    {"cuGraphAddNode", 12030, "_v2"},
    {"cuGraphExecKernelNodeSetParams", 12000, "_v2"},
    {"cuGraphExecUpdate", 12000, "_v2"},
    {"cuGraphGetEdges", 12030, "_v2"},
    {"cuGraphInstantiate", 11000, "_v2"},
    {"cuGraphInstantiate", 12000, "WithFlags"},
    {"cuGraphKernelNodeGetParams", 12000, "_v2"},
    {"cuGraphKernelNodeSetParams", 12000, "_v2"},
    {"cuGraphNodeGetDependencies", 12030, "_v2"},
    {"cuGraphNodeGetDependentNodes", 12030, "_v2"},
    {"cuGraphRemoveDependencies", 12030, "_v2"},
    {"cuIpcOpenMemHandle", 11000, "_v2"},
    {"cuLaunchHostFunc", 13010, "_v2"},
    {"cuLinkAddData", 6050, "_v2"},
    {"cuLinkAddFile", 6050, "_v2"},
    {"cuLinkCreate", 6050, "_v2"},
    {"cuMemAdvise", 12020, "_v2"},
    {"cuMemHostRegister", 6050, "_v2"},
    {"cuMemPrefetchAsync", 12020, "_v2"},
    {"cuMemcpy3DBatchAsync", 13000, "_v2"},
    {"cuMemcpyBatchAsync", 13000, "_v2"},
    {"cuMulticastBindAddr", 13010, "_v2"},
    {"cuMulticastBindMem", 13010, "_v2"},
    {"cuStreamBatchMemOp", 11070, "_v2"},
    {"cuStreamBeginCapture", 10010, "_v2"},
    {"cuStreamGetCaptureInfo", 11030, "_v2"},
    {"cuStreamGetCaptureInfo", 12030, "_v3"},
    {"cuStreamGetCtx", 12050, "_v2"},
    {"cuStreamUpdateCaptureDependencies", 12030, "_v2"},
    {"cuStreamWaitValue32", 11070, "_v2"},
    {"cuStreamWaitValue64", 11070, "_v2"},
    {"cuStreamWriteValue32", 11070, "_v2"},
    {"cuStreamWriteValue64", 11070, "_v2"},
    {"cuTexRefSetAddress2D", 4010, "_v3"},
};

void* own_library() {
  Dl_info info{};
  if (!dladdr(reinterpret_cast<const void*>(&cuInit), &info)) return nullptr;
  static void* const library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  return library;
}

void* exported(const std::string& name) {
  return dlsym(own_library(), name.c_str());
}

std::string versioned(const char* name, int version) {
  const char* suffix = nullptr;
  bool changed_late = false;
  for (const Change& change : kChanges) {
    if (strcmp(change.name, name) != 0) continue;
    changed_late = true;
    if (change.since <= version) suffix = change.suffix;
  }
  const std::string base = name;
  if (changed_late) return suffix ? base + suffix : base;
  return exported(base + "_v2") ? base + "_v2" : base;
}

void* find(const char* name, int version, bool per_thread) {
  const std::string full = versioned(name, version);
  if (per_thread) {
    if (void* found = exported(full + "_ptsz")) return found;
    if (void* found = exported(full + "_ptds")) return found;
  }
  return exported(full);
}

}  // namespace

extern "C" {

int cuGetProcAddress_v2(const char* symbol, void** function, int version, unsigned long flags, int* result) {
  if (!symbol || !function || version > kDriverVersion || flags > kEveryFlag) return kInvalidValue;
  // Only names of this interface: dlsym would find the recorder's functions, too.
  *function = strncmp(symbol, "cu", 2) == 0 ? find(symbol, version, flags & kPerThread) : nullptr;
  if (result) *result = *function ? kFound : kSymbolNotFound;
  return *function ? kSuccess : kNotFound;
}

int cuGetProcAddress(const char* symbol, void** function, int version, unsigned long flags) {
  return cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
}

// Private tables between NVIDIA's own libraries. The one common caller is a CUDA runtime linked into the
// program itself, which refuses to start without them.
int cuGetExportTable(const void** table, const void*) {
  inform(
      "The program holds a CUDA runtime of its own (nvcc links it statically by default), which works with "
      "NVIDIA's driver only. Build with `nvcc -cudart shared` to emulate it.");
  if (table) *table = nullptr;
  return kNotFound;
}

}  // extern "C"
