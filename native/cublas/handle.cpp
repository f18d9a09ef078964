// Creating, destroying and configuring cuBLAS handles.
#include "gen/cublas.h"
#include "maya/library_memory.h"
#include "state.h"

using namespace maya;
using namespace maya::cublas;

namespace {

template <typename T>
int store(void* handle, T State::* field, T value) {
  Handle* found = cublas::find(handle);
  if (!found) return kNotInitialized;
  State state = state_of(*found);
  state.*field = value;
  set(*found, kState, state);
  return kSuccess;
}

template <typename T>
int load(void* handle, T State::* field, T* value) {
  Handle* found = cublas::find(handle);
  if (!found) return kNotInitialized;
  if (!value) return kInvalidValue;
  *value = state_of(*found).*field;
  return kSuccess;
}

bool is_math_mode(int mode) {
  const int flag = mode & 16;  // disallow reduced precision in reductions, beside any mode
  const int base = mode & ~flag;
  return (base >= 0 && base <= 4) || base == 8;
}

// The pool that a handle makes for itself, used until the program gives it another: the sizes that NVIDIA's
// documentation of cublasSetWorkspace names.
size_t own_workspace_bytes() {
  return size_t{device_model().major >= 9 ? 32u : 4u} << 20;
}

}  // namespace

int cublasCreate_v2(void** handle) {
  if (!handle) return kInvalidValue;
  Handle* made = mathlibs::open_handle(handle, Library::cublas, kContext);
  if (!made) return kNotInitialized;
  State state;
  state.own_workspace = charge_library(made->device, own_workspace_bytes(), "cublas");
  set(*made, kState, state);
  if (state.own_workspace) return kSuccess;
  destroy_handle(*handle, Library::cublas);
  *handle = nullptr;
  return kAllocFailed;
}

int cublasDestroy_v2(void* handle) {
  Handle* found = cublas::find(handle);
  if (!found) return kNotInitialized;
  release_library(state_of(*found).own_workspace);
  return destroy_handle(handle, Library::cublas) ? kSuccess : kNotInitialized;
}

int cublasSetStream_v2(void* handle, void* stream) {
  Handle* found = cublas::find(handle);
  if (!found) return kNotInitialized;
  found->stream = stream;
  return kSuccess;
}

int cublasGetStream_v2(void* handle, void** stream) {
  Handle* found = cublas::find(handle);
  if (!found) return kNotInitialized;
  if (!stream) return kInvalidValue;
  *stream = found->stream;
  return kSuccess;
}

int cublasSetWorkspace_v2(void* handle, void* workspace, size_t bytes) {
  if (reinterpret_cast<uintptr_t>(workspace) % 256) return kInvalidValue;
  const int status = store(handle, &State::workspace, workspace);
  return status ? status : store(handle, &State::workspace_bytes, bytes);
}

int cublasSetMathMode(void* handle, int mode) {
  return is_math_mode(mode) ? store(handle, &State::math_mode, mode) : kInvalidValue;
}

int cublasGetMathMode(void* handle, int* mode) {
  return load(handle, &State::math_mode, mode);
}

int cublasSetPointerMode_v2(void* handle, int mode) {
  return mode == 0 || mode == 1 ? store(handle, &State::pointer_mode, mode) : kInvalidValue;
}

int cublasGetPointerMode_v2(void* handle, int* mode) {
  return load(handle, &State::pointer_mode, mode);
}

int cublasSetAtomicsMode(void* handle, int mode) {
  return mode == 0 || mode == 1 ? store(handle, &State::atomics_mode, mode) : kInvalidValue;
}

int cublasGetAtomicsMode(void* handle, int* mode) {
  return load(handle, &State::atomics_mode, mode);
}

int cublasSetSmCountTarget(void* handle, int count) {
  const bool valid = count >= 0 && count <= device_model().sm_count;
  return valid ? store(handle, &State::sm_count_target, count) : kInvalidValue;
}

int cublasGetSmCountTarget(void* handle, int* count) {
  return load(handle, &State::sm_count_target, count);
}

#if MAYA_CUDA_MAJOR >= 13
#define EMULATION_SETTING(name, field)            \
  int cublasSet##name(void* handle, int value) {  \
    return store(handle, &State::field, value);   \
  }                                               \
  int cublasGet##name(void* handle, int* value) { \
    return load(handle, &State::field, value);    \
  }

EMULATION_SETTING(EmulationStrategy, emulation_strategy)
EMULATION_SETTING(EmulationSpecialValuesSupport, special_values)
EMULATION_SETTING(FixedPointEmulationMantissaControl, mantissa_control)
EMULATION_SETTING(FixedPointEmulationMaxMantissaBitCount, max_mantissa_bits)
EMULATION_SETTING(FixedPointEmulationMantissaBitOffset, mantissa_bit_offset)

int cublasSetFixedPointEmulationMantissaBitCountPointer(void* handle, int* count) {
  return store(handle, &State::mantissa_bits, count);
}

int cublasGetFixedPointEmulationMantissaBitCountPointer(void* handle, void** count) {
  return load(handle, &State::mantissa_bits, reinterpret_cast<int**>(count));
}
#endif
