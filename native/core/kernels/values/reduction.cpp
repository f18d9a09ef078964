#include "kernels/values/reduction.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/norms.h"
#include "kernels/read.h"
#include "kernels/values/functor.h"
#include "maya/memory.h"
#include "maya/runtime.h"

namespace maya {
namespace {

constexpr size_t kMostElements = 65536;
constexpr size_t kMostAssumed = 16;       // results: the host decides by single numbers
constexpr size_t kMostConditions = 1024;  // or chooses rows by them

struct Marker {
  std::string_view name;
  Reduces what;
};

constexpr Marker kMarkers[] = {
    {"and_kernel_cuda(", Reduces::all},
    {"or_kernel_cuda(", Reduces::any},
    {"sum_functor<", Reduces::sum},
    {"ReductionAddOp<", Reduces::sum},
    {"prod_functor<", Reduces::product},
    {"ReductionMulOp<", Reduces::product},
    {"MeanOps<", Reduces::mean},
    {"MaxNanFunctor<", Reduces::maximum},
    {"MinNanFunctor<", Reduces::minimum},
    {"ArgMaxOps<", Reduces::place_of_maximum},
    {"ArgMinOps<", Reduces::place_of_minimum},
    {"AbsMaxOps<", Reduces::norm_most},
    {"AbsMinOps<", Reduces::least_absolute},
    {"NormTwoOps<", Reduces::norm_two},
    {"NormOneOps<", Reduces::norm_one},
    {"NormZeroOps<", Reduces::count_nonzero},
    {"NormOps<", Reduces::norm_other},
    {"MaxOps<", Reduces::maximum_with_place},
    {"MinOps<", Reduces::minimum_with_place},
};

Reduces what_of(std::string_view functor) {
  for (std::string_view other : {"xor_sum_functor", "MinMaxOps<"}) {
    if (functor.find(other) != std::string_view::npos) return Reduces::nothing;
  }
  for (const Marker& marker : kMarkers) {
    if (functor.find(marker.name) != std::string_view::npos) return marker.what;
  }
  return Reduces::nothing;
}

// func_wrapper_t<result, F> accumulates in the first operand's type of F: "...{lambda(int, int)#1}" or
// "MaxNanFunctor<int>". All other functors accumulate in 4 bytes or more.
bool is_narrow(std::string_view functor) {
  if (functor.find("func_wrapper_t<") == std::string_view::npos) return false;
  constexpr std::string_view kLambda = "{lambda(";
  size_t lambda = functor.rfind(kLambda);
  size_t open = lambda == std::string_view::npos ? functor.rfind('<') + 1 : lambda + kLambda.size();
  size_t width = width_of(element_named(functor.substr(open, functor.find_first_of(",)>", open) - open)));
  return width == 1 || width == 2;
}

bool read_tables(const char* config, ReductionLaunch* launch) {
  constexpr const layouts::ReduceConfigLayout& layout = layouts::kReduceConfigLayouts[0];
  constexpr size_t kConfig = layout.bytes;
  auto number = [config](const layouts::Field& field) { return read<int32_t>(config + field.at); };
  int32_t element = number(layout.element_size_bytes), inputs = number(layout.num_inputs);
  int32_t outputs = number(layout.num_outputs);
  bool width = element == 1 || element == 2 || element == 4 || element == 8 || element == 16;
  if (!width || inputs <= 0 || outputs <= 0) return false;
  launch->inputs = static_cast<size_t>(inputs);
  launch->outputs = static_cast<size_t>(outputs);
  launch->within = Offsets::read(config + kConfig, 1);
  launch->across = Offsets::read(config + kConfig + Offsets::bytes_of(1), 2);
  return launch->within.plausible() && launch->across.plausible();
}

// A running result: of numbers of one domain, with the place of the one that decided.
class Fold {
 public:
  Fold(Reduces what, bool real, double power) : what_(what), real_(real), power_(power) {}

  void take(Number number, size_t place) {
    double value = real_ ? number.real : static_cast<double>(number.integer);
    switch (what_) {
      case Reduces::all:
        settled_ |= value == 0;
        break;
      case Reduces::any:
        settled_ |= value != 0;
        break;
      case Reduces::sum:
      case Reduces::mean:
        add(number, value);
        break;
      case Reduces::product:
        multiply(number, value);
        break;
      case Reduces::norm_one:
      case Reduces::norm_two:
      case Reduces::norm_other:
      case Reduces::count_nonzero:
        total_.real += term(value);
        break;
      case Reduces::norm_most:
      case Reduces::least_absolute:
        prefer({0, std::fabs(value)}, place);
        break;
      default:
        prefer(number, place);
    }
    ++count_;
  }

  // What an unknown element leaves open; `all` and `any` may be decided all the same.
  void miss() { missed_ = true; }

  bool known() const {
    bool logical = what_ == Reduces::all || what_ == Reduces::any;
    return !missed_ || (logical && settled_);
  }

