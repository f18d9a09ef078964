// Names of the files that the core leaves in the run directory. src/maya/rundir/names.py says what each is
// for.
#pragma once

#include <string>

#include "maya/runtime.h"

namespace maya::run_files {

inline constexpr const char* kStop = "stop";
inline constexpr const char* kError = "error";
inline constexpr const char* kStrict = "strict";
inline constexpr const char* kFailure = "failure";
inline constexpr const char* kFailedRank = "failed-rank";  // and the rank
inline constexpr const char* kBoard = "board";
inline constexpr const char* kExchange = "comm";
inline constexpr const char* kPartners = "partners-";  // and the rank, and kPartnersEnd
inline constexpr const char* kPartnersEnd = ".txt";
inline constexpr const char* kCaptureSuffix = ".maya";
inline constexpr const char* kDurations = ".durations";  // behind the name of a capture

inline std::string path(const std::string& name) {
  return config().run_dir + "/" + name;
}

}  // namespace maya::run_files
