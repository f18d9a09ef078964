// The names of kernels, as the recorder reads them.
#include <cstring>

#include "kernels/names.h"

// Writes the name with a zero behind it, and answers with its length; what does not fit is left out.
extern "C" __attribute__((visibility("default"))) size_t maya_demangle(const char* mangled, char* text,
                                                                       size_t capacity) {
  const std::string name = maya::demangle(mangled);
  if (capacity) {
    size_t kept = name.size() < capacity ? name.size() : capacity - 1;
    std::memcpy(text, name.c_str(), kept);
    text[kept] = '\0';
  }
  return name.size();
}