  Number value(double factor) const {
    if (what_ == Reduces::all || what_ == Reduces::any) {
      bool truth = (what_ == Reduces::any) == settled_;
      return {truth, truth ? 1.0 : 0.0};
    }
    if (what_ == Reduces::mean) return {0, total_.real * factor};
    if (what_ == Reduces::norm_two) return {0, std::sqrt(total_.real)};
    if (what_ == Reduces::norm_other) return {0, std::pow(total_.real, 1 / power_)};
    return total_;
  }
  size_t place() const { return place_; }

 private:
  // Integers wrap as the device's do.
  void add(Number number, double value) {
    total_.real += value;
    total_.integer =
        static_cast<int64_t>(static_cast<uint64_t>(total_.integer) + static_cast<uint64_t>(number.integer));
  }

  void multiply(Number number, double value) {
    total_.real = count_ ? total_.real * value : value;
    total_.integer = count_ ? static_cast<int64_t>(static_cast<uint64_t>(total_.integer) *
                                                   static_cast<uint64_t>(number.integer))
                            : number.integer;
  }

  // What an element adds to a norm.
  double term(double value) const {
    if (what_ == Reduces::norm_two) return value * value;
    if (what_ == Reduces::count_nonzero) return value != 0;
    double size = std::fabs(value);
    return what_ == Reduces::norm_one ? size : std::pow(size, power_);
  }

  void prefer(Number number, size_t place) {
    bool least = what_ == Reduces::minimum || what_ == Reduces::minimum_with_place ||
                 what_ == Reduces::place_of_minimum || what_ == Reduces::least_absolute;
    bool nan = real_ && std::isnan(total_.real);
    bool better = real_ ? (least ? number.real < total_.real : number.real > total_.real)
                        : (least ? number.integer < total_.integer : number.integer > total_.integer);
    bool becomes_nan = real_ && std::isnan(number.real) && !nan;
    if (count_ && !becomes_nan && (nan || !better)) return;
    total_ = number;
    place_ = place;
  }

