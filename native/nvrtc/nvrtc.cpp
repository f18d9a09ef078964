// NVRTC, the run-time compiler.
//
// Compiling needs NVIDIA's compiler, and no kernel ever runs here. But programs that compile a kernel launch
// it next (PyTorch's jiterator does for dozens of special functions), and those launches must be recorded. So
// "compiling" reads the kernels' names and parameters from the source and answers an image that says just
// that, in the one form the driver's loader reads anyway: PTX, with empty bodies. What only a compiler can
// know stays unknown: registers, shared memory, errors in the source, and parameters of types the source
// itself declares.
#include <algorithm>
#include <cstring>
#include <iterator>

#include "gen/nvrtc.h"
#include "image.h"
#include "lowered.h"
#include "maya/device.h"
#include "maya/handles.h"

using namespace maya;
using namespace maya::nvrtc;

namespace {

// nvrtcResult
enum Result : int {
  kSuccess = 0,
  kInvalidInput = 3,
  kInvalidProgram = 4,
  kNoExpressionsAfterCompilation = 8,
  kNoNamesBeforeCompilation = 9,
  kExpressionNotValid = 10,
};

constexpr int kProgram = 1;  // handle type
// Attributes of a program; lowered names follow from kFirstLowered on, in the order of the expressions.
enum Attribute : int {
  kSource,
  kImage,
  kIsCubin,
  kExpressionCount,
  kFirstExpression = 1000,
  kFirstLowered = 1000000
};

#if MAYA_CUDA_MAJOR == 12
constexpr int kMinorVersion = 8;
constexpr int kArchitectures[] = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 101, 120};
#else
constexpr int kMinorVersion = 2;
constexpr int kArchitectures[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
#endif

Handle* find_program(void* program) {
  return find_handle(program, Library::nvrtc, kProgram);
}

std::string text_of(const Handle& program, int attribute) {
  const std::vector<char>* text = get_attribute(program, attribute);
  return text ? std::string(text->data(), text->size() - 1) : "";
}

void set_text(Handle& program, int attribute, const std::string& text) {
  set_attribute(program, attribute, text.c_str(), text.size() + 1);
}

const Kernel* find_kernel(const std::vector<Kernel>& kernels, const std::string& name) {
  auto found =
      std::find_if(kernels.begin(), kernels.end(), [&](const Kernel& kernel) { return kernel.name == name; });
  return found == kernels.end() ? nullptr : &*found;
}

// "--gpu-architecture=sm_90a", "-arch=compute_80", or "-arch" "sm_80"; the device's own where none is given.
std::string architecture(int count, const char* const* options) {
  for (int i = 0; i < count; ++i) {
    const std::string option = options[i] ? options[i] : "";
    const size_t equals = option.find('=');
    const std::string key = option.substr(0, equals);
    if (key != "--gpu-architecture" && key != "-arch") continue;
    if (equals != std::string::npos) return option.substr(equals + 1);
    if (i + 1 < count && options[i + 1]) return options[i + 1];
  }
  return "compute_" + std::to_string(device_model().sm());
}

std::vector<Entry> entries_of(Handle& program, const std::vector<Kernel>& kernels) {
  std::vector<Entry> entries;
  for (const Kernel& kernel : kernels) {
    if (kernel.is_template) continue;
    entries.push_back({kernel.extern_c ? kernel.name : mangled(kernel), &kernel});
  }
  const int expressions = get<int>(program, kExpressionCount);
  for (int i = 0; i < expressions; ++i) {
    const std::string expression = text_of(program, kFirstExpression + i);
    const Kernel* kernel = find_kernel(kernels, base_name(expression));
    const std::string name = lowered(expression, kernel);
    set_text(program, kFirstLowered + i, name);
    const bool known =
        std::any_of(entries.begin(), entries.end(), [&](const Entry& e) { return e.name == name; });
    if (!known) entries.push_back({name, kernel});
  }
  return entries;
}

int image_size(void* handle, size_t* bytes) {
  const Handle* program = find_program(handle);
  if (!program) return kInvalidProgram;
  if (!bytes) return kInvalidInput;
  const std::vector<char>* image = get_attribute(*program, kImage);
  if (!image) return kInvalidProgram;
  *bytes = image->size();
  return kSuccess;
}

int image_copy(void* handle, char* to) {
  const Handle* program = find_program(handle);
  const std::vector<char>* image = program ? get_attribute(*program, kImage) : nullptr;
  if (!image) return kInvalidProgram;
  if (!to) return kInvalidInput;
  memcpy(to, image->data(), image->size());
  return kSuccess;
}

}  // namespace

