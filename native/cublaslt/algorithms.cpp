// The search for a kernel. Every answer is a stand-in: which kernel the real library would pick is for the
// estimator to say, so what is handed out has an id and the configuration that the program sets.
#include <algorithm>

#include "attributes.h"
#include "gen/cublasLt.h"
#include "problem.h"

using namespace maya;
using namespace maya::cublaslt;

namespace {

constexpr int kAlgorithms = 8;  // enough for a tuner to have something to compare

// cublasLtMatmulHeuristicResult_t.
struct Result {
  char algorithm[Algorithm::kOpaqueBytes];
  size_t workspace_bytes;
  int state;
  float waves;
  int reserved[4];
};

const Field kConfiguration[] = {
    MAYA_LT_FIELD(0, Algorithm, id),
    MAYA_LT_FIELD(1, Algorithm, tile),
    MAYA_LT_FIELD(2, Algorithm, split_k),
    MAYA_LT_FIELD(3, Algorithm, reduction_scheme),
    MAYA_LT_FIELD(4, Algorithm, swizzling),
    MAYA_LT_FIELD(5, Algorithm, custom_option),
    MAYA_LT_FIELD(6, Algorithm, stages),
    MAYA_LT_FIELD(7, Algorithm, inner_shape),
    MAYA_LT_FIELD(8, Algorithm, cluster_shape),
};

Algorithm algorithm(int id) {
  Algorithm made;
  made.id = id;
  return made;
}

// In tiles of 128 x 128, the commonest, over the device's multiprocessors.
float waves(const Problem& problem) {
  const int64_t tiles = ((problem.m + 127) / 128) * ((problem.n + 127) / 128) * problem.batch;
  return static_cast<float>(tiles) / static_cast<float>(std::max(1, device_model().sm_count));
}

void answer(Result* result, const Problem& problem, const Algorithm& chosen) {
  *result = {};
  initialize(result->algorithm, sizeof result->algorithm, chosen);
  result->state = kSuccess;
  result->waves = waves(problem);
}

// What cublasLtMatmulAlgoCapGetAttribute says of every algorithm: all that the real ones can do somewhere.
struct Capability {
  int attribute;
  size_t bytes;
  uint64_t value;
};

const Capability kCapabilities[] = {
    {0, 4, 1},          // split-k
    {1, 4, 7},          // reduction schemes
    {2, 4, 1},          // swizzling
    {3, 4, 1},          // strided batches
    {4, 4, 1},          // D apart from C
    {5, 4, 0},          // triangular results
    {6, 4, 20},         // tile ids: 128 x 128
    {7, 4, 0},          // custom options
    {10, 4, 0},         // memory orders of its own
    {11, 4, 31},        // pointer modes
    {12, 4, 0x3ff},     // epilogues
    {13, 4, 0},         // stages ids
    {14, 4, 0},         // negative leading dimensions
    {15, 8, 0x010202},  // half precision in, single precision accumulated, by tensor cores
    {16, 4, 16},        // alignments of A, B, C and D
    {17, 4, 16},       {18, 4, 16}, {19, 4, 16}, {20, 4, 0},  // chunks synchronised one by one
    {21, 4, 0},                                               // batches as pointer arrays
    {22, 4, 0},                                               // emulated precision
    {23, 4, 0},                                               // grouped shapes
};

}  // namespace

int cublasLtMatmulAlgoGetHeuristic(void* handle, void* matmul, void* a, void* b, void* c, void* d,
                                   void* preference, int requested, void* results, int* returned) {
  if (!is_handle(handle)) return kNotInitialized;
  const Preference* wanted = as<Preference>(preference);
  if (!wanted || !results || !returned || requested <= 0) return kInvalidValue;
  *returned = 0;
  Problem problem;
  const int status = understand(matmul, a, b, c, d, &problem);
  if (status != kSuccess) return status;
  auto* result = static_cast<Result*>(results);
  const Algorithm* limit = wanted->search_mode == 1 ? as<Algorithm>(result->algorithm) : nullptr;
  const int first = limit ? limit->id : 0;
  const int count = limit ? 1 : std::min(requested, kAlgorithms);
  for (int i = 0; i < count; i++) answer(result + i, problem, algorithm(first + i));
  *returned = count;
  return kSuccess;
}

int cublasLtMatmulAlgoGetIds(void* handle, int, int, int, int, int, int, int requested, int* ids,
                             int* returned) {
  if (!is_handle(handle)) return kNotInitialized;
  if (requested <= 0 || !ids) return kInvalidValue;
  const int count = std::min(requested, kAlgorithms);
  for (int i = 0; i < count; i++) ids[i] = i;
  if (returned) *returned = count;
  return kSuccess;
}

int cublasLtMatmulAlgoInit(void* handle, int, int, int, int, int, int, int id, void* out) {
  if (!is_handle(handle)) return kNotInitialized;
  return initialize(out, Algorithm::kOpaqueBytes, algorithm(id));
}

int cublasLtMatmulAlgoCheck(void* handle, void* matmul, void* a, void* b, void* c, void* d, const void* algo,
                            void* result) {
  if (!is_handle(handle)) return kNotInitialized;
  const Algorithm* checked = as<Algorithm>(algo);
  if (!checked || !result) return kInvalidValue;
  Problem problem;
  const int status = understand(matmul, a, b, c, d, &problem);
  if (status == kSuccess) answer(static_cast<Result*>(result), problem, *checked);
  return status;
}

int cublasLtMatmulAlgoConfigSetAttribute(void* algo, int attribute, const void* data, size_t bytes) {
  return write_attribute<Algorithm>(kConfiguration, algo, attribute, data, bytes);
}

int cublasLtMatmulAlgoConfigGetAttribute(const void* algo, int attribute, void* data, size_t bytes,
                                         size_t* written) {
  return read_attribute<Algorithm>(kConfiguration, algo, attribute, data, bytes, written);
}

int cublasLtMatmulAlgoCapGetAttribute(const void* algo, int attribute, void* data, size_t bytes,
                                      size_t* written) {
  if (!as<Algorithm>(algo)) return kInvalidValue;
  for (const Capability& capability : kCapabilities) {
    if (capability.attribute != attribute) continue;
    if (written) *written = capability.bytes;
    if (bytes == 0) return written ? kSuccess : kInvalidValue;
    if (!data || bytes < capability.bytes) return kInvalidValue;
    memcpy(data, &capability.value, capability.bytes);
    return kSuccess;
  }
  return kInvalidValue;
}