  Reduces what_;
  bool real_;
  double power_;
  Number total_;
  size_t place_ = 0;
  size_t count_ = 0;
  bool settled_ = false;
  bool missed_ = false;
};

bool gives_place(Reduces what) {
  return what == Reduces::place_of_maximum || what == Reduces::place_of_minimum;
}

bool gives_value_and_place(Reduces what) {
  return what == Reduces::maximum_with_place || what == Reduces::minimum_with_place;
}

// The number that MeanOps and NormOps hold: a factor, a power.
double held_number(const ReductionKernel& kernel, const char* functor) {
  bool holds = kernel.what == Reduces::mean || kernel.what == Reduces::norm_other;
  if (!holds || !is_real(kernel.output)) return 1;
  return kernel.output == Element::f64 ? read<double>(functor) : static_cast<double>(read<float>(functor));
}

// What the host is told of a result that is not known.
bool assume(const ReductionKernel& kernel, const ReductionLaunch& launch, Assumption* assumption) {
  bool sum = kernel.what == Reduces::sum || kernel.what == Reduces::mean;
  size_t most = sum ? kMostAssumed : kMostConditions;
  if (config().unknown_zeros || launch.outputs > most || kernel.output == Element::none) return false;
  bool real = is_real(kernel.output);
  if (kernel.what != Reduces::all && kernel.what != Reduces::any && !sum) return false;
  Number number{kernel.what == Reduces::all, 1};
  assumption->stands_for = kernel.what == Reduces::all ? StandsFor::all : StandsFor::any;
  if (sum) {
    assumption->stands_for = real ? StandsFor::mean : StandsFor::count;
    number.integer = static_cast<int64_t>(std::max<size_t>(1, launch.inputs / 2));
  }
  assumption->real = real;
  assumption->width = static_cast<uint8_t>(width_of(kernel.output));
  store_number(kernel.output, assumption->bytes, number, real ? Element::f64 : Element::i64);
  return true;
}

void reduce_one(const ReductionKernel& kernel, const ReductionLaunch& launch, const MemoryView& view,
                size_t out, Evaluation* evaluation) {
  size_t width = width_of(kernel.input);
  double held = held_number(kernel, launch.functor);
  Fold fold(kernel.what, is_real(kernel.input), held);
  size_t base = launch.across.offset(out, 1);
  for (size_t in = 0; in < launch.inputs; ++in) {
    size_t offset = base + launch.within.offset(in, 0);
    if (view.any && view.knows(offset, width)) {
      fold.take(load_number(kernel.input, view.bytes.data() + offset, kernel.input), in);
    } else {
      fold.miss();
    }
  }
  size_t offset = launch.across.offset(out, 0);
  size_t bytes = width_of(kernel.output);
  MemoryUpdate& result = evaluation->updates[0];
  Assumption assumption;
  if (!fold.known() && assume(kernel, launch, &assumption)) {
    result.assume(offset, assumption);
  } else if (!fold.known()) {
    result.lose(offset, bytes);
  } else if (gives_place(kernel.what)) {
    store_number(kernel.output, result.give(offset, bytes), {static_cast<int64_t>(fold.place()), 0},
                 Element::i64);
  } else {
    bool real = is_real(kernel.input);
    store_number(kernel.output, result.give(offset, bytes), fold.value(held),
                 real ? Element::f64 : Element::i64);
  }
  if (!gives_value_and_place(kernel.what)) return;
  MemoryUpdate& places = evaluation->updates[1];
  size_t at = offset / bytes * sizeof(int64_t);  // both results have one shape
  if (!fold.known()) return places.lose(at, sizeof(int64_t));
  auto place = static_cast<int64_t>(fold.place());
  std::memcpy(places.give(at, sizeof place), &place, sizeof place);
}

void assume_all(const ReductionKernel& kernel, const ReductionLaunch& launch, Evaluation* evaluation) {
  Assumption assumption;
  if (!assume(kernel, launch, &assumption)) return;
  MemoryUpdate update(launch.targets[0], evaluation->lost[0].bytes);
  for (size_t out = 0; out < launch.outputs; ++out) {
    update.assume(launch.across.offset(out, 0), assumption);
  }
  evaluation->updates.push_back(std::move(update));
}

}  // namespace

// reduce_kernel<512, 1, ReduceOp<input, functor, unsigned int, output, 4, 4>>
ReductionKernel reduction_kernel(std::string_view demangled) {
  constexpr std::string_view kOp = "ReduceOp<";
  size_t start = demangled.find(kOp);
  if (start == std::string_view::npos) return {};
  std::vector<std::string_view> types = split_list(demangled.substr(start + kOp.size()));
  if (types.size() < 4 || types[2] != "unsigned int") return {};
  if (is_complex(element_named(types[0])) || is_complex(element_named(types[3]))) return {};
  return {what_of(types[1]), element_named(types[0]), element_named(types[3]), is_narrow(types[1])};
}

// ReduceOp: the functor and the identity; the configuration; the offsets of inputs and of outputs; the tail:
// source, two results, buffers, whether it adds to what is there.
bool read_reduction(const ReductionKernel& kernel, const KernelFacts& facts, const char* image,
                    ReductionLaunch* launch) {
  constexpr const layouts::ReductionLayout& layout = layouts::kReduceOp;
  constexpr size_t kTail = layouts::kReduceSource, kAccumulates = layout.accumulate.at - layout.src.at;
  constexpr size_t kResults = layout.dst.at - layout.src.at;
  constexpr size_t kMiddle = layout.config.element_bytes + Offsets::bytes_of(1) + Offsets::bytes_of(2);
  if (facts.params.size() != 1 || facts.params[0].size < kTail + kMiddle + 2) return false;
  const char* tail = image + facts.params[0].offset + facts.params[0].size - kTail;
  // Functor and identity take 4 bytes where both are narrow, else a multiple of 8; the tail is aligned to 8.
  bool found = read_tables(tail - kMiddle - (kernel.narrow ? 0 : 4), launch);
  launch->functor = image + facts.params[0].offset;
  launch->source = read<uintptr_t>(tail);
  launch->targets[0] = read<uintptr_t>(tail + kResults);
  launch->targets[1] = read<uintptr_t>(tail + kResults + layout.dst.element_bytes);
  return found && !tail[kAccumulates] && is_device_address(launch->source) &&
         is_device_address(launch->targets[0]);
}

Evaluation evaluate_reduction(const ReductionKernel& kernel, const KernelFacts& facts, const char* image) {
  Evaluation evaluation;
  ReductionLaunch launch;
  size_t width = width_of(kernel.output);
  if (!width || !read_reduction(kernel, facts, image, &launch)) return evaluation;
  bool two = gives_value_and_place(kernel.what);
  if (kernel.what == Reduces::nothing || (two && !is_device_address(launch.targets[1]))) return evaluation;
  size_t extent = launch.across.last(0) + width;
  evaluation.bounded = true;
  evaluation.follows_norm = follows_norm(reinterpret_cast<void*>(launch.source));
  evaluation.lost.push_back({launch.targets[0], extent});
  if (two) evaluation.lost.push_back({launch.targets[1], extent / width * sizeof(int64_t)});
  size_t reach = launch.within.last(0) + launch.across.last(1) + width_of(kernel.input);
  bool small = launch.inputs * launch.outputs <= kMostElements && extent <= kLargestView;
  MemoryView view;
  if (small && kernel.input != Element::none) view = view_memory(launch.source, reach);
  if (!view.any) {
    assume_all(kernel, launch, &evaluation);
    return evaluation;
  }
  for (const Lost& lost : evaluation.lost) evaluation.updates.emplace_back(lost.address, lost.bytes);
  evaluation.lost.clear();
  for (size_t out = 0; out < launch.outputs; ++out) reduce_one(kernel, launch, view, out, &evaluation);
  return evaluation;
}

}  // namespace maya
