#include "kernel_names.h"

#include <cstring>
#include <map>
#include <mutex>
#include <string>

namespace maya::cupti {
namespace {

// Tools tell communication from computation by this prefix.
std::string collective_name(const char* function) {
  const char* what = std::strncmp(function, "nccl", 4) == 0 ? function + 4 : function;
  bool direct = !std::strcmp(what, "Send") || !std::strcmp(what, "Recv");
  return std::string("ncclDevKernel_") + (direct ? "SendRecv" : what);
}

}  // namespace

const char* kernel_name(const Activity& activity) {
  if (activity.kind != Kind::collective) return activity.name;
  static std::mutex lock;
  static auto* names = new std::map<const char*, std::string>;
  std::lock_guard<std::mutex> guard(lock);
  std::string& name = (*names)[activity.name];
  if (name.empty()) name = collective_name(activity.name);
  return name.c_str();
}

}  // namespace maya::cupti
