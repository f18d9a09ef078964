// Libraries opened by another name than their SONAME.
//
// A preloaded library answers for its SONAME, but programs also open NVIDIA's libraries by the path of an
// installed package (torch does so for nvJitLink, transformer-engine for cuDNN), and then the loader compares
// files, not names. Others leave the version away (libcudnn.so), or open the parts that cuDNN 9 consists of.
#include <dlfcn.h>
#include <link.h>
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

bool starts_with(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

// The version of a preloaded library, as CUDA 12 and 13 differ in some: "libcublas.so" -> "libcublas.so.12".
std::string preloaded_version(const std::string& name) {
  struct Search {
    std::string start, found;
  } search{own_directory() + name + ".", ""};
  auto compare = [](dl_phdr_info* library, size_t, void* data) {
    Search& wanted = *static_cast<Search*>(data);
    if (!starts_with(library->dlpi_name, wanted.start)) return 0;
    wanted.found = library->dlpi_name;
    return 1;
  };
  dl_iterate_phdr(compare, &search);
  return search.found;
}

// Our file for the name of a library, whichever of its names that is; empty when it is none of ours.
std::string own_file(const std::string& name, bool by_path) {
  if (own_directory().empty() || !starts_with(name, "lib")) return "";
  if (starts_with(name, "libcudnn_")) return own_directory() + "libcudnn.so.9";
  if (name.size() > 3 && name.compare(name.size() - 3, 3, ".so") == 0) {
    if (std::string version = preloaded_version(name); !version.empty()) return version;
  }
  return by_path ? own_directory() + name : "";
}

// Our library of that name, or the file as it was asked for.
const char* substitute(const char* file) {
  if (!file) return file;
  const char* slash = std::strrchr(file, '/');
  thread_local std::string ours;
  ours = own_file(slash ? slash + 1 : file, slash != nullptr);
  return !ours.empty() && access(ours.c_str(), R_OK) == 0 ? ours.c_str() : file;
}

}  // namespace
}  // namespace maya

extern "C" MAYA_EXPORT void* dlopen(const char* file, int mode) {
  using Dlopen = void* (*)(const char*, int);
  static const Dlopen next = reinterpret_cast<Dlopen>(dlsym(RTLD_NEXT, "dlopen"));
  // A tail call: the loader looks at the return address to know whose RUNPATH applies.
  return next(maya::substitute(file), mode);
}
