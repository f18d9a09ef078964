// Making plans, and asking for their scratch sizes: fourteen entry points, one description.
#include "gen/cufft.h"
#include "plan.h"

using namespace maya;
using namespace maya::cufft;

namespace {

template <typename Int>
struct Many {
  int rank;
  const Int* n;
  const Int* inembed;
  int64_t istride, idist;
  const Int* onembed;
  int64_t ostride, odist;
  int64_t batch;
};

template <typename Int>
int describe(const Many<Int>& many, Plan* plan) {
  if (!many.n || many.rank < 1 || many.rank > kMaxRank) return kInvalidValue;
  plan->rank = many.rank;
  for (int i = 0; i < many.rank; i++) plan->n[i] = many.n[i];
  plan->batch = many.batch;
  if (many.inembed) {  // without embedding the strides are ignored
    plan->istride = many.istride;
    plan->idist = many.idist;
  }
  if (many.onembed) {
    plan->ostride = many.ostride;
    plan->odist = many.odist;
  }
  return valid(*plan) ? kSuccess : kInvalidSize;
}

int simple(int rank, int nx, int ny, int nz, int transform, int batch, Plan* plan) {
  if (!set_types(plan, transform)) return kInvalidType;
  const int n[] = {nx, ny, nz};
  return describe(Many<int>{rank, n, nullptr, 0, 0, nullptr, 0, 0, batch}, plan);
}

template <typename Int>
int many_typed(const Many<Int>& many, int transform, Plan* plan) {
  return set_types(plan, transform) ? describe(many, plan) : kInvalidType;
}

int report(const Plan& plan, size_t* work) {
  if (!work) return kInvalidValue;
  *work = work_bytes(plan);
  return kSuccess;
}

// Keeps what cufftCreate and the setters put into the plan, takes the shape from `shape`.
int make(int number, const Plan& shape, size_t* work) {
  Handle* found = cufft::find(number);
  if (!found) return kInvalidPlan;
  const Plan before = get<Plan>(*found, kState);
  if (before.rank) return kInvalidPlan;  // a plan is made once
  Plan plan = shape;
  plan.auto_allocate = before.auto_allocate;
  plan.work_bytes = work_bytes(plan);
  if (plan.auto_allocate) {
    plan.own_work_area = allocate(found->device, plan.work_bytes);
    if (!plan.own_work_area) return kAllocFailed;
  }
  set(*found, kState, plan);
  if (work) *work = plan.work_bytes;
  return kSuccess;
}

int create_and_make(int* number, const Plan& shape) {
  const int status = cufftCreate(number);
  if (status != kSuccess) return status;
  const int made = make(*number, shape, nullptr);
  if (made != kSuccess) cufftDestroy(*number);
  return made;
}

int size_of(int number, const Plan& shape, size_t* work) {
  return cufft::find(number) ? report(shape, work) : kInvalidPlan;
}

}  // namespace

// Every entry point describes its plan first, whatever it then does with it.
#define WITH_PLAN(description, action)   \
  Plan plan;                             \
  const int status = description;        \
  if (status != kSuccess) return status; \
  return action

int cufftPlan1d(int* number, int nx, int type, int batch) {
  WITH_PLAN(simple(1, nx, 1, 1, type, batch, &plan), create_and_make(number, plan));
}

int cufftPlan2d(int* number, int nx, int ny, int type) {
  WITH_PLAN(simple(2, nx, ny, 1, type, 1, &plan), create_and_make(number, plan));
}

int cufftPlan3d(int* number, int nx, int ny, int nz, int type) {
  WITH_PLAN(simple(3, nx, ny, nz, type, 1, &plan), create_and_make(number, plan));
}

int cufftPlanMany(int* number, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                  int ostride, int odist, int type, int batch) {
  WITH_PLAN(many_typed<int>({rank, n, inembed, istride, idist, onembed, ostride, odist, batch}, type, &plan),
            create_and_make(number, plan));
}

int cufftMakePlan1d(int number, int nx, int type, int batch, size_t* work) {
  WITH_PLAN(simple(1, nx, 1, 1, type, batch, &plan), make(number, plan, work));
}

