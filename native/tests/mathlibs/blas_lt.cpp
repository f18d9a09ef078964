// cuBLASLt: descriptors on the heap and on the stack, the search for algorithms, products right and wrong.
#include "cublasLt.h"

#include <cstdint>
#include <cstring>

#include "check.h"
#include "cublas.h"

namespace {

constexpr int kNotInitialized = 1, kInvalidValue = 7, kNotSupported = 15;
constexpr int kFp32 = 0, kBf16 = 14, kE4m3 = 28, kCompute32F = 68;
constexpr int kTransA = 3, kEpilogue = 7, kBiasPointer = 8, kFastAccum = 25, kBatchCount = 5,
              kBatchStride = 6;
constexpr int kMaxWorkspace = 1, kSplitK = 2;

// cublasLtMatmulHeuristicResult_t.
struct Result {
  uint64_t algo[8];
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
};

struct Problem {
  void *matmul, *a, *b, *c, *d, *preference;
};

template <typename T>
void set(int (*setter)(void*, int, const void*, size_t), void* object, int attribute, T value) {
  EXPECT(0, setter(object, attribute, &value, sizeof value));
}

Problem make_problem(int type, int result_type, int transa, int64_t m, int64_t n, int64_t k) {
  Problem problem{};
  EXPECT(0, cublasLtMatmulDescCreate(&problem.matmul, kCompute32F, kFp32));
  set(cublasLtMatmulDescSetAttribute, problem.matmul, kTransA, transa);
  EXPECT(0, cublasLtMatrixLayoutCreate(&problem.a, type, transa ? k : m, transa ? m : k, transa ? k : m));
  EXPECT(0, cublasLtMatrixLayoutCreate(&problem.b, type, k, n, k));
  EXPECT(0, cublasLtMatrixLayoutCreate(&problem.c, result_type, m, n, m));
  EXPECT(0, cublasLtMatrixLayoutCreate(&problem.d, result_type, m, n, m));
  EXPECT(0, cublasLtMatmulPreferenceCreate(&problem.preference));
  set(cublasLtMatmulPreferenceSetAttribute, problem.preference, kMaxWorkspace, uint64_t{1} << 20);
  return problem;
}

void destroy(const Problem& problem) {
  for (void* layout : {problem.a, problem.b, problem.c, problem.d})
    EXPECT(0, cublasLtMatrixLayoutDestroy(layout));
  EXPECT(0, cublasLtMatmulDescDestroy(problem.matmul));
  EXPECT(0, cublasLtMatmulPreferenceDestroy(problem.preference));
}

int search(void* handle, const Problem& problem, Result* results, int wanted, int* found) {
  return cublasLtMatmulAlgoGetHeuristic(handle, problem.matmul, problem.a, problem.b, problem.c, problem.d,
                                        problem.preference, wanted, results, found);
}

int multiply(void* handle, const Problem& problem, const void* algo) {
  static float *buffer = device<float>(1 << 16), alpha = 1, beta = 0;
  return cublasLtMatmul(handle, problem.matmul, &alpha, buffer, problem.a, buffer, problem.b, &beta, buffer,
                        problem.c, buffer, problem.d, algo, buffer, 4096, nullptr);
}

void test_attributes() {
  void* layout = nullptr;
  EXPECT(0, cublasLtMatrixLayoutCreate(&layout, kBf16, 10, 20, 16));
  uint64_t rows = 0;
  size_t written = 0;
  EXPECT(0, cublasLtMatrixLayoutGetAttribute(layout, 2, &rows, sizeof rows, &written));
  CHECK(rows == 10 && written == 8);
  EXPECT(0, cublasLtMatrixLayoutGetAttribute(layout, kBatchCount, nullptr, 0, &written));
  CHECK(written == 4);
  EXPECT(kInvalidValue, cublasLtMatrixLayoutSetAttribute(layout, kBatchCount, &rows, sizeof rows));
  EXPECT(kInvalidValue, cublasLtMatrixLayoutSetAttribute(layout, 99, &rows, sizeof rows));
  EXPECT(kInvalidValue, cublasLtMatmulDescSetAttribute(layout, kEpilogue, &written, 4));
  EXPECT(0, cublasLtMatrixLayoutDestroy(layout));
}

// The Init functions write into the caller's own memory, and nothing behind it.
void test_descriptors_on_the_stack() {
  struct {
    uint64_t data[32];
    uint64_t guard = 7;
  } matmul;
  EXPECT(0, cublasLtMatmulDescInit_internal(&matmul, sizeof matmul.data, kCompute32F, kFp32));
  CHECK(matmul.guard == 7);
  int type = 0;
  EXPECT(0, cublasLtMatmulDescGetAttribute(&matmul, 0, &type, sizeof type, nullptr));
  CHECK(type == kCompute32F);
  auto copy = matmul;  // plain structs may be copied
  const unsigned epilogue = 32;
  EXPECT(0, cublasLtMatmulDescSetAttribute(&copy, kEpilogue, &epilogue, sizeof epilogue));
  unsigned read = 0;
  EXPECT(0, cublasLtMatmulDescGetAttribute(&matmul, kEpilogue, &read, sizeof read, nullptr));
  CHECK(read == 1);
  EXPECT(kInvalidValue, cublasLtMatmulDescInit_internal(&matmul, 16, kCompute32F, kFp32));
}

void test_search(void* handle) {
  Problem problem = make_problem(kBf16, kBf16, 0, 64, 32, 16);
  Result results[16] = {};
  int found = -1;
  EXPECT(0, search(handle, problem, results, 3, &found));
  CHECK(found == 3 && results[0].state == 0 && results[0].workspace <= 1 << 20);
  CHECK(std::memcmp(results[0].algo, results[1].algo, sizeof results[0].algo) != 0);
  EXPECT(kInvalidValue, search(handle, problem, results, 0, &found));
  EXPECT(kNotInitialized, search(nullptr, problem, results, 1, &found));
  uint32_t split = 4;
  EXPECT(0, cublasLtMatmulAlgoConfigSetAttribute(results[0].algo, kSplitK, &split, sizeof split));
  EXPECT(0, cublasLtMatmulAlgoCheck(handle, problem.matmul, problem.a, problem.b, problem.c, problem.d,
                                    results[0].algo, &results[5]));
  EXPECT(0, multiply(handle, problem, results[5].algo));
  int ids[4] = {};
  EXPECT(0, cublasLtMatmulAlgoGetIds(handle, kCompute32F, kFp32, kBf16, kBf16, kBf16, kBf16, 4, ids, &found));
  CHECK(found == 4);
  EXPECT(0, cublasLtMatmulAlgoInit(handle, kCompute32F, kFp32, kBf16, kBf16, kBf16, kBf16, ids[1],
                                   results[0].algo));
  uint64_t flags = 0;
  EXPECT(0, cublasLtMatmulAlgoCapGetAttribute(results[0].algo, 15, &flags, sizeof flags, nullptr));
  CHECK(flags != 0);
  destroy(problem);
}

void test_wrong_products(void* handle) {
  Problem problem = make_problem(kBf16, kBf16, 0, 64, 32, 16);
  Problem other = make_problem(kBf16, kBf16, 0, 64, 48, 16);
  std::swap(problem.d, other.d);
  EXPECT(kInvalidValue, multiply(handle, problem, nullptr));
  std::swap(problem.d, other.d);
  EXPECT(kNotInitialized, multiply(&problem, problem, nullptr));
  destroy(problem);
  destroy(other);
  Problem untransposed = make_problem(kE4m3, kBf16, 0, 64, 32, 16);
  Result result;
  int found = -1;
  EXPECT(kNotSupported, search(handle, untransposed, &result, 1, &found));
  CHECK(found == 0);
  destroy(untransposed);
}

void test_products(void* handle) {
  Problem batched = make_problem(kBf16, kBf16, 0, 64, 32, 16);
  for (void* layout : {batched.a, batched.b, batched.c, batched.d}) {
    set(cublasLtMatrixLayoutSetAttribute, layout, kBatchCount, 3);
    set(cublasLtMatrixLayoutSetAttribute, layout, kBatchStride, int64_t{4096});
  }
  EXPECT(0, multiply(handle, batched, nullptr));
  destroy(batched);
  Problem fp8 = make_problem(kE4m3, kBf16, 1, 64, 32, 16);
  set(cublasLtMatmulDescSetAttribute, fp8.matmul, kEpilogue, 36u);  // gelu(D + bias)
  set(cublasLtMatmulDescSetAttribute, fp8.matmul, kBiasPointer, static_cast<void*>(device<float>(64)));
  set(cublasLtMatmulDescSetAttribute, fp8.matmul, kFastAccum, int8_t{1});
  EXPECT(0, multiply(handle, fp8, nullptr));
  destroy(fp8);
}

}  // namespace

int main() {
  void* handle = nullptr;
  EXPECT(0, cublasLtCreate(&handle));
  test_attributes();
  test_descriptors_on_the_stack();
  test_search(handle);
  test_wrong_products(handle);
  test_products(handle);
  EXPECT(0, cublasLtDestroy(handle));
  EXPECT(kNotInitialized, cublasLtDestroy(handle));
  void* cublas = nullptr;  // serves as well
  EXPECT(0, cublasCreate_v2(&cublas));
  Problem problem = make_problem(kBf16, kBf16, 0, 8, 8, 8);
  EXPECT(0, multiply(cublas, problem, nullptr));
  destroy(problem);
}
