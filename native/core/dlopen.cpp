// Libraries opened by absolute path.
//
// A preloaded library answers for its SONAME, but programs also open NVIDIA's libraries by the path of an
// installed package (torch does so for nvJitLink, transformer-engine for cuDNN), and then the loader compares
// files, not names.
#include <dlfcn.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "maya/record.h"

namespace maya {
namespace {

// Where our own libraries are; empty when that cannot be told.
const std::string& own_directory() {
  static const std::string* directory = [] {
    Dl_info info;
    if (!dladdr(reinterpret_cast<void*>(&own_directory), &info) || !info.dli_fname) return new std::string;
    std::string path = info.dli_fname;
    return new std::string(path.substr(0, path.rfind('/') + 1));
  }();
  return *directory;
}

// Our library of the same name, or the file as it was asked for.
const char* substitute(const char* file) {
  const char* slash = file ? std::strrchr(file, '/') : nullptr;
  if (!slash || own_directory().empty()) return file;
  thread_local std::string ours;
  ours = own_directory() + (slash + 1);
  return access(ours.c_str(), R_OK) == 0 ? ours.c_str() : file;
}

}  // namespace
}  // namespace maya

extern "C" MAYA_EXPORT void* dlopen(const char* file, int mode) {
  using Dlopen = void* (*)(const char*, int);
  static const Dlopen next = reinterpret_cast<Dlopen>(dlsym(RTLD_NEXT, "dlopen"));
  // A tail call: the loader looks at the return address to know whose RUNPATH applies.
  return next(maya::substitute(file), mode);
}
