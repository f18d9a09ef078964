// cuSPARSE and cuSPARSELt: objects, products, solves, sizes that only the device would know.
#include "cusparse.h"

#include <cstring>

#include "check.h"
#include "cusparseLt.h"

namespace {

constexpr int kNotInitialized = 1, kInvalidValue = 3;
constexpr int kInt32 = 2, kFp32 = 0, kFp16 = 2, kByColumn = 1, kByRow = 2;

float one = 1, zero = 0;

struct Csr {
  Csr(int64_t rows, int64_t cols, int64_t nnz) {
    auto* data = device<int>(4096);
    EXPECT(0, cusparseCreateCsr(&object, rows, cols, nnz, data, data, data, kInt32, kInt32, 0, kFp32));
  }
  ~Csr() { EXPECT(0, cusparseDestroySpMat(object)); }
  void* object = nullptr;
};

void* dense(int64_t rows, int64_t cols) {
  void* object = nullptr;
  EXPECT(0, cusparseCreateDnMat(&object, rows, cols, rows, device<float>(rows * cols), kFp32, kByColumn));
  return object;
}

void test_objects() {
  Csr matrix(10, 20, 30);
  int64_t rows = 0, cols = 0, nnz = 0;
  EXPECT(0, cusparseSpMatGetSize(matrix.object, &rows, &cols, &nnz));
  CHECK(rows == 10 && cols == 20 && nnz == 30);
  int format = 0, upper = 1, read = 0;
  EXPECT(0, cusparseSpMatGetFormat(matrix.object, &format));
  CHECK(format == 1);
  EXPECT(0, cusparseSpMatSetAttribute(matrix.object, 0, &upper, sizeof upper));
  EXPECT(0, cusparseSpMatGetAttribute(matrix.object, 0, &read, sizeof read));
  CHECK(read == upper);
  EXPECT(kInvalidValue, cusparseSpMatSetAttribute(matrix.object, 2, &upper, sizeof upper));
  void* values = nullptr;
  EXPECT(kInvalidValue, cusparseDnMatGetValues(matrix.object, &values));  // not a dense matrix
  void* object = nullptr;
  EXPECT(kInvalidValue, cusparseCreateDnMat(&object, 10, 20, 9, nullptr, kFp32, kByColumn));
  EXPECT(kInvalidValue, cusparseCreateCoo(&object, -1, 2, 3, nullptr, nullptr, nullptr, kInt32, 0, kFp32));
  EXPECT(0, cusparseCreateMatDescr(&object));
  EXPECT(0, cusparseSetMatFillMode(object, 1));
  CHECK(cusparseGetMatFillMode(object) == 1);
  EXPECT(0, cusparseDestroyMatDescr(object));
  EXPECT(kInvalidValue, cusparseDestroyMatDescr(object));
  CHECK(std::strcmp(cusparseGetErrorName(3), "CUSPARSE_STATUS_INVALID_VALUE") == 0);
}

void test_products(void* handle) {
  Csr a(10, 20, 30);
  void* b = dense(20, 7);
  void* c = dense(10, 7);
  size_t bytes = 0;
  EXPECT(kNotInitialized, cusparseSpMM(nullptr, 0, 0, &one, a.object, b, &zero, c, kFp32, 0, nullptr));
  EXPECT(kInvalidValue, cusparseSpMM(handle, 0, 0, &one, b, b, &zero, c, kFp32, 0, nullptr));
  EXPECT(0, cusparseSpMM_bufferSize(handle, 0, 0, &one, a.object, b, &zero, c, kFp32, 0, &bytes));
  CHECK(bytes > 0);
  EXPECT(0, cusparseSpMM(handle, 0, 0, &one, a.object, b, &zero, c, kFp32, 4, device<char>(bytes)));
  EXPECT(0, cusparseSDDMM(handle, 0, 1, &one, dense(10, 5), dense(20, 5), &one, a.object, kFp32, 0, nullptr));
  void* solve = nullptr;
  Csr square(10, 10, 25);
  EXPECT(0, cusparseSpSM_createDescr(&solve));
  EXPECT(0, cusparseSpSM_bufferSize(handle, 0, 0, &one, square.object, c, c, kFp32, 0, solve, &bytes));
  EXPECT(0, cusparseSpSM_analysis(handle, 0, 0, &one, square.object, c, c, kFp32, 0, solve,
                                  device<char>(bytes)));
  EXPECT(0, cusparseSpSM_solve(handle, 0, 0, &one, square.object, c, c, kFp32, 0, solve));
  EXPECT(0, cusparseSpSM_destroyDescr(solve));
}

// 30 entries meeting 40 / 20 each: 60 of the 200 places.
void test_sparse_times_sparse(void* handle) {
  Csr a(10, 20, 30), b(20, 20, 40), c(10, 20, 0);
  void* state = nullptr;
  size_t bytes = 0;
  int64_t rows = 0, cols = 0, nnz = 0;
  EXPECT(0, cusparseSpGEMM_createDescr(&state));
  for (void* buffer : {static_cast<void*>(nullptr), static_cast<void*>(device<char>(64))}) {
    EXPECT(0, cusparseSpGEMM_workEstimation(handle, 0, 0, &one, a.object, b.object, &zero, c.object, kFp32, 0,
                                            state, &bytes, buffer));
  }
  CHECK(bytes > 0);
  for (void* buffer : {static_cast<void*>(nullptr), static_cast<void*>(device<char>(64))}) {
    EXPECT(0, cusparseSpGEMM_compute(handle, 0, 0, &one, a.object, b.object, &zero, c.object, kFp32, 0, state,
                                     &bytes, buffer));
  }
  EXPECT(0, cusparseSpMatGetSize(c.object, &rows, &cols, &nnz));
  CHECK(nnz == 60);
  EXPECT(0, cusparseCsrSetPointers(c.object, device<int>(11), device<int>(nnz), device<float>(nnz)));
  EXPECT(0, cusparseSpGEMM_copy(handle, 0, 0, &one, a.object, b.object, &zero, c.object, kFp32, 0, state));
  EXPECT(0, cusparseSpGEMM_destroyDescr(state));
}

void test_legacy(void* handle) {
  int position = 99, nnz = 99;
  void* info = nullptr;
  EXPECT(0, cusparseCreateBsrsv2Info(&info));
  EXPECT(0, cusparseXbsrsv2_zeroPivot(handle, info, &position));
  CHECK(position == -1);
  EXPECT(0, cusparseDestroyBsrsv2Info(info));
  EXPECT(0, cusparseXcsrgeam2Nnz(handle, 4, 4, nullptr, 5, nullptr, nullptr, nullptr, 6, nullptr, nullptr,
                                 nullptr, device<int>(5), &nnz, nullptr));
  CHECK(nnz == 11);
  EXPECT(0, cusparseXcsrgeam2Nnz(handle, 2, 4, nullptr, 5, nullptr, nullptr, nullptr, 6, nullptr, nullptr,
                                 nullptr, device<int>(5), &nnz, nullptr));
  CHECK(nnz == 8);
}

// The smaller of the two versions' structs, with something behind it.
struct Opaque {
  alignas(16) char data[512];
  uint64_t guard = 7;
};

void test_structured() {
  Opaque handle, a, b, c, matmul, selection, plan;
  EXPECT(kNotInitialized, cusparseLtDenseDescriptorInit(&handle, &b, 128, 64, 64, 16, kFp16, kByRow));
  EXPECT(0, cusparseLtInit(&handle));
  EXPECT(0, cusparseLtStructuredDescriptorInit(&handle, &a, 128, 128, 128, 16, kFp16, kByRow, 0));
  EXPECT(0, cusparseLtDenseDescriptorInit(&handle, &b, 128, 64, 64, 16, kFp16, kByRow));
  EXPECT(0, cusparseLtDenseDescriptorInit(&handle, &c, 128, 64, 64, 16, kFp16, kByRow));
  EXPECT(kInvalidValue, cusparseLtMatmulDescriptorInit(&handle, &matmul, 0, 0, &b, &b, &c, &c, 2));
  EXPECT(0, cusparseLtMatmulDescriptorInit(&handle, &matmul, 0, 0, &a, &b, &c, &c, 2));
  EXPECT(0, cusparseLtMatmulAlgSelectionInit(&handle, &selection, &matmul, 0));
  int id = 2, max = 0;
  EXPECT(0, cusparseLtMatmulAlgSetAttribute(&handle, &selection, 0, &id, sizeof id));
  EXPECT(0, cusparseLtMatmulAlgGetAttribute(&handle, &selection, 1, &max, sizeof max));
  CHECK(max > 0);
  EXPECT(0, cusparseLtMatmulPlanInit(&handle, &plan, &matmul, &selection));
  size_t compressed = 0, buffer = 0;
  EXPECT(0, cusparseLtSpMMACompressedSize2(&handle, &a, &compressed, &buffer));
  CHECK(compressed == 128 * 128 * 2 * 9 / 16);
  void* data = device<char>(1 << 16);
  EXPECT(0, cusparseLtSpMMACompress2(&handle, &a, 1, 0, data, data, data, nullptr));
  EXPECT(0, cusparseLtMatmul(&handle, &plan, &one, data, data, &zero, data, data, nullptr, nullptr, 0));
  EXPECT(0, cusparseLtMatmulPlanDestroy(&plan));
  EXPECT(kInvalidValue,
         cusparseLtMatmul(&handle, &plan, &one, data, data, &zero, data, data, nullptr, nullptr, 0));
  for (const Opaque* object : {&handle, &a, &b, &c, &matmul, &selection, &plan}) CHECK(object->guard == 7);
}

}  // namespace

int main() {
  void* handle = nullptr;
  EXPECT(0, cusparseCreate(&handle));
  test_objects();
  test_products(handle);
  test_sparse_times_sparse(handle);
  test_legacy(handle);
  test_structured();
  EXPECT(0, cusparseDestroy(handle));
  EXPECT(kNotInitialized, cusparseDestroy(handle));
}
