#include "kernels/values/elementwise.h"

#include <algorithm>
#include <cstring>

#include "kernels/norms.h"
#include "known_values.h"
#include "maya/runtime.h"

namespace maya {
namespace {

constexpr size_t kMostElements = 65536;
constexpr size_t kMostFilledBytes = kLargestView;  // masks of long sequences: a byte each, all alike
constexpr size_t kMostAssumed = 16;                // elements: the host decides by single numbers

struct Arguments {
  Held<int64_t> integers;
  Held<double> reals;
  Number bound;
};

Arguments arguments_of(const ElementwiseKernel& kernel, const char* functor, bool real) {
  Arguments arguments;
  int32_t choice = 0;
  if (std::strchr(kernel.functor.operation->held, 'c')) {
    std::memcpy(&choice, functor + kernel.held.choice, sizeof choice);
  }
  arguments.integers.choice = arguments.reals.choice = choice;
  for (size_t i = 0; i < kernel.held.number_count; ++i) {
    Element type = kernel.held.types[i];
    Number number = load_number(type, functor + kernel.held.numbers[i], real ? Element::f64 : type);
    arguments.integers.numbers[i] = number.integer;
    arguments.reals.numbers[i] = number.real;
  }
  if (kernel.functor.bound != Bound::none) {
    Element type = kernel.functor.bound_type;
    arguments.bound = load_number(type, functor + kernel.held.bound, real ? Element::f64 : type);
  }
  return arguments;
}

// The operands of one element.
struct Cell {
  Number values[kMostOperands];
  bool known[kMostOperands] = {};
};

class Cells {
 public:
  Cells(const ElementwiseKernel& kernel, const ElementwiseLaunch& launch)
      : kernel_(kernel), operation_(*kernel.functor.operation), launch_(launch) {
    for (size_t i = 1; i < launch.operands.size(); ++i) {
      real_ |= is_real(kernel.types[i]);
      views_.push_back(view_memory(launch.operands[i].address, launch.operands[i].extent(launch.offsets, i)));
    }
    if (launch.operands.size() == 1) real_ = is_real(kernel.types[0]);
    arguments_ = arguments_of(kernel, launch.functor, real_);
  }

  bool worthwhile() const {
    if (views_.empty()) return true;
    bool known = std::any_of(views_.begin(), views_.end(), [](auto& view) { return view.any; });
    return known || (launch_.count <= kMostAssumed && (kernel_.limits || any_assumed()));
  }

  void run(MemoryUpdate* update) const {
    size_t width = width_of(launch_.operands[0].stored);
    for (size_t index = 0; index < launch_.count; ++index) {
      Cell cell = cell_at(index);
      size_t offset = launch_.offsets.offset(index, 0);
      Number result;
      if (apply(cell, &result)) {
        store(result, update->give(offset, width));
      } else if (launch_.count > kMostAssumed || !assume(index, cell, offset, update)) {
        update->lose(offset, width);
      }
    }
  }

 private:
  // First as the functor returns it, then as it is stored.
  void store(Number result, char* at) const {
    char returned[16];
    store_number(kernel_.types[0], returned, result, real_ ? Element::f64 : Element::i64);
    Number converted = load_number(kernel_.types[0], returned, kernel_.types[0]);
    store_number(launch_.operands[0].stored, at, converted, kernel_.types[0]);
  }

  // What follows from what is assumed of the operands.
  bool assume(size_t index, Cell cell, size_t offset, MemoryUpdate* update) const {
    Assumption assumption;
    size_t shift = kernel_.functor.bound == Bound::first ? 1 : 0;
    for (size_t i = 1; i < launch_.operands.size(); ++i) {
      size_t at = i - 1 + shift;
      uintptr_t address = launch_.operands[i].address + launch_.offsets.offset(index, i);
      Assumption found;
      if (cell.known[at] || !assumptions().find(address, &found)) continue;
      assumption = found;
      take(load_number(launch_.operands[i].stored, found.bytes, kernel_.types[i]), kernel_.types[i], at,
           &cell);
    }
    Number result;
    if (!assumption.width && kernel_.limits) assumption = take_zeros(&cell);
    if (!assumption.width || !apply(cell, &result)) return false;
    if (is_complex(launch_.operands[0].stored)) return false;
    assumption.width = static_cast<uint8_t>(width_of(launch_.operands[0].stored));
    assumption.real = is_real(launch_.operands[0].stored);
    store(result, assumption.bytes);
    update->assume(offset, assumption);
    return true;
  }

