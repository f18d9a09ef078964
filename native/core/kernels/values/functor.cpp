#include "kernels/values/functor.h"

#include <algorithm>
#include <utility>

namespace maya {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// The end of the bracket that opens at `open`.
size_t closing(std::string_view text, size_t open) {
  int depth = 0;
  for (size_t at = open; at < text.size(); ++at) {
    if (std::string_view("<({[").find(text[at]) != std::string_view::npos) ++depth;
    if (std::string_view(">)}]").find(text[at]) != std::string_view::npos && --depth == 0) return at;
  }
  return std::string_view::npos;
}

// "at::native::(anonymous namespace)::where_kernel_impl(...)" -> "where_kernel_impl"
std::string_view own_name(std::string_view text) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  size_t start = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (starts_with(text.substr(at), kAnonymous)) at += kAnonymous.size(), start = at;
    if (text[at] == '<' || text[at] == '(' || text[at] == '{') return text.substr(start, at - start);
    if (text[at] == ':') start = at + 1;
  }
  return text.substr(start);
}

// Newer versions of `where` move values as unsigned integers of their width, whatever they are.
Element moved_as(std::string_view type) {
  if (type == "unsigned long") return Element::i64;
  if (type == "unsigned int") return Element::i32;
  return type == "unsigned short" ? Element::i16 : element_named(type);
}

std::vector<Element> elements_of(const std::vector<std::string_view>& types, bool moves) {
  std::vector<Element> elements;
  for (std::string_view type : types) elements.push_back(moves ? moved_as(type) : element_named(type));
  return elements;
}

// "<...>" that follows the name; empty where there are none.
std::vector<std::string_view> template_arguments(std::string_view text) {
  std::string_view name = own_name(text);
  size_t open = static_cast<size_t>(name.data() - text.data()) + name.size();
  if (open >= text.size() || text[open] != '<') return {};
  size_t close = closing(text, open);
  if (close == std::string_view::npos) return {};
  return split_list(text.substr(open + 1, close - open - 1));
}

// What an operation is looked up by, and the types of its operands.
struct Callable {
  std::string name;
  std::vector<Element> arguments;
  Element result = Element::none;  // where the name tells another than the operands'
};

// "...::{lambda(float, bool)#2}"
Callable parse_lambda(std::string_view text) {
  constexpr std::string_view kLambda = "{lambda(";
  size_t at = text.rfind(kLambda);
  size_t open = at + kLambda.size() - 1;
  size_t close = closing(text, open);
  Callable found{std::string(own_name(text)), {}, Element::none};
  if (close == std::string_view::npos) return found;
  bool moves = find_operation(found.name, 3) && find_operation(found.name, 3)->decides == Decides::condition;
  found.arguments = elements_of(split_list(text.substr(open + 1, close - open - 1)), moves);
  // Lambdas of one function may do different things: "#4" tells which one it is.
  std::string numbered = found.name + std::string(text.substr(close + 1, 2));
  if (find_operation(numbered, found.arguments.size())) found.name = numbered;
  found.result = converts_to(found.name, template_arguments(text));
  return found;
}

Callable parse_struct(std::string_view text) {
  Callable found{std::string(own_name(text)), {}, Element::none};
  std::vector<std::string_view> types = template_arguments(text);
  Element type = types.empty() ? Element::none : element_named(types.front());
  for (size_t operands = 0; operands <= 3; ++operands) {
    if (find_operation(found.name, operands)) found.arguments.assign(operands, type);
  }
  if (found.arguments.empty()) found.arguments = {type};  // of what a fill holds
  return found;
}

Callable parse_callable(std::string_view text) {
  bool lambda = text.find("{lambda(") != std::string_view::npos;
  Callable found = lambda ? parse_lambda(text) : parse_struct(text);
  bool boolean = !found.arguments.empty() && found.arguments[0] == Element::boolean;
  if (boolean) found.name = name_for_booleans(found.name);
  return found;
}

// The type of the values among the operands, which a condition is not.
Element value_type(const Operation& operation, const std::vector<Element>& arguments) {
  if (arguments.empty()) return Element::none;
  return operation.decides == Decides::condition ? arguments.back() : arguments.front();
}

