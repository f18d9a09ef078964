// Names for categories, threads, streams and events serve a tool's display; there is none.
#include "gen/nvtx.h"

extern "C" {

void nvtxNameCategoryA(uint32_t, const char*) {}
void nvtxNameCategoryW(uint32_t, const int*) {}
void nvtxDomainNameCategoryA(void*, uint32_t, const char*) {}
void nvtxDomainNameCategoryW(void*, uint32_t, const int*) {}
void nvtxNameOsThreadA(uint32_t, const char*) {}
void nvtxNameOsThreadW(uint32_t, const int*) {}
void nvtxNameCuDeviceA(int, const char*) {}
void nvtxNameCuDeviceW(int, const int*) {}
void nvtxNameCuContextA(void*, const char*) {}
void nvtxNameCuContextW(void*, const int*) {}
void nvtxNameCuStreamA(void*, const char*) {}
void nvtxNameCuStreamW(void*, const int*) {}
void nvtxNameCuEventA(void*, const char*) {}
void nvtxNameCuEventW(void*, const int*) {}
void nvtxNameCudaDeviceA(int, const char*) {}
void nvtxNameCudaDeviceW(int, const int*) {}
void nvtxNameCudaStreamA(void*, const char*) {}
void nvtxNameCudaStreamW(void*, const int*) {}
void nvtxNameCudaEventA(void*, const char*) {}
void nvtxNameCudaEventW(void*, const int*) {}

}  // extern "C"
