#include "image.h"

namespace maya::nvrtc {
namespace {

std::string scalar(size_t bytes) {
  return ".b" + std::to_string(bytes * 8);
}

// The leading parameters whose sizes are known. What follows an unknown one is left out, since its place is
// unknown as well; a launch then records the part that stands here.
std::string parameter_list(const Entry& entry) {
  std::string list;
  size_t index = 0;
  for (const Parameter& parameter : entry.kernel->parameters) {
    if (!parameter.bytes) break;
    const std::string name = entry.name + "_param_" + std::to_string(index++);
    const bool is_scalar = parameter.bytes == parameter.alignment && parameter.bytes <= 8;
    if (!list.empty()) list += ",\n";
    list += is_scalar ? "  .param " + scalar(parameter.bytes) + " " + name
                      : "  .param .align " + std::to_string(parameter.alignment) + " .b8 " + name + "[" +
                            std::to_string(parameter.bytes) + "]";
  }
  return list;
}

std::string entry_text(const Entry& entry) {
  std::string text = ".visible .entry " + entry.name + "(\n";
  if (entry.kernel) text += parameter_list(entry);
  text += "\n)\n";
  if (entry.kernel && entry.kernel->max_threads > 0) {
    text += ".maxntid " + std::to_string(entry.kernel->max_threads) + ", 1, 1\n";
  }
  return text + "{\n  ret;\n}\n\n";
}

}  // namespace

std::string make_image(const std::vector<Entry>& entries, const std::string& target) {
  std::string text =
      "// Not compiled: entries and parameters as read from the source.\n\n.version 8.7\n.target " + target +
      "\n.address_size 64\n\n";
  for (const Entry& entry : entries) text += entry_text(entry);
  return text;
}

}  // namespace maya::nvrtc
