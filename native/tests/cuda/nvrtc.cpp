// Kernels compiled at run time: what the source tells about them, down to a recorded launch.
#include "nvrtc.h"

#include <vector>

#include "check.h"

namespace {

constexpr char kSource[] = R"(
typedef unsigned int Index;
template <typename T, int N> struct Array { T data[N]; };
struct Own { double a, b; };
template <typename T> __global__ void fill(T* out, T value, int n) { out[threadIdx.x] = value; }
// extern "C" __global__ void commented_out(int n) {}
extern "C" __global__ void __launch_bounds__(128)
scale(const int n, Array<char*, 1+2> data, /* by value */ Own own, float by) {}
namespace deep { __global__ void plain(float* a, const float* b, float* c, Index n) {} }
__global__ void add(const float* a, const float* b, float* c, int n) {}
)";

struct Program {
  void* program = nullptr;
  std::vector<char> image;
};

Program compile(const std::vector<const char*>& expressions, const char* architecture) {
  Program result;
  EXPECT(0, nvrtcCreateProgram(&result.program, kSource, "source.cu", 0, nullptr, nullptr));
  for (const char* expression : expressions) EXPECT(0, nvrtcAddNameExpression(result.program, expression));
  EXPECT(0, nvrtcCompileProgram(result.program, 1, &architecture));
  size_t bytes = 0;
  EXPECT(0, nvrtcGetPTXSize(result.program, &bytes));
  result.image.resize(bytes);
  EXPECT(0, nvrtcGetPTX(result.program, result.image.data()));
  return result;
}

void* load(const Program& program) {
  void* module = nullptr;
  start_on_device(0);
  EXPECT(kSuccess, cuModuleLoadData(&module, program.image.data()));
  return module;
}

void entries_come_from_the_source() {
  void* module = load(compile({}, "--gpu-architecture=sm_90"));
  void* function = nullptr;
  int threads = 0;
  size_t count = 0, offset = 0, bytes = 0;
  EXPECT(kSuccess, cuModuleGetFunction(&function, module, "scale"));
  EXPECT(kSuccess, cuFuncGetAttribute(&threads, kMaxThreadsPerBlock, function));
  CHECK(threads == 128);
  // The struct that the source declares has no size here; it and what follows are left out.
  EXPECT(kSuccess, cuFuncGetParamCount(function, &count));
  CHECK(count == 2);
  EXPECT(kSuccess, cuFuncGetParamInfo(function, 1, &offset, &bytes));
  CHECK(offset == 8 && bytes == 24);
  EXPECT(kSuccess, cuModuleGetFunction(&function, module, "_Z3addPKfS0_Pfi"));
  EXPECT(kNotFound, cuModuleGetFunction(&function, module, "commented_out"));
}

void name_expressions_are_found_in_the_module() {
  const std::vector<const char*> expressions = {"fill<float>", "&deep::plain", "scale"};
  Program program = compile(expressions, "-arch=compute_90");
  void* module = load(program);
  std::vector<std::string> names;
  for (const char* expression : expressions) {
    const char* name = nullptr;
    void* function = nullptr;
    EXPECT(0, nvrtcGetLoweredName(program.program, expression, &name));
    EXPECT(kSuccess, cuModuleGetFunction(&function, module, name));
    names.push_back(name);
  }
  CHECK(names[0] == "_Z4fillIfEvz");
  CHECK(names[1] == "_ZN4deep5plainEz");
  CHECK(names[2] == "scale");
  const char* name = nullptr;
  EXPECT(10, nvrtcGetLoweredName(program.program, "other", &name));
  EXPECT(8, nvrtcAddNameExpression(program.program, "late"));
  // No binary for a virtual architecture.
  size_t bytes = 1;
  EXPECT(0, nvrtcGetCUBINSize(program.program, &bytes));
  CHECK(bytes == 0);
  EXPECT(0, nvrtcDestroyProgram(&program.program));
  EXPECT(4, nvrtcGetPTXSize(program.program, &bytes));
}

void launches_of_compiled_kernels_are_recorded() {
  void* module = load(compile({}, "--gpu-architecture=sm_90"));
  void* function = nullptr;
  EXPECT(kSuccess, cuModuleGetFunction(&function, module, "scale"));
  int n = 4321;
  DevicePtr data[3] = {allocate(512), allocate(512), allocate(512)};
  double own[2] = {};
  float by = 1;
  void* arguments[] = {&n, data, own, &by};
  EXPECT(kSuccess, cuLaunchKernel(function, 3, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr));
}

}  // namespace

int main(int count, char** arguments) {
  return run_case(
      {
          {"entries_come_from_the_source", entries_come_from_the_source},
          {"name_expressions_are_found_in_the_module", name_expressions_are_found_in_the_module},
          {"launches_of_compiled_kernels_are_recorded", launches_of_compiled_kernels_are_recorded},
      },
      count, arguments);
}
