// cuBLAS: handles, settings, matrix products right and wrong, results on the host, transfers.
#include "cublas.h"

#include <cmath>
#include <cstring>

#include "check.h"

namespace {

constexpr int kNotInitialized = 1;
constexpr int kInvalidValue = 7;
constexpr int kN = 0, kT = 1;
constexpr int kFp16 = 2, kBf16 = 14, kFp32 = 0, kCompute32F = 68;

float one = 1, zero = 0;

void* make_handle() {
  void* handle = nullptr;
  EXPECT(0, cublasCreate_v2(&handle));
  return handle;
}

void test_handles() {
  EXPECT(kInvalidValue, cublasCreate_v2(nullptr));
  void* handle = make_handle();
  int local = 0;
  EXPECT(kNotInitialized, cublasSetStream_v2(nullptr, nullptr));
  EXPECT(kNotInitialized, cublasSetStream_v2(&local, nullptr));
  EXPECT(0, cublasDestroy_v2(handle));
  EXPECT(kNotInitialized, cublasDestroy_v2(handle));
  EXPECT(kNotInitialized,
         cublasSgemm_v2(handle, kN, kN, 1, 1, 1, &one, nullptr, 1, nullptr, 1, &zero, nullptr, 1));
  EXPECT(kNotInitialized, cublasSscal_v2(handle, 1, &one, nullptr, 1));
}

// A handle holds a workspace of its own, whether the program gives it another or not.
void test_own_workspace() {
  size_t before = 0, with_handle = 0, after = 0, total = 0;
  EXPECT(0, cudaMemGetInfo(&before, &total));
  void* handle = make_handle();
  EXPECT(0, cudaMemGetInfo(&with_handle, &total));
  EXPECT(0, cublasDestroy_v2(handle));
  EXPECT(0, cudaMemGetInfo(&after, &total));
  CHECK(before - with_handle == size_t{32} << 20);
  CHECK(after == before);
}

void test_settings() {
  void* handle = make_handle();
  int value = -1;
  EXPECT(0, cublasGetMathMode(handle, &value));
  CHECK(value == 0);
  EXPECT(0, cublasSetMathMode(handle, 3));
  EXPECT(0, cublasGetMathMode(handle, &value));
  CHECK(value == 3);
  EXPECT(0, cublasSetMathMode(handle, 16));
  EXPECT(kInvalidValue, cublasSetMathMode(handle, 5));
  EXPECT(kInvalidValue, cublasSetPointerMode_v2(handle, 2));
  EXPECT(0, cublasSetPointerMode_v2(handle, 1));
  EXPECT(0, cublasGetPointerMode_v2(handle, &value));
  CHECK(value == 1);
  EXPECT(0, cublasSetAtomicsMode(handle, 1));
  EXPECT(0, cublasGetAtomicsMode(handle, &value));
  CHECK(value == 1);
  EXPECT(0, cublasSetSmCountTarget(handle, 64));
  EXPECT(kInvalidValue, cublasSetSmCountTarget(handle, -1));
  void* stream = nullptr;
  void* read = nullptr;
  CHECK(cudaStreamCreate(&stream) == 0);
  EXPECT(0, cublasSetStream_v2(handle, stream));
  EXPECT(0, cublasGetStream_v2(handle, &read));
  CHECK(read == stream);
  EXPECT(0, cublasGetVersion_v2(handle, &value));
  CHECK(value / 10000 == 12 || value / 10000 == 13);
  EXPECT(kInvalidValue, cublasGetProperty(3, &value));
  EXPECT(0, cublasGetProperty(0, &value));
  CHECK(value == 12 || value == 13);
  CHECK(std::strcmp(cublasGetStatusName(7), "CUBLAS_STATUS_INVALID_VALUE") == 0);
  EXPECT(0, cublasSetWorkspace_v2(handle, device<char>(4096), 4096));
  EXPECT(0, cublasDestroy_v2(handle));
}

int sgemm(void* handle, int transa, int transb, int m, int n, int k, int lda, int ldb, int ldc) {
  static float* a = device<float>(4096);
  return cublasSgemm_v2(handle, transa, transb, m, n, k, &one, a, lda, a, ldb, &zero, a, ldc);
}

void test_wrong_products() {
  void* handle = make_handle();
  EXPECT(kInvalidValue, sgemm(handle, kN, kN, -1, 4, 4, 4, 4, 4));
  EXPECT(kInvalidValue, sgemm(handle, kN, kN, 8, 4, 4, 7, 4, 8));
  EXPECT(0, sgemm(handle, kT, kN, 8, 4, 4, 4, 4, 8));
  EXPECT(kInvalidValue, sgemm(handle, kN, kT, 8, 4, 2, 8, 3, 8));
  EXPECT(kInvalidValue, sgemm(handle, kN, kN, 8, 4, 4, 8, 4, 7));
  EXPECT(kInvalidValue, sgemm(handle, 9, kN, 8, 4, 4, 8, 4, 8));
  EXPECT(0, sgemm(handle, kN, kN, 0, 4, 4, 1, 4, 1));  // nothing to do
  EXPECT(kInvalidValue, cublasSgemm_v2(handle, kN, kN, 1, 1, 1, nullptr, &one, 1, &one, 1, &zero, &one, 1));
  EXPECT(0, cublasDestroy_v2(handle));
}

// One of each form; what they recorded is for the caller of this program to compare.
void test_products() {
  void* handle = make_handle();
  auto* buffer = device<float>(1 << 16);
  void* pointers[] = {buffer, buffer + 512};
  auto* array = upload<void*>({pointers[0], pointers[1]});
  EXPECT(0, cublasSetMathMode(handle, 3));
  EXPECT(0, cublasSgemm_v2(handle, kT, kN, 5, 6, 7, &one, buffer, 7, buffer, 8, &zero, buffer, 9));
  EXPECT(0, cublasSgemm_v2_64(handle, kN, kN, 5, 6, 7, &one, buffer, 5, buffer, 7, &one, buffer, 5));
  EXPECT(0, cublasGemmEx(handle, kN, kT, 16, 32, 64, &one, buffer, kBf16, 16, buffer, kBf16, 32, &zero,
                         buffer, kFp32, 16, kCompute32F, 99));
  EXPECT(0, cublasGemmStridedBatchedEx(handle, kN, kN, 8, 8, 8, &one, buffer, kFp16, 8, 64, buffer, kFp16, 8,
                                       64, &zero, buffer, kFp16, 8, 64, 12, kCompute32F, -1));
  EXPECT(0, cublasGemmBatchedEx(handle, kN, kN, 8, 8, 8, &one, array, kFp16, 8, array, kFp16, 8, &zero, array,
                                kFp16, 8, 2, kCompute32F, -1));
  const uint16_t half_one = 0x3c00;
  EXPECT(0, cublasHgemm(handle, kN, kN, 24, 8, 8, &half_one, buffer, 24, buffer, 8, &half_one, buffer, 24));
  const int operations[] = {kN, kT}, m[] = {4, 8}, n[] = {5, 9}, k[] = {6, 10}, ld[] = {16, 16},
            size[] = {1, 1};
  EXPECT(0, cublasGemmGroupedBatchedEx(handle, operations, operations, m, n, k, &one, array, kFp16, ld, array,
                                       kFp16, ld, &zero, array, kFp16, ld, 2, size, kCompute32F));
  EXPECT(0, cublasDestroy_v2(handle));
}

// What the host had put into C is gone once a product wrote there.
void test_results_are_forgotten() {
  void* handle = make_handle();
  auto* a = upload<float>({1, 2, 3, 4});
  auto* c = upload<float>({5, 6, 7, 8});
  EXPECT(0, cublasSgemm_v2(handle, kN, kN, 2, 2, 2, &one, a, 2, a, 2, &zero, c, 2));
  CHECK((download(c, 4) == std::vector<float>{0, 0, 0, 0}));
  CHECK((download(a, 4) == std::vector<float>{1, 2, 3, 4}));
  EXPECT(0, cublasDestroy_v2(handle));
}

void test_results_on_the_host() {
  void* handle = make_handle();
  auto* x = upload<float>({3, 4});
  float result = 99;
  int index = 99;
  EXPECT(0, cublasSdot_v2(handle, 2, x, 1, x, 1, &result));
  CHECK(result == 0);
  result = 99;
  EXPECT(0, cublasSnrm2_v2(handle, 2, x, 1, &result));
  CHECK(result == 0);
  EXPECT(0, cublasIsamax_v2(handle, 2, x, 1, &index));
  CHECK(index == 1);  // a place in the vector, which counts from one
  EXPECT(kInvalidValue, cublasSdot_v2(handle, 2, x, 1, x, 1, nullptr));
  auto* on_device = upload<float>({42});
  EXPECT(0, cublasSetPointerMode_v2(handle, 1));
  EXPECT(0, cublasSdot_v2(handle, 2, x, 1, x, 1, on_device));
  CHECK(download(on_device, 1)[0] == 0);
  EXPECT(0, cublasSetPointerMode_v2(handle, 0));
  float a = 3, b = 4, c = 0, s = 0;
  EXPECT(0, cublasSrotg_v2(handle, &a, &b, &c, &s));
  CHECK(std::fabs(a - 5) < 1e-6 && std::fabs(c - 0.6) < 1e-6 && std::fabs(s - 0.8) < 1e-6);
  EXPECT(0, cublasDestroy_v2(handle));
}

void test_transfers() {
  const std::vector<float> matrix{1, 2, 3, 4, 5, 6};  // 2 x 3
  auto* at = device<float>(12);
  std::vector<float> back(6);
  EXPECT(0, cublasSetMatrix(2, 3, 4, matrix.data(), 2, at, 4));
  EXPECT(0, cublasGetMatrix(2, 3, 4, at, 4, back.data(), 2));
  CHECK(back == matrix);
  EXPECT(0, cublasSetVector(3, 4, matrix.data(), 2, at, 1));
  EXPECT(0, cublasGetVector(3, 4, at, 1, back.data(), 1));
  CHECK(back[0] == 1 && back[1] == 3 && back[2] == 5);
  EXPECT(kInvalidValue, cublasSetVector(3, 0, matrix.data(), 1, at, 1));
  EXPECT(kInvalidValue, cublasSetMatrix(2, 3, 4, matrix.data(), 1, at, 4));
}

}  // namespace

int main() {
  test_handles();
  test_own_workspace();
  test_settings();
  test_wrong_products();
  test_products();
  test_results_are_forgotten();
  test_results_on_the_host();
  test_transfers();
}
