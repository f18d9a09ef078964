// Microseconds per launch of a small kernel through the emulated driver.
#include <cstdio>
#include <cstdlib>
#include <ctime>

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
  constexpr unsigned kLaunches = 500000;
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
  const std::clock_t started = std::clock();  // CPU time: other programs' load is not our cost
  for (unsigned i = 0; i < kLaunches; ++i) {
    require(cuLaunchKernel(function, 256, 1, 1, 256, 1, 1, 0, nullptr, parameters, nullptr), "cuLaunchKernel");
  }
  const double seconds = static_cast<double>(std::clock() - started) / CLOCKS_PER_SEC;
  std::printf("%.4f\n", seconds * 1e6 / kLaunches);
}
