#include "lowered.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <vector>

namespace maya::nvrtc {
namespace {

// One letter a builtin type, as in the Itanium C++ ABI.
const std::map<std::string, char>& letters() {
  static const auto* table = new std::map<std::string, char>{
      {"void", 'v'},           {"bool", 'b'},          {"char", 'c'},
      {"signed char", 'a'},    {"unsigned char", 'h'}, {"short", 's'},
      {"unsigned short", 't'}, {"int", 'i'},           {"unsigned", 'j'},
      {"unsigned int", 'j'},   {"long", 'l'},          {"unsigned long", 'm'},
      {"long long", 'x'},      {"long long int", 'x'}, {"unsigned long long", 'y'},
      {"float", 'f'},          {"double", 'd'},        {"int8_t", 'a'},
      {"uint8_t", 'h'},        {"int16_t", 's'},       {"uint16_t", 't'},
      {"int32_t", 'i'},        {"uint32_t", 'j'},      {"int64_t", 'l'},
      {"uint64_t", 'm'},       {"size_t", 'm'},
  };
  return *table;
}

std::string trimmed(const std::string& text) {
  size_t start = 0, end = text.size();
  while (start < end && std::isspace(static_cast<unsigned char>(text[start]))) ++start;
  while (end > start && std::isspace(static_cast<unsigned char>(text[end - 1]))) --end;
  return text.substr(start, end - start);
}

// Removes a whole word; true where it was there.
bool drop_word(std::string* text, const std::string& word) {
  auto part_of_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (size_t at = text->find(word); at != std::string::npos; at = text->find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at > 0 && part_of_word((*text)[at - 1])) || (end < text->size() && part_of_word((*text)[end])))
      continue;
    text->erase(at, word.size());
    *text = trimmed(*text);
    return true;
  }
  return false;
}

std::string source_name(const std::string& name) {
  return std::to_string(name.size()) + name;
}

// "const float*" -> "PKf"; empty where the type is not made of builtin ones.
std::string spelled(std::string text) {
  text = trimmed(text);
  drop_word(&text, "__restrict__");
  drop_word(&text, "__restrict");
  char prefix = 0;
  if (!text.empty() && text.back() == '*') {
    prefix = 'P';
    text.pop_back();
  } else if (drop_word(&text, "const")) {
    prefix = 'K';
  } else {
    auto found = letters().find(text);
    return found == letters().end() ? "" : std::string(1, found->second);
  }
  const std::string inner = spelled(text);
  return inner.empty() ? "" : prefix + inner;
}

// Writes types one after the other; a compound one that came before is named by its number.
class Mangler {
 public:
  std::string write(const std::string& type) {
    if (type.size() <= 1) return type;
    auto known = std::find(seen_.begin(), seen_.end(), type);
    if (known != seen_.end()) {
      const auto index = known - seen_.begin();
      return index == 0 ? "S_" : "S" + std::to_string(index - 1) + "_";
    }
    const std::string text = type[0] + write(type.substr(1));
    seen_.push_back(type);
    return text;
  }

 private:
  std::vector<std::string> seen_;
};

std::string parameter_list(const Kernel& kernel) {
  if (kernel.parameters.empty()) return "v";
  Mangler mangler;
  std::string list;
  for (const Parameter& parameter : kernel.parameters) {
    // The top-level const of a by-value parameter is no part of the signature.
    std::string type = trimmed(parameter.type);
    if (!type.empty() && type.back() != '*') drop_word(&type, "const");
    const std::string plain = spelled(type);
    if (plain.empty()) return "z";
    list += mangler.write(plain);
  }
  return list;
}

// "float, 4" -> "fLi4E"; a type of the program's own by its name.
std::string template_arguments(const std::string& list) {
  std::string result;
  size_t start = 0;
  int depth = 0;
  for (size_t at = 0; at <= list.size(); ++at) {
    const char c = at < list.size() ? list[at] : ',';
    depth += c == '<' ? 1 : c == '>' ? -1 : 0;
    if (c != ',' || depth > 0) continue;
    const std::string argument = trimmed(list.substr(start, at - start));
    start = at + 1;
    const std::string builtin = spelled(argument);
    const bool number = !argument.empty() && std::isdigit(static_cast<unsigned char>(argument[0]));
    if (!builtin.empty()) {
      result += builtin;
    } else if (number) {
      result += "Li" + argument + "E";
    } else if (argument == "true" || argument == "false") {
      result += argument == "true" ? "Lb1E" : "Lb0E";
    } else {
      std::string word;
      for (char letter : argument) word += std::isalnum(static_cast<unsigned char>(letter)) ? letter : '_';
      result += source_name(word);
    }
  }
  return result;
}

std::string without_address(const std::string& expression) {
  std::string name = trimmed(expression);
  while (!name.empty() && (name[0] == '&' || name[0] == '(' || name[0] == ':'))
    name = trimmed(name.substr(1));
  while (!name.empty() && name.back() == ')') name = trimmed(name.substr(0, name.size() - 1));
  return name;
}

std::vector<std::string> scopes(const std::string& name) {
  std::vector<std::string> parts(1);
  for (size_t at = 0; at < name.size(); ++at) {
    if (name[at] == ':') {
      if (!parts.back().empty()) parts.emplace_back();
    } else {
      parts.back() += name[at];
    }
  }
  return parts;
}

}  // namespace

std::string mangled(const Kernel& kernel) {
  return "_Z" + source_name(kernel.name) + parameter_list(kernel);
}

std::string base_name(const std::string& expression) {
  std::string name = without_address(expression);
  name.resize(std::min(name.size(), name.find('<')));
  return trimmed(scopes(name).back());
}

std::string lowered(const std::string& expression, const Kernel* kernel) {
  const std::string name = without_address(expression);
  const size_t angle = name.find('<');
  if (kernel && kernel->extern_c) return kernel->name;
  if (!kernel && angle == std::string::npos) return base_name(expression);
  const std::vector<std::string> path = scopes(trimmed(name.substr(0, angle)));
  std::string encoded;
  for (const std::string& part : path) encoded += source_name(trimmed(part));
  if (angle == std::string::npos) {
    if (path.size() > 1) encoded = "N" + encoded + "E";
    return "_Z" + encoded + parameter_list(*kernel);
  }
  const size_t close = name.rfind('>');
  encoded += "I" + template_arguments(name.substr(angle + 1, close - angle - 1)) + "E";
  if (path.size() > 1) encoded = "N" + encoded + "E";
  return "_Z" + encoded + "vz";  // returns void, takes "..."
}

}  // namespace maya::nvrtc