int cufftMakePlan2d(int number, int nx, int ny, int type, size_t* work) {
  WITH_PLAN(simple(2, nx, ny, 1, type, 1, &plan), make(number, plan, work));
}

int cufftMakePlan3d(int number, int nx, int ny, int nz, int type, size_t* work) {
  WITH_PLAN(simple(3, nx, ny, nz, type, 1, &plan), make(number, plan, work));
}

int cufftMakePlanMany(int number, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                      int ostride, int odist, int type, int batch, size_t* work) {
  WITH_PLAN(many_typed<int>({rank, n, inembed, istride, idist, onembed, ostride, odist, batch}, type, &plan),
            make(number, plan, work));
}

int cufftMakePlanMany64(int number, int rank, long long* n, long long* inembed, long long istride,
                        long long idist, long long* onembed, long long ostride, long long odist, int type,
                        long long batch, size_t* work) {
  WITH_PLAN(
      many_typed<long long>({rank, n, inembed, istride, idist, onembed, ostride, odist, batch}, type, &plan),
      make(number, plan, work));
}

int cufftXtMakePlanMany(int number, int rank, long long* n, long long* inembed, long long istride,
                        long long idist, int input_type, long long* onembed, long long ostride,
                        long long odist, int output_type, long long batch, size_t* work, int execution_type) {
  Plan plan;
  plan.input_type = input_type;
  plan.output_type = output_type;
  plan.execution_type = execution_type;
  const int status =
      describe<long long>({rank, n, inembed, istride, idist, onembed, ostride, odist, batch}, &plan);
  return status ? status : make(number, plan, work);
}

int cufftEstimate1d(int nx, int type, int batch, size_t* work) {
  WITH_PLAN(simple(1, nx, 1, 1, type, batch, &plan), report(plan, work));
}

int cufftEstimate2d(int nx, int ny, int type, size_t* work) {
  WITH_PLAN(simple(2, nx, ny, 1, type, 1, &plan), report(plan, work));
}

int cufftEstimate3d(int nx, int ny, int nz, int type, size_t* work) {
  WITH_PLAN(simple(3, nx, ny, nz, type, 1, &plan), report(plan, work));
}

int cufftEstimateMany(int rank, int* n, int* inembed, int istride, int idist, int* onembed, int ostride,
                      int odist, int type, int batch, size_t* work) {
  WITH_PLAN(many_typed<int>({rank, n, inembed, istride, idist, onembed, ostride, odist, batch}, type, &plan),
            report(plan, work));
}

int cufftGetSize1d(int number, int nx, int type, int batch, size_t* work) {
  WITH_PLAN(simple(1, nx, 1, 1, type, batch, &plan), size_of(number, plan, work));
}

int cufftGetSize2d(int number, int nx, int ny, int type, size_t* work) {
  WITH_PLAN(simple(2, nx, ny, 1, type, 1, &plan), size_of(number, plan, work));
}

int cufftGetSize3d(int number, int nx, int ny, int nz, int type, size_t* work) {
  WITH_PLAN(simple(3, nx, ny, nz, type, 1, &plan), size_of(number, plan, work));
}

int cufftGetSizeMany(int number, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                     int ostride, int odist, int type, int batch, size_t* work) {
  WITH_PLAN(many_typed<int>({rank, n, inembed, istride, idist, onembed, ostride, odist, batch}, type, &plan),
            size_of(number, plan, work));
}

int cufftGetSizeMany64(int number, int rank, long long* n, long long* inembed, long long istride,
                       long long idist, long long* onembed, long long ostride, long long odist, int type,
                       long long batch, size_t* work) {
  WITH_PLAN(
      many_typed<long long>({rank, n, inembed, istride, idist, onembed, ostride, odist, batch}, type, &plan),
      size_of(number, plan, work));
}

int cufftXtGetSizeMany(int number, int rank, long long* n, long long* inembed, long long istride,
                       long long idist, int input_type, long long* onembed, long long ostride,
                       long long odist, int output_type, long long batch, size_t* work, int) {
  Plan plan;
  plan.input_type = input_type;
  plan.output_type = output_type;
  const int status =
      describe<long long>({rank, n, inembed, istride, idist, onembed, ostride, odist, batch}, &plan);
  return status ? status : size_of(number, plan, work);
}