  // What is unknown is read as zero: its limit, exponential or sigmoid as what that gives.
  Assumption take_zeros(Cell* cell) const {
    Assumption zero;
    if (config().unknown_zeros) return zero;
    std::fill_n(cell->known, kMostOperands, true);
    zero.stands_for = StandsFor::limit;
    zero.width = 1;
    return zero;
  }

  // A condition beside numbers counts as one.
  void take(Number number, Element type, size_t at, Cell* cell) const {
    if (real_ && !is_real(type)) number.real = static_cast<double>(number.integer);
    cell->values[at] = number;
    cell->known[at] = true;
  }

  Cell cell_at(size_t index) const {
    Cell cell;
    size_t next = 0;
    if (kernel_.functor.bound == Bound::first) take_bound(&cell, next++);
    for (size_t i = 1; i < launch_.operands.size(); ++i, ++next) {
      const MemoryView& view = views_[i - 1];
      Element stored = launch_.operands[i].stored;
      size_t offset = launch_.offsets.offset(index, i);
      if (!view.any || is_complex(stored) || !view.knows(offset, width_of(stored))) continue;
      take(load_number(stored, view.bytes.data() + offset, kernel_.types[i]), kernel_.types[i], next, &cell);
    }
    if (kernel_.functor.bound == Bound::second) take_bound(&cell, next);
    return cell;
  }

  void take_bound(Cell* cell, size_t at) const {
    cell->values[at] = arguments_.bound;
    cell->known[at] = true;
  }

  bool any_assumed() const {
    for (size_t i = 1; i < launch_.operands.size(); ++i) {
      const Operand& operand = launch_.operands[i];
      if (!assumptions().within(operand.address, operand.extent(launch_.offsets, i)).empty()) return true;
    }
    return false;
  }

  bool is_zero(const Number& number) const { return real_ ? number.real == 0 : number.integer == 0; }

  // Operands that do not matter are taken to be known.
  void settle(Cell* cell) const {
    bool* known = cell->known;
    switch (operation_.decides) {
      case Decides::zero:
      case Decides::nonzero:
        if (real_ && !operation_.gives_boolean) return;  // infinity times zero is not zero
        for (size_t i : {0, 1}) {
          bool zero = is_zero(cell->values[i]);
          if (known[i] && zero == (operation_.decides == Decides::zero)) known[1 - i] = true;
        }
        return;
      case Decides::condition:
        if (known[0]) known[is_zero(cell->values[0]) ? 1 : 2] = true;
        return;
      case Decides::mask:
        if (known[1] && !is_zero(cell->values[1])) known[0] = true;
        return;
      default:
        return;
    }
  }

  bool apply(Cell cell, Number* result) const {
    settle(&cell);
    for (size_t i = 0; i < operation_.operands; ++i) {
      if (!cell.known[i]) return false;
    }
    if (real_) {
      double in[kMostOperands];
      for (size_t i = 0; i < kMostOperands; ++i) in[i] = cell.values[i].real;
      result->real = operation_.on_reals(in, arguments_.reals);
      return true;
    }
    if (operation_.divides && operation_.operands > 1 && cell.values[1].integer == 0) return false;
    int64_t in[kMostOperands];
    for (size_t i = 0; i < kMostOperands; ++i) in[i] = cell.values[i].integer;
    result->integer = operation_.on_integers(in, arguments_.integers);
    return true;
  }

