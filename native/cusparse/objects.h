// The numbers of cusparse.h that decide something here, and what its objects hold.
#pragma once

#include "mathlibs/data_types.h"
#include "mathlibs/support.h"

namespace maya::cusparse {

enum Status : int {
  kSuccess = 0,
  kNotInitialized = 1,
  kAllocFailed = 2,
  kInvalidValue = 3,
  kArchMismatch = 4,
  kMappingError = 5,
  kExecutionFailed = 6,
  kInternalError = 7,
  kMatrixTypeNotSupported = 8,
  kZeroPivot = 9,
  kNotSupported = 10,
  kInsufficientResources = 11,
};

enum Format : int { kCsr = 1, kCsc = 2, kCoo = 3, kBlockedEll = 5, kBsr = 6, kSlicedEll = 7 };

constexpr mathlibs::Version kVersion{12, 5, 8};

// Each kind of object is stored in its handle as one plain struct, whose kType tells them apart.
enum Type : int {
  kContext,
  kSparseMatrix,
  kSparseVector,
  kDenseMatrix,
  kDenseVector,
  kLegacyMatrix,
  kSpSV,
  kSpSM,
  kSpGEMM,
  kInfo,  // and upwards: one number for each kind of solver information
};

struct Context {
  static constexpr int kType = kContext;
  int pointer_mode = 0;  // 0: scalars on the host
};

struct SpMat {
  static constexpr int kType = kSparseMatrix;
  int format = 0;
  int64_t rows = 0, cols = 0, nnz = 0;
  void* offsets = nullptr;  // COO: row indices
  void* indices = nullptr;
  void* values = nullptr;
  int offsets_type = 0, index_type = 0, index_base = 0, value_type = 0;
  int64_t block_rows = 1, block_cols = 1;  // sliced ELL: slice size
  int64_t ell_cols = 0;
  int block_order = 0;
  int batch = 1;
  int64_t offsets_stride = 0, values_stride = 0;
  int fill_mode = 0, diag_type = 0;
};

struct SpVec {
  static constexpr int kType = kSparseVector;
  int64_t size = 0, nnz = 0;
  void* indices = nullptr;
  void* values = nullptr;
  int index_type = 0, index_base = 0, value_type = 0;
};

struct DnMat {
  static constexpr int kType = kDenseMatrix;
  int64_t rows = 0, cols = 0, ld = 0;
  void* values = nullptr;
  int value_type = 0, order = 1;
  int batch = 1;
  int64_t stride = 0;
};

struct DnVec {
  static constexpr int kType = kDenseVector;
  int64_t size = 0;
  void* values = nullptr;
  int value_type = 0;
};

struct LegacyMatrix {
  static constexpr int kType = kLegacyMatrix;
  int type = 0, fill_mode = 0, diag_type = 0, index_base = 0;
};

// Unknown until the product ran, which here it never does: see spgemm.cpp.
struct SpGemm {
  static constexpr int kType = kSpGEMM;
  int64_t products = 0;
};

// Stands for the state that a triangular solve's analysis leaves behind.
struct Solve {
  int64_t rows = 0, nnz = 0;
  int value_type = 0;
};

constexpr int kStateKey = 0;

inline Handle* find(const void* object, int type) {
  return mathlibs::find(object, Library::cusparse, type);
}

inline Handle* find_context(void* handle) {
  return find(handle, kContext);
}

// Copies an object's struct; false where `object` is not alive or of another kind.
template <typename Object>
bool read(const void* object, Object* out) {
  Handle* found = find(object, Object::kType);
  if (found) *out = get<Object>(*found, kStateKey);
  return found != nullptr;
}

template <typename Object>
int create(void** out, const Object& object, int type = Object::kType) {
  Handle* made = mathlibs::open_descriptor(out, Library::cusparse, type);
  if (!made) return kInvalidValue;
  set(*made, kStateKey, object);
  return kSuccess;
}

inline int destroy(const void* object, int type) {
  if (!find(object, type)) return kInvalidValue;
  return destroy_handle(const_cast<void*>(object), Library::cusparse) ? kSuccess : kInvalidValue;
}

// Changes an object's struct in place.
template <typename Object, typename Change>
int update(const void* object, Change change) {
  Handle* found = find(object, Object::kType);
  if (!found) return kInvalidValue;
  Object state = get<Object>(*found, kStateKey);
  change(state);
  set(*found, kStateKey, state);
  return kSuccess;
}

template <typename T>
void put(T* out, T value) {
  if (out) *out = value;
}

// Scalars on the device are unknown to the host: then what beta scales counts as read.
inline bool beta_nonzero(const Handle& context, const void* beta, int compute_type) {
  if (!beta || get<Context>(context, kStateKey).pointer_mode) return true;
  return !mathlibs::is_zero(beta, mathlibs::element_bytes(compute_type));
}

}  // namespace maya::cusparse
