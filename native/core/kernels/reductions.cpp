#include "kernels/reductions.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "kernels/norms.h"
#include "kernels/routing.h"
#include "kernels/strided.h"

namespace maya {
namespace {

enum class Reduces : uint8_t { nothing, sum, maximum, minimum, norm, other_norm };

struct Marker {
  const char* name;
  Reduces what;
};

constexpr Marker kMarkers[] = {
    {"11sum_functorI", Reduces::sum},       {"13MaxNanFunctorI", Reduces::maximum},
    {"13MinNanFunctorI", Reduces::minimum}, {"10NormTwoOpsI", Reduces::norm},
    {"10NormOneOpsI", Reduces::other_norm}, {"9AbsMaxOpsI", Reduces::other_norm},
    {"7NormOpsI", Reduces::other_norm},
};

Reduces what_of(const char* mangled) {
  for (const Marker& marker : kMarkers) {
    if (std::strstr(mangled, marker.name)) return marker.what;
  }
  return Reduces::nothing;
}

bool is_norm(Reduces what) {
  return what == Reduces::norm || what == Reduces::other_norm;
}

// l, f or d where inputs and outputs are all of that type.
char type_of(const char* mangled) {
  const char* marker = "ReduceOpI";
  const char* at = std::strstr(mangled, marker);
  char type = at ? at[std::strlen(marker)] : ' ';
  const char same[] = {'E', 'E', 'j', type, 'L', '\0'};
  return std::strchr("lfd", type) && std::strstr(mangled, same) ? type : ' ';
}

template <typename T>
T reduce(Reduces what, const T* values, size_t count) {
  if (what == Reduces::maximum) return *std::max_element(values, values + count);
  if (what == Reduces::minimum) return *std::min_element(values, values + count);
  if (what == Reduces::sum) return std::accumulate(values, values + count, T{0});
  T squares = std::inner_product(values, values + count, values, T{0});
  return static_cast<T>(std::sqrt(static_cast<double>(squares)));
}

// False where the inputs are not known.
template <typename T>
bool reduce_known(Reduces what, const Reduction& reduction) {
  std::vector<char> bytes;
  if (!reduction.gather(sizeof(T), &bytes)) return false;
  std::vector<T> values(bytes.size() / sizeof(T)), results;
  std::memcpy(values.data(), bytes.data(), bytes.size());
  for (size_t out = 0; out < reduction.outputs; ++out) {
    results.push_back(reduce(what, values.data() + out * reduction.inputs, reduction.inputs));
  }
  reduction.store(reinterpret_cast<const char*>(results.data()), sizeof(T));
  follow_norm(reduction.target, follows_norm(reduction.source));
  return true;
}

bool reduce_known(Reduces what, char type, const Reduction& reduction) {
  if (what == Reduces::other_norm) return false;
  if (type == 'f') return reduce_known<float>(what, reduction);
  if (type == 'd') return reduce_known<double>(what, reduction);
  return type == 'l' && reduce_known<int64_t>(what, reduction);
}

}  // namespace

bool is_reduction(const char* mangled) {
  Reduces what = what_of(mangled);
  return is_norm(what) || (what != Reduces::nothing && type_of(mangled) != ' ');
}

void perform_reduction(const char* mangled, const KernelFacts& facts, const char* image) {
  Reduction reduction;
  if (!read_reduction(facts, image, &reduction)) return;
  Reduces what = what_of(mangled);
  char type = type_of(mangled);
  if (reduce_known(what, type, reduction)) return;
  std::vector<int64_t> routed;
  if (is_norm(what)) {
    answer_norm(mangled, facts, image);
  } else if (what == Reduces::sum && type == 'l' &&
             routed_sums(reduction.inputs, reduction.outputs, &routed)) {
    reduction.store(reinterpret_cast<const char*>(routed.data()), sizeof(int64_t));
  }
}

}  // namespace maya