  const ElementwiseKernel& kernel_;
  const Operation& operation_;
  const ElementwiseLaunch& launch_;
  FixedList<MemoryView, kMostOperands> views_;
  Arguments arguments_;
  bool real_ = false;
};

// Every element of the result, which may lie between others that are known.
MemoryUpdate losing_each(const ElementwiseLaunch& launch, size_t extent) {
  MemoryUpdate update(launch.operands[0].address, extent);
  size_t width = width_of(launch.operands[0].stored);
  for (size_t i = 0; i < launch.count; ++i) update.lose(launch.offsets.offset(i, 0), width);
  return update;
}

bool any_follows_norm(const ElementwiseLaunch& launch) {
  for (size_t i = 1; i < launch.operands.size(); ++i) {
    if (follows_norm(reinterpret_cast<void*>(launch.operands[i].address))) return true;
  }
  return false;
}

// <4, F, ...> of vectors, <F, ...> where it is unrolled, <128, 2, loop<F>(...)::{lambda(int)#1}> with
// strides.
std::string_view functor_in(OperandForm form, std::string_view demangled) {
  if (form == OperandForm::unrolled) return functor_text(demangled, 0, false);
  if (form == OperandForm::contiguous) return functor_text(demangled, 1, false);
  return functor_text(demangled, 2, true);
}

// More of them where nothing is read and each takes a byte.
size_t most_elements(const ElementwiseLaunch& launch) {
  bool filled = launch.operands.size() == 1 && width_of(launch.operands[0].stored) == 1;
  return filled ? kMostFilledBytes : kMostElements;
}

}  // namespace

ElementwiseKernel elementwise_kernel(ValueRule rule, std::string_view demangled) {
  ElementwiseKernel kernel;
  OperandForm form = operand_form(rule);
  if (form == OperandForm::none) return kernel;
  std::string_view text = functor_in(form, demangled);
  if (text.empty()) return kernel;
  kernel.functor = parse_functor(text);
  if (!kernel.functor.operation) return kernel;
  kernel.types = kernel.functor.arguments;
  kernel.types.insert(kernel.types.begin(), kernel.functor.result);
  bool all = std::none_of(kernel.types.begin(), kernel.types.end(),
                          [](Element type) { return type == Element::none; });
  bool complex = std::any_of(kernel.types.begin(), kernel.types.end(), is_complex);
  if (!all || (complex && !is_copy(*kernel.functor.operation)) || kernel.types.size() > kMostOperands)
    return kernel;
  kernel.limits = limits(*kernel.functor.operation);
  kernel.held = held_layout(kernel.functor);
  kernel.form = form;
  return kernel;
}

Evaluation evaluate_elementwise(const ElementwiseKernel& kernel, const KernelFacts& facts,
                                const char* image) {
  Evaluation evaluation;
  ElementwiseLaunch launch;
  if (!read_launch(kernel.form, facts, image, kernel.types, kernel.held.bytes, &launch)) return evaluation;
  if (!launch.count || kernel.held.bytes > launch.functor_bytes) return evaluation;
  size_t extent = launch.operands[0].extent(launch.offsets, 0);
  evaluation.bounded = true;
  evaluation.follows_norm = any_follows_norm(launch);
  bool small = launch.count <= most_elements(launch) && extent <= kLargestView;
  if (small) {
    Cells cells(kernel, launch);
    if (cells.worthwhile()) {
      evaluation.updates.emplace_back(launch.operands[0].address, extent);
      cells.run(&evaluation.updates.back());
      return evaluation;
    }
  }
  bool spread = launch.count * width_of(launch.operands[0].stored) < extent;
  if (small && spread && known_values().knows_any(launch.operands[0].address, extent)) {
    evaluation.updates.push_back(losing_each(launch, extent));
    return evaluation;
  }
  evaluation.lost.push_back({launch.operands[0].address, extent});
  return evaluation;
}

}  // namespace maya
