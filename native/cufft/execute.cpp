// Running plans.
#include "gen/cufft.h"
#include "plan.h"

using namespace maya;
using namespace maya::cufft;

namespace {

int execute(Schema& schema, int number, void* input, void* output, int direction, int transform = 0) {
  Call call;
  Handle* found = cufft::find(number);
  if (!found) return kInvalidPlan;
  const Plan plan = get<Plan>(*found, kState);
  if (!plan.rank) return kInvalidPlan;
  if (!input || !output) return kInvalidValue;
  Plan called = plan;
  if (transform && set_types(&called, transform) && called.input_type != plan.input_type)
    return kInvalidValue;
  submit(
      schema,
      {plan.rank, plan.n[0], plan.n[1], plan.n[2], plan.batch, plan.input_type, plan.output_type,
       plan.execution_type, direction, plan.istride, plan.idist, plan.ostride, plan.odist, input == output},
      stream_of(*found));
  forget(output);
  return kSuccess;
}

}  // namespace

#define EXECUTE(name, number, input, output, direction, ...)                                              \
  MAYA_LIBRARY_SCHEMA(schema, #name, "rank", "n0", "n1", "n2", "batch", "input_type", "output_type",      \
                      "execution_type", "direction", "istride", "idist", "ostride", "odist", "in_place"); \
  return execute(schema, number, input, output, direction, ##__VA_ARGS__)

int cufftExecC2C(int plan, void* input, void* output, int direction) {
  EXECUTE(cufftExecC2C, plan, input, output, direction, kC2C);
}

int cufftExecZ2Z(int plan, void* input, void* output, int direction) {
  EXECUTE(cufftExecZ2Z, plan, input, output, direction, kZ2Z);
}

int cufftExecR2C(int plan, float* input, void* output) {
  EXECUTE(cufftExecR2C, plan, input, output, kForward, kR2C);
}

int cufftExecD2Z(int plan, double* input, void* output) {
  EXECUTE(cufftExecD2Z, plan, input, output, kForward, kD2Z);
}

int cufftExecC2R(int plan, void* input, float* output) {
  EXECUTE(cufftExecC2R, plan, input, output, kInverse, kC2R);
}

int cufftExecZ2D(int plan, void* input, double* output) {
  EXECUTE(cufftExecZ2D, plan, input, output, kInverse, kZ2D);
}

int cufftXtExec(int plan, void* input, void* output, int direction) {
  EXECUTE(cufftXtExec, plan, input, output, direction);
}
