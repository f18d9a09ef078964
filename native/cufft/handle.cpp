// Life and settings of plans, and what cuFFT says about itself.
#include "gen/cufft.h"
#include "plan.h"

using namespace maya;
using namespace maya::cufft;

namespace {

#if MAYA_CUDA_MAJOR >= 13
constexpr mathlibs::Version kVersion{12, 2, 0};
#else
constexpr mathlibs::Version kVersion{11, 3, 3};
#endif

// Plan, changed and stored back by `change`; kInvalidPlan where there is none.
template <typename Change>
int update(int number, Change change) {
  Handle* found = cufft::find(number);
  if (!found) return kInvalidPlan;
  Plan plan = get<Plan>(*found, kState);
  const int status = change(plan);
  if (status == kSuccess) set(*found, kState, plan);
  return status;
}

void release_work_area(Plan& plan) {
  if (plan.own_work_area) deallocate(plan.own_work_area);
  plan.own_work_area = nullptr;
}

bool is_property(int property) {
  return property == 1 || property == 2;
}

}  // namespace

int cufftCreate(int* number) {
  if (!number) return kInvalidValue;
  if (!usable_in_this_process()) return kSetupFailed;
  ensure_context(current_device());
  Handle* made = create_numbered_handle(Library::cufft, kPlan, number);
  if (!made) return kAllocFailed;
  set(*made, kState, Plan{});
  return kSuccess;
}

int cufftDestroy(int number) {
  const int status = update(number, [](Plan& plan) { return release_work_area(plan), kSuccess; });
  if (status != kSuccess) return status;
  destroy_handle(reinterpret_cast<void*>(static_cast<intptr_t>(number)), Library::cufft);
  return kSuccess;
}

int cufftSetStream(int number, void* stream) {
  Handle* found = cufft::find(number);
  if (!found) return kInvalidPlan;
  found->stream = stream;
  return kSuccess;
}

int cufftSetAutoAllocation(int number, int on) {
  return update(number, [on](Plan& plan) { return plan.auto_allocate = on != 0, kSuccess; });
}

int cufftSetWorkArea(int number, void*) {
  return update(number, [](Plan& plan) { return release_work_area(plan), kSuccess; });
}

int cufftGetSize(int number, size_t* work) {
  Handle* found = cufft::find(number);
  if (!found) return kInvalidPlan;
  if (!work) return kInvalidValue;
  *work = get<Plan>(*found, kState).work_bytes;
  return kSuccess;
}

int cufftXtSetWorkAreaPolicy(int number, int, size_t*) {
  return update(number, [](Plan&) { return kSuccess; });
}

int cufftSetPlanPropertyInt64(int number, int property, long long value) {
  if (!is_property(property)) return kInvalidValue;
  return update(number, [=](Plan& plan) { return plan.property[property] = value, kSuccess; });
}

int cufftGetPlanPropertyInt64(int number, int property, long long* value) {
  if (!is_property(property) || !value) return kInvalidValue;
  return update(number, [=](Plan& plan) { return *value = plan.property[property], kSuccess; });
}

int cufftResetPlanProperty(int number, int property) {
  return cufftSetPlanPropertyInt64(number, property, 0);
}

int cufftGetVersion(int* version) {
  if (!version) return kInvalidValue;
  *version = kVersion.major * 1000 + kVersion.minor * 100 + kVersion.patch;
  return kSuccess;
}

int cufftGetProperty(int type, int* value) {
  return mathlibs::property(type, kVersion, value) ? kSuccess : kInvalidValue;
}