extern "C" {

const char* nvrtcGetErrorString(int result) {
  static const char* const kNames[] = {"NVRTC_SUCCESS",
                                       "NVRTC_ERROR_OUT_OF_MEMORY",
                                       "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                       "NVRTC_ERROR_INVALID_INPUT",
                                       "NVRTC_ERROR_INVALID_PROGRAM",
                                       "NVRTC_ERROR_INVALID_OPTION",
                                       "NVRTC_ERROR_COMPILATION",
                                       "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
                                       "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
                                       "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
                                       "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
                                       "NVRTC_ERROR_INTERNAL_ERROR"};
  const bool known = result >= 0 && result < static_cast<int>(std::size(kNames));
  return known ? kNames[result] : "NVRTC_ERROR unknown";
}

int nvrtcVersion(int* major, int* minor) {
  if (!major || !minor) return kInvalidInput;
  *major = MAYA_CUDA_MAJOR;
  *minor = kMinorVersion;
  return kSuccess;
}

int nvrtcGetNumSupportedArchs(int* count) {
  if (!count) return kInvalidInput;
  *count = static_cast<int>(std::size(kArchitectures));
  return kSuccess;
}

int nvrtcGetSupportedArchs(int* architectures) {
  if (!architectures) return kInvalidInput;
  std::copy(std::begin(kArchitectures), std::end(kArchitectures), architectures);
  return kSuccess;
}

// Headers given as text may hold the kernels, so they are read as part of the source.
int nvrtcCreateProgram(void** program, const char* source, const char*, int count, const char* const* headers,
                       const char* const*) {
  if (!program || !source || count < 0) return kInvalidInput;
  std::string text;
  for (int i = 0; headers && i < count; ++i) text += std::string(headers[i] ? headers[i] : "") + "\n";
  Handle* made = create_handle(Library::nvrtc, kProgram);
  set_text(*made, kSource, text + source);
  *program = made;
  return kSuccess;
}

int nvrtcDestroyProgram(void** program) {
  if (!program || !destroy_handle(*program, Library::nvrtc)) return kInvalidProgram;
  *program = nullptr;
  return kSuccess;
}

int nvrtcAddNameExpression(void* handle, const char* expression) {
  Handle* program = find_program(handle);
  if (!program) return kInvalidProgram;
  if (!expression) return kInvalidInput;
  if (get_attribute(*program, kImage)) return kNoExpressionsAfterCompilation;
  const int index = get<int>(*program, kExpressionCount);
  set_text(*program, kFirstExpression + index, expression);
  set(*program, kExpressionCount, index + 1);
  return kSuccess;
}

int nvrtcCompileProgram(void* handle, int count, const char* const* options) {
  Handle* program = find_program(handle);
  if (!program) return kInvalidProgram;
  if (count < 0 || (count && !options)) return kInvalidInput;
  inform(
      "Kernels compiled at run time (NVRTC) are recorded by name and launch shape; nothing compiles them, so "
      "their registers and shared memory are unknown.");
  std::string target = architecture(count, options);
  const bool is_cubin = target.rfind("sm_", 0) == 0;
  if (const size_t digits = target.find('_'); digits != std::string::npos)
    target = "sm" + target.substr(digits);
  const std::vector<Kernel> kernels = find_kernels(text_of(*program, kSource));
  set_text(*program, kImage, make_image(entries_of(*program, kernels), target));
  set<int>(*program, kIsCubin, is_cubin);
  return kSuccess;
}

int nvrtcGetLoweredName(void* handle, const char* expression, const char** name) {
  Handle* program = find_program(handle);
  if (!program) return kInvalidProgram;
  if (!expression || !name) return kInvalidInput;
  if (!get_attribute(*program, kImage)) return kNoNamesBeforeCompilation;
  const int count = get<int>(*program, kExpressionCount);
  for (int i = 0; i < count; ++i) {
    if (text_of(*program, kFirstExpression + i) != expression) continue;
    *name = get_attribute(*program, kFirstLowered + i)->data();
    return kSuccess;
  }
  return kExpressionNotValid;
}

int nvrtcGetPTXSize(void* program, size_t* bytes) {
  return image_size(program, bytes);
}
int nvrtcGetPTX(void* program, char* to) {
  return image_copy(program, to);
}

// A program compiled for a virtual architecture (compute_90) has no binary: the size is 0.
int nvrtcGetCUBINSize(void* handle, size_t* bytes) {
  if (int result = image_size(handle, bytes)) return result;
  if (!get<int>(*find_program(handle), kIsCubin)) *bytes = 0;
  return kSuccess;
}

int nvrtcGetCUBIN(void* handle, char* to) {
  const Handle* program = find_program(handle);
  if (!program) return kInvalidProgram;
  return get<int>(*program, kIsCubin) ? image_copy(handle, to) : int{kInvalidInput};
}

int nvrtcGetProgramLogSize(void* program, size_t* bytes) {
  if (!find_program(program)) return kInvalidProgram;
  if (!bytes) return kInvalidInput;
  *bytes = 1;  // an empty text and its end
  return kSuccess;
}

int nvrtcGetProgramLog(void* program, char* log) {
  if (!find_program(program)) return kInvalidProgram;
  if (!log) return kInvalidInput;
  *log = '\0';
  return kSuccess;
}

int nvrtcSetFlowCallback(void* program, void*, void*) {
  return find_program(program) ? kSuccess : kInvalidProgram;
}

}  // extern "C"
