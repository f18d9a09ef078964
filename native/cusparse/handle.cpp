// Handles of cuSPARSE, and what the library says about itself.
#include "gen/cusparse.h"
#include "objects.h"

using namespace maya;
using namespace maya::cusparse;

namespace {

struct StatusText {
  int status;
  const char* name;
  const char* text;
};

const StatusText kTexts[] = {
    {kSuccess, "CUSPARSE_STATUS_SUCCESS", "success"},
    {kNotInitialized, "CUSPARSE_STATUS_NOT_INITIALIZED", "initialization error"},
    {kAllocFailed, "CUSPARSE_STATUS_ALLOC_FAILED", "out of memory"},
    {kInvalidValue, "CUSPARSE_STATUS_INVALID_VALUE", "invalid value"},
    {kArchMismatch, "CUSPARSE_STATUS_ARCH_MISMATCH", "architecture mismatch"},
    {kMappingError, "CUSPARSE_STATUS_MAPPING_ERROR", "texture memory mapping error"},
    {kExecutionFailed, "CUSPARSE_STATUS_EXECUTION_FAILED", "kernel launch failure"},
    {kInternalError, "CUSPARSE_STATUS_INTERNAL_ERROR", "internal error"},
    {kMatrixTypeNotSupported, "CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED", "matrix type not supported"},
    {kZeroPivot, "CUSPARSE_STATUS_ZERO_PIVOT", "zero pivot"},
    {kNotSupported, "CUSPARSE_STATUS_NOT_SUPPORTED", "operation not supported"},
    {kInsufficientResources, "CUSPARSE_STATUS_INSUFFICIENT_RESOURCES", "insufficient resources"},
};

const StatusText* text_of(int status) {
  for (const StatusText& text : kTexts) {
    if (text.status == status) return &text;
  }
  return nullptr;
}

}  // namespace

int cusparseCreate(void** handle) {
  if (!handle) return kInvalidValue;
  Handle* made = mathlibs::open_handle(handle, Library::cusparse, kContext);
  if (!made) return kNotInitialized;
  set(*made, kStateKey, Context{});
  return kSuccess;
}

int cusparseDestroy(void* handle) {
  return destroy(handle, kContext) == kSuccess ? kSuccess : kNotInitialized;
}

int cusparseSetStream(void* handle, void* stream) {
  Handle* found = find_context(handle);
  if (!found) return kNotInitialized;
  found->stream = stream;
  return kSuccess;
}

int cusparseGetStream(void* handle, void** stream) {
  Handle* found = find_context(handle);
  if (!found) return kNotInitialized;
  if (!stream) return kInvalidValue;
  *stream = found->stream;
  return kSuccess;
}

int cusparseSetPointerMode(void* handle, int mode) {
  if (!find_context(handle)) return kNotInitialized;
  if (mode != 0 && mode != 1) return kInvalidValue;
  return update<Context>(handle, [mode](Context& context) { context.pointer_mode = mode; });
}

int cusparseGetPointerMode(void* handle, int* mode) {
  Context context;
  if (!read(handle, &context)) return kNotInitialized;
  if (!mode) return kInvalidValue;
  *mode = context.pointer_mode;
  return kSuccess;
}

int cusparseGetVersion(void* handle, int* version) {
  if (!find_context(handle)) return kNotInitialized;
  if (!version) return kInvalidValue;
  *version = kVersion.major * 1000 + kVersion.minor * 100 + kVersion.patch;
  return kSuccess;
}

int cusparseGetProperty(int type, int* value) {
  return mathlibs::property(type, kVersion, value) ? kSuccess : kInvalidValue;
}

const char* cusparseGetErrorName(int status) {
  const StatusText* text = text_of(status);
  return text ? text->name : "unrecognized error code";
}

const char* cusparseGetErrorString(int status) {
  const StatusText* text = text_of(status);
  return text ? text->text : "unrecognized error code";
}

int cusparseLoggerSetCallback(void*) {
  return kSuccess;
}
int cusparseLoggerSetFile(void*) {
  return kSuccess;
}
int cusparseLoggerOpenFile(const char*) {
  return kSuccess;
}
int cusparseLoggerSetLevel(int) {
  return kSuccess;
}
int cusparseLoggerSetMask(int) {
  return kSuccess;
}
int cusparseLoggerForceDisable() {
  return kSuccess;
}
