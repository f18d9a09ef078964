// Microseconds per launch of a small kernel through the emulated driver.
#include <chrono>
#include <cstdio>
#include <cstdlib>

extern "C" {
int cuInit(unsigned flags);
int cuDevicePrimaryCtxRetain(void** context, int device);
int cuCtxSetCurrent(void* context);
int cuMemAlloc_v2(unsigned long long* address, size_t bytes);
int cuModuleLoadData(void** module, const void* image);
int cuModuleGetFunction(void** function, void* module, const char* name);
int cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared_bytes, void* stream, void** parameters,
                   void** extra);
}

namespace {

const char kPtx[] = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 data, .param .u32 count, .param .f32 factor)
{
  ret;
}
)";

void require(int status, const char* what) {
  if (status == 0) return;
  std::fprintf(stderr, "%s: status %d\n", what, status);
  std::exit(1);
}

}  // namespace

int main() {
  constexpr unsigned kLaunches = 200000;
  void *context, *module, *function;
  unsigned long long data;
  require(cuInit(0), "cuInit");
  require(cuDevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain");
  require(cuCtxSetCurrent(context), "cuCtxSetCurrent");
  require(cuMemAlloc_v2(&data, 1 << 20), "cuMemAlloc");
  require(cuModuleLoadData(&module, kPtx), "cuModuleLoadData");
  require(cuModuleGetFunction(&function, module, "scale"), "cuModuleGetFunction");
  int count = 1 << 18;
  float factor = 2;
  void* parameters[] = {&data, &count, &factor};
  auto started = std::chrono::steady_clock::now();
  for (unsigned i = 0; i < kLaunches; ++i) {
    require(cuLaunchKernel(function, 256, 1, 1, 256, 1, 1, 0, nullptr, parameters, nullptr), "cuLaunchKernel");
  }
  std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - started;
  std::printf("%.4f\n", spent.count() / kLaunches);
}
