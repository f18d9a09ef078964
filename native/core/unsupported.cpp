#include <unistd.h>

#include <cstdio>
#include <string>

#include "maya/record.h"
#include "maya/run_files.h"
#include "maya/runtime.h"
#include "recorder.h"

namespace maya {
namespace {

// Documented exit code of a run that --strict ended.
constexpr int kStrictExit = 5;

[[noreturn]] void end_strict_run(const UnsupportedCall& call, const std::string& site) {
  std::string message = std::string(call.name) + " (" + call.library + ") is not supported";
  if (!site.empty()) message += ", called from " + site;
  std::fprintf(stderr, "maya: %s; stopping because of --strict\n", message.c_str());
  if (!config().run_dir.empty()) {
    std::string path = run_files::path(run_files::kStrict);
    if (std::FILE* file = std::fopen(path.c_str(), "w")) {
      std::fputs(message.c_str(), file);
      std::fclose(file);
    }
  }
  close_recorder(EndReason::exit);
  _exit(kStrictExit);
}

}  // namespace

int unsupported(UnsupportedCall& call, int status) {
  static const char* const fields[] = {"name:s", "library:s", "site:s"};
  static Schema schema{"unsupported", Kind::unsupported, fields, 3};
  std::string site = python_site();
  note(schema, {intern(call.name), intern(call.library), intern(site.c_str())});
  if (config().strict) end_strict_run(call, site);
  return status;
}

}  // namespace maya
