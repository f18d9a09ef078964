// Eigenvalues in a range: the call tells the host how many there are. By index that is known; by value only
// the device would know, and all are taken to be inside.
#include "constants.h"
#include "gen/cusolver.h"

using namespace maya;
using namespace maya::cusolver;

namespace {

constexpr int kByIndex = 1002;
constexpr int kByValue = 1003;

struct Range {
  int kind;
  int64_t first, last;
};

template <typename Int>
int find_eigenvalues(Schema& schema, void* handle, Values problem, int64_t n, Range range, Int* found,
                     void* a, void* w) {
  const int status = record_library_call(schema, Library::cusolver, handle, problem);
  if (status != kSuccess) return status;
  if (!found) return kInvalidValue;
  if (range.kind == kByValue)
    inform("all eigenvalues are taken to lie in the range that a cuSOLVER call asks for");
  *found = static_cast<Int>(range.kind == kByIndex ? range.last - range.first + 1 : n);
  forget(a);
  forget(w);
  return kSuccess;
}

}  // namespace

#define PLAIN(name, Scalar, Real)                                                                           \
  int name(void* handle, int jobz, int range, int uplo, int n, Scalar* a, int lda, Real, Real, int il,      \
           int iu, int* found, Real* w, Scalar*, int, int*) {                                               \
    MAYA_LIBRARY_SCHEMA(schema, #name, "jobz", "range", "uplo", "n", "lda", "il", "iu");                    \
    return find_eigenvalues(schema, handle, {jobz, range, uplo, n, lda, il, iu}, n, {range, il, iu}, found, \
                            a, w);                                                                          \
  }

#define GENERALISED(name, Scalar, Real)                                                                  \
  int name(void* handle, int itype, int jobz, int range, int uplo, int n, Scalar* a, int lda, Scalar*,   \
           int ldb, Real, Real, int il, int iu, int* found, Real* w, Scalar*, int, int*) {               \
    MAYA_LIBRARY_SCHEMA(schema, #name, "itype", "jobz", "range", "uplo", "n", "lda", "ldb", "il", "iu"); \
    return find_eigenvalues(schema, handle, {itype, jobz, range, uplo, n, lda, ldb, il, iu}, n,          \
                            {range, il, iu}, found, a, w);                                               \
  }

PLAIN(cusolverDnSsyevdx, float, float)
PLAIN(cusolverDnDsyevdx, double, double)
PLAIN(cusolverDnCheevdx, void, float)
PLAIN(cusolverDnZheevdx, void, double)
GENERALISED(cusolverDnSsygvdx, float, float)
GENERALISED(cusolverDnDsygvdx, double, double)
GENERALISED(cusolverDnChegvdx, void, float)
GENERALISED(cusolverDnZhegvdx, void, double)

int cusolverDnXsyevdx(void* handle, void*, int jobz, int range, int uplo, int64_t n, int a_type, void* a,
                      int64_t lda, void*, void*, int64_t il, int64_t iu, int64_t* found, int w_type, void* w,
                      int compute_type, void*, size_t, void*, size_t, int*) {
  MAYA_LIBRARY_SCHEMA(schema, "cusolverDnXsyevdx", "jobz", "range", "uplo", "n", "dataTypeA", "lda", "il",
                      "iu", "dataTypeW", "computeType");
  return find_eigenvalues(schema, handle, {jobz, range, uplo, n, a_type, lda, il, iu, w_type, compute_type},
                          n, {range, il, iu}, found, a, w);
}
