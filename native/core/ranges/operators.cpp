#include "operators.h"

#include <atomic>
#include <string_view>
#include <vector>

namespace maya {
namespace {

// PyTorch's text: `aten::addmm, seq = 17, op_id = 11, sizes = [[128], [32, 64]], input_op_ids = [...]`.
constexpr std::string_view kNumber = ", op_id = ", kSizes = ", sizes = ", kInputs = ", input_op_ids = ";

struct Range {
  std::string line;  // empty: a range of the program's, inside of an operator
  bool told = false;
};

std::atomic<bool> listening{false};
thread_local std::vector<Range> open_ranges;

std::string line_of(std::string_view text) {
  std::string name(text.substr(0, text.find(", ")));
  size_t begin = text.find(kSizes);
  if (begin == std::string_view::npos) return name;
  begin += kSizes.size();
  return name + ' ' + std::string(text.substr(begin, text.rfind(kInputs) - begin));
}

}  // namespace

bool begin_operator(const char* text) {
  std::string_view given(text ? text : "");
  bool ours = listening.load(std::memory_order_relaxed) && given.find(kNumber) != std::string_view::npos;
  if (ours) {
    open_ranges.push_back({line_of(given)});
  } else if (!open_ranges.empty()) {
    open_ranges.push_back({});
  }
  return ours;
}

bool end_operator() {
  if (open_ranges.empty()) return false;
  bool ours = !open_ranges.back().line.empty();
  open_ranges.pop_back();
  return ours;
}

OperatorStack operators_of_thread() {
  OperatorStack found;
  for (Range& range : open_ranges) {
    if (range.line.empty()) continue;
    found.lines += (found.lines.empty() ? "" : "\n") + range.line;
    found.shared += range.told;
    range.told = true;
  }
  return found;
}

}  // namespace maya

void maya_listen_for_operators(int listen) {
  maya::listening.store(listen != 0, std::memory_order_relaxed);
}
