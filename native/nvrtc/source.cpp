#include "source.h"

#include <cctype>
#include <cstdlib>
#include <cstring>

namespace maya::nvrtc {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// The source with comments turned to blanks; string literals are kept for their `extern "C"`.
std::string without_comments(const std::string& source) {
  std::string text = source;
  for (size_t at = 0; at + 1 < text.size(); ++at) {
    size_t end = at;
    if (text[at] == '/' && text[at + 1] == '/') end = text.find('\n', at);
    if (text[at] == '/' && text[at + 1] == '*') end = text.find("*/", at + 2);
    if (end == at) continue;
    end = end == std::string::npos ? text.size() : text[end] == '*' ? end + 2 : end;
    for (; at < end; ++at) {
      if (text[at] != '\n') text[at] = ' ';
    }
    --at;
  }
  return text;
}

// Position behind the bracket that closes the one at `open`.
size_t behind_bracket(const std::string& text, size_t open) {
  int depth = 0;
  for (size_t at = open; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at + 1;
  }
  return std::string::npos;
}

// The text since the end of the declaration before `at`.
std::string declaration_before(const std::string& text, size_t at) {
  const size_t end = text.find_last_of(";}#", at);
  size_t start = end == std::string::npos ? 0 : end + 1;
  if (end != std::string::npos && text[end] == '#') start = text.find('\n', end);
  return start < at ? text.substr(start, at - start) : "";
}

bool inside_extern_block(const std::string& text, size_t at) {
  const size_t block = text.rfind("extern \"C\" {", at);
  if (block == std::string::npos) return false;
  int depth = 0;
  for (size_t i = text.find('{', block); i < at; ++i) depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
  return depth > 0;
}

int launch_bound(const std::string& text) {
  const size_t at = text.find("__launch_bounds__");
  const size_t open = at == std::string::npos ? at : text.find('(', at);
  return open == std::string::npos ? 0 : std::atoi(text.c_str() + open + 1);
}

// "const float* __restrict__ x" -> "const float* __restrict__ "; a default argument is dropped, too.
std::string type_of(std::string declaration) {
  if (size_t equals = declaration.find('='); equals != std::string::npos) declaration.resize(equals);
  while (!declaration.empty() && std::isspace(static_cast<unsigned char>(declaration.back())))
    declaration.pop_back();
  if (!declaration.empty() && declaration.back() == ']') return declaration;
  size_t name = declaration.size();
  while (name > 0 && is_word(declaration[name - 1])) --name;
  const bool only_type = declaration.find_first_of(" *&>\n\t") == std::string::npos;
  return only_type ? declaration : declaration.substr(0, name);
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (char c : list) {
    depth += (c == '(' || c == '<') ? 1 : (c == ')' || c == '>') ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::vector<Parameter> read_parameters(const std::string& source, const std::string& list) {
  std::vector<Parameter> parameters;
  for (const std::string& declaration : split(list)) {
    if (declaration.find_first_not_of(" \t\r\n") == std::string::npos) continue;
    Parameter parameter;
    parameter.type = type_of(declaration);
    size_of_type(source, parameter.type, &parameter.bytes, &parameter.alignment);
    parameters.push_back(parameter);
  }
  return parameters;
}

// The bracket that opens the parameters; __launch_bounds__(...) and __attribute__(...) may stand before it.
size_t parameter_bracket(const std::string& text, size_t at) {
  for (size_t open = text.find('(', at); open != std::string::npos; open = text.find('(', open)) {
    size_t end = open;
    while (end > at && std::isspace(static_cast<unsigned char>(text[end - 1]))) --end;
    size_t start = end;
    while (start > at && is_word(text[start - 1])) --start;
    const std::string word = text.substr(start, end - start);
    if (word.rfind("__", 0) != 0 || word.size() < 4 || word.substr(word.size() - 2) != "__") return open;
    open = behind_bracket(text, open);
    if (open == std::string::npos) break;
  }
  return std::string::npos;
}

bool read_kernel(const std::string& text, size_t at, Kernel* kernel) {
  const size_t after = at + strlen("__global__");
  const size_t open = parameter_bracket(text, after);
  if (open == std::string::npos) return false;
  const size_t close = behind_bracket(text, open);
  if (close == std::string::npos) return false;
  size_t end = open;
  while (end > after && std::isspace(static_cast<unsigned char>(text[end - 1]))) --end;
  size_t start = end;
  while (start > after && is_word(text[start - 1])) --start;
  kernel->name = text.substr(start, end - start);
  const std::string before = declaration_before(text, at);
  kernel->extern_c = before.find("extern \"C\"") != std::string::npos || inside_extern_block(text, at);
  kernel->is_template = before.find("template") != std::string::npos;
  kernel->max_threads = launch_bound(before + text.substr(at, open - at));
  kernel->parameters = read_parameters(text, text.substr(open + 1, close - open - 2));
  return !kernel->name.empty();
}

}  // namespace

std::vector<Kernel> find_kernels(const std::string& source) {
  const std::string text = without_comments(source);
  std::vector<Kernel> kernels;
  for (size_t at = text.find("__global__"); at != std::string::npos; at = text.find("__global__", at + 1)) {
    Kernel kernel;
    if (!read_kernel(text, at, &kernel)) continue;
    bool known = false;
    for (const Kernel& other : kernels) known |= other.name == kernel.name;
    if (!known) kernels.push_back(kernel);
  }
  return kernels;
}

}  // namespace maya::nvrtc