Functor plain(const Callable& callable, size_t operands) {
  Functor functor;
  functor.operation = find_operation(callable.name, operands);
  if (!functor.operation) return functor;
  functor.stored = value_type(*functor.operation, callable.arguments);
  functor.computed = computed_in(functor.stored);
  functor.result = functor.operation->gives_boolean ? Element::boolean : functor.stored;
  if (callable.result != Element::none) functor.result = callable.result;
  functor.arguments = callable.arguments;
  functor.arguments.resize(operands);
  return functor;
}

// AUnaryFunctor<A, B, R, F> carries the first operand of F, BUnaryFunctor the second.
Functor wrapped(std::string_view wrapper, const std::vector<std::string_view>& types) {
  Callable inner = parse_callable(types[3]);
  Functor functor = plain(inner, 2);
  if (!functor.operation) return functor;
  Element first = element_named(types[0]), second = element_named(types[1]);
  functor.result = element_named(types[2]);
  functor.arguments = {first, second};
  if (wrapper == "BinaryFunctor") return functor;
  functor.bound = wrapper == "AUnaryFunctor" ? Bound::first : Bound::second;
  functor.bound_type = functor.bound == Bound::first ? inner.arguments.front() : inner.arguments.back();
  functor.arguments = {functor.bound == Bound::first ? second : first};
  return functor;
}

size_t align(size_t at, size_t unit) {
  return (at + unit - 1) / unit * unit;
}

}  // namespace

std::vector<std::string_view> split_list(std::string_view list) {
  std::vector<std::string_view> parts;
  size_t start = 0;
  int depth = 0;
  for (size_t at = 0; at <= list.size(); ++at) {
    char c = at < list.size() ? list[at] : ',';
    if (std::string_view("<({[").find(c) != std::string_view::npos) ++depth;
    if (std::string_view(">)}]").find(c) != std::string_view::npos) --depth;
    if (c != ',' || (depth && at < list.size())) continue;
    if (std::string_view part = trim(list.substr(start, at - start)); !part.empty()) parts.push_back(part);
    start = at + 1;
  }
  return parts;
}

Functor parse_functor(std::string_view text) {
  text = trim(text);
  if (text.empty()) return {};
  std::string_view name = own_name(text);
  bool wraps = name == "AUnaryFunctor" || name == "BUnaryFunctor" || name == "BinaryFunctor";
  if (wraps) {
    std::vector<std::string_view> types = template_arguments(text);
    return types.size() == 4 ? wrapped(name, types) : Functor{};
  }
  Callable callable = parse_callable(text);
  if (find_operation(callable.name, 0)) return plain(callable, 0);
  return plain(callable, callable.arguments.size());
}

std::string_view functor_text(std::string_view kernel, size_t place, bool in_loop) {
  constexpr std::string_view kReturns = "void ";
  if (starts_with(kernel, kReturns)) kernel.remove_prefix(kReturns.size());
  std::vector<std::string_view> types = template_arguments(kernel);
  if (types.size() <= place) return {};
  if (!in_loop) return types[place];
  std::vector<std::string_view> inner = template_arguments(types[place]);
  return inner.empty() ? std::string_view{} : inner[0];
}

HeldLayout held_layout(const Functor& functor) {
  HeldLayout layout;
  size_t at = 0, alignment = 1;
  auto place = [&](size_t width) {
    at = align(at, width);
    alignment = std::max(alignment, width);
    return std::exchange(at, at + width);
  };
  for (const char* part = functor.operation->held; *part; ++part) {
    if (*part == 'c') {
      layout.choice = place(sizeof(int32_t));
      continue;
    }
    Element type = *part == 't' ? functor.stored : functor.computed;
    layout.types[layout.number_count] = type;
    layout.numbers[layout.number_count++] = place(std::max<size_t>(1, width_of(type)));
  }
  if (!at) at = 1;  // an object without members
  if (functor.bound != Bound::none) {
    at = align(at, alignment);
    layout.bound = place(std::max<size_t>(1, width_of(functor.bound_type)));
  }
  layout.bytes = align(at, alignment);
  return layout;
}

}  // namespace maya
