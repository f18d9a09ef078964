// cuSOLVER: handles, parameters, scratch sizes and factorisations.
#include "cusolver.h"

#include "check.h"

namespace {

constexpr int kNotInitialized = 1, kInvalidValue = 3;
constexpr int kLower = 0, kVectors = 1, kFp32 = 0;
constexpr int kAll = 1001, kByIndex = 1002;

void test_factorisations(void* handle) {
  auto* a = device<float>(1 << 16);
  auto* info = upload<int>({0});
  int words = 0;
  EXPECT(0, cusolverDnSgetrf_bufferSize(handle, 64, 32, a, 64, &words));
  CHECK(words > 0);
  EXPECT(0, cusolverDnSgetrf(handle, 64, 32, a, 64, a, nullptr, info));
  CHECK(download(info, 1)[0] == 0);
  size_t device_bytes = 0, host_bytes = 0;
  EXPECT(0, cusolverDnXpotrf_bufferSize(handle, nullptr, kLower, 64, kFp32, a, 64, kFp32, &device_bytes,
                                        &host_bytes));
  CHECK(device_bytes > 0);
  EXPECT(0, cusolverDnXpotrf(handle, nullptr, kLower, 64, kFp32, a, 64, kFp32, a, device_bytes, nullptr,
                             host_bytes, info));
}

void test_jacobi(void* handle) {
  void* params = nullptr;
  auto* a = device<float>(1 << 16);
  int words = 0, sweeps = 99;
  double residual = 99;
  EXPECT(0, cusolverDnCreateGesvdjInfo(&params));
  EXPECT(0, cusolverDnXgesvdjSetTolerance(params, 1e-6));
  EXPECT(0, cusolverDnXgesvdjSetMaxSweeps(params, 15));
  EXPECT(0,
         cusolverDnSgesvdj_bufferSize(handle, kVectors, 1, 32, 32, a, 32, a, a, 32, a, 32, &words, params));
  CHECK(words > 0);
  EXPECT(0,
         cusolverDnSgesvdj(handle, kVectors, 1, 32, 32, a, 32, a, a, 32, a, 32, a, words, nullptr, params));
  EXPECT(0, cusolverDnXgesvdjGetSweeps(handle, params, &sweeps));
  EXPECT(0, cusolverDnXgesvdjGetResidual(handle, params, &residual));
  CHECK(sweeps == 0 && residual == 0);
  EXPECT(kInvalidValue, cusolverDnXsyevjSetMaxSweeps(params, 15));  // of the other solver
  EXPECT(0, cusolverDnDestroyGesvdjInfo(params));
  EXPECT(kInvalidValue, cusolverDnXgesvdjSetMaxSweeps(params, 15));
}

// How many eigenvalues a range holds is told to the host.
void test_ranges(void* handle) {
  auto* a = device<float>(1 << 16);
  int found = -1;
  EXPECT(0, cusolverDnSsyevdx(handle, kVectors, kByIndex, kLower, 32, a, 32, 0, 0, 3, 7, &found, a, a, 64,
                              nullptr));
  CHECK(found == 5);
  EXPECT(0,
         cusolverDnSsyevdx(handle, kVectors, kAll, kLower, 32, a, 32, 0, 0, 0, 0, &found, a, a, 64, nullptr));
  CHECK(found == 32);
}

}  // namespace

int main() {
  void* handle = nullptr;
  void* stream = nullptr;
  void* read = nullptr;
  EXPECT(0, cusolverDnCreate(&handle));
  CHECK(cudaStreamCreate(&stream) == 0);
  EXPECT(0, cusolverDnSetStream(handle, stream));
  EXPECT(0, cusolverDnGetStream(handle, &read));
  CHECK(read == stream);
  test_factorisations(handle);
  test_jacobi(handle);
  test_ranges(handle);
  EXPECT(0, cusolverDnDestroy(handle));
  EXPECT(kNotInitialized, cusolverDnDestroy(handle));
  EXPECT(kNotInitialized, cusolverDnSpotrf(handle, kLower, 8, nullptr, 8, nullptr, 0, nullptr));
}
