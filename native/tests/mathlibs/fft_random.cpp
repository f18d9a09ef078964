// cuFFT plans and cuRAND generators.
#include "check.h"
#include "cufft.h"
#include "curand.h"

namespace {

constexpr int kInvalidPlan = 1, kInvalidType = 3, kInvalidValue = 4, kInvalidSize = 8;
constexpr int kR2C = 0x2a, kC2C = 0x29, kForward = -1;
constexpr int kReal = 0, kComplex = 4;
constexpr int kPhilox = 161, kSobol32 = 201;
constexpr int kNotInitialized = 101, kTypeError = 103, kLengthNotMultiple = 105;

void test_plans() {
  auto* data = device<float>(1 << 16);
  int plan = -1;
  size_t work = 0;
  EXPECT(kInvalidPlan, cufftExecC2C(12345, data, data, kForward));
  EXPECT(0, cufftPlan2d(&plan, 64, 96, kC2C));
  EXPECT(0, cufftExecC2C(plan, data, data, kForward));
  EXPECT(kInvalidValue, cufftExecZ2Z(plan, data, data, kForward));
  EXPECT(0, cufftGetSize(plan, &work));
  CHECK(work > 0);
  EXPECT(0, cufftDestroy(plan));
  EXPECT(kInvalidPlan, cufftDestroy(plan));
  EXPECT(kInvalidType, cufftPlan1d(&plan, 64, 77, 1));
  EXPECT(kInvalidSize, cufftPlan1d(&plan, 0, kR2C, 1));
}

void test_work_areas() {
  size_t before = 0, after = 0, total = 0, work = 0;
  int plan = -1;
  CHECK(cudaMemGetInfo(&before, &total) == 0);
  EXPECT(0, cufftCreate(&plan));
  EXPECT(0, cufftSetAutoAllocation(plan, 0));
  EXPECT(0, cufftMakePlan1d(plan, 1 << 20, kC2C, 4, &work));
  CHECK(cudaMemGetInfo(&after, &total) == 0);
  CHECK(before == after && work >= (4ul << 20) * 8);
  EXPECT(kInvalidPlan, cufftMakePlan1d(plan, 64, kC2C, 1, &work));  // made once
  EXPECT(0, cufftDestroy(plan));
  EXPECT(0, cufftPlan1d(&plan, 1 << 20, kC2C, 4));  // allocates for itself
  CHECK(cudaMemGetInfo(&after, &total) == 0);
  CHECK(before - after >= work);
  EXPECT(0, cufftDestroy(plan));
  CHECK(cudaMemGetInfo(&after, &total) == 0);
  CHECK(before == after);
}

void test_generic_plan() {
  auto* data = device<float>(1 << 16);
  int plan = -1;
  size_t work = 0;
  long long n[] = {8, 16, 32}, embed[] = {8, 16, 34};
  EXPECT(0, cufftCreate(&plan));
  EXPECT(kInvalidPlan, cufftXtExec(plan, data, data, kForward));  // not made yet
  EXPECT(0, cufftXtMakePlanMany(plan, 3, n, embed, 1, 4352, kReal, embed, 1, 2176, kComplex, 5, &work,
                                kComplex));
  EXPECT(0, cufftSetWorkArea(plan, data));
  EXPECT(0, cufftXtExec(plan, data, data + 32768, kForward));
  EXPECT(0, cufftDestroy(plan));
}

void test_generators() {
  void* generator = nullptr;
  auto* data = upload<float>({1, 2, 3, 4});
  EXPECT(kTypeError, curandCreateGenerator(&generator, 7));
  EXPECT(0, curandCreateGenerator(&generator, kPhilox));
  EXPECT(0, curandSetPseudoRandomGeneratorSeed(generator, 5));
  EXPECT(0, curandGenerateUniform(generator, data, 4));
  CHECK(download(data, 4)[3] == 0);
  EXPECT(kLengthNotMultiple, curandGenerateNormal(generator, data, 3, 0, 1));
  EXPECT(0, curandGenerateNormal(generator, data, 4, 0, 1));
  EXPECT(kTypeError, curandSetQuasiRandomGeneratorDimensions(generator, 2));
  EXPECT(0, curandDestroyGenerator(generator));
  EXPECT(kNotInitialized, curandGenerateUniform(generator, data, 4));
  EXPECT(0, curandCreateGenerator(&generator, kSobol32));
  EXPECT(0, curandSetQuasiRandomGeneratorDimensions(generator, 3));
  EXPECT(kLengthNotMultiple, curandGenerateUniform(generator, data, 4));
  EXPECT(0, curandDestroyGenerator(generator));
  float host[2] = {9, 9};
  EXPECT(0, curandCreateGeneratorHost(&generator, kPhilox));
  EXPECT(0, curandGenerateUniform(generator, host, 2));
  CHECK(host[0] == 0 && host[1] == 0);
}

}  // namespace

int main() {
  test_plans();
  test_work_areas();
  test_generic_plan();
  test_generators();
}
