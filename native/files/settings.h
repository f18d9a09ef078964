// Where the layer is and what it lets through, from the environment.
#pragma once

#include "text.h"

namespace maya::files {

constexpr int kMostPassed = 32;

struct Settings {
  bool active = false;
  Text root;                 // MAYA_FILES: a directory; index, work, shared and tree are in it
  Text tree;                 // <root>/tree: holds /a/b as <root>/tree/a/b
  Text run_dir;              // MAYA_RUN_DIR: the emulator's own
  Text passed[kMostPassed];  // MAYA_FILES_PASS: directories whose files are really written, separated by ':'
  int passed_count = 0;
  Text preload;  // LD_PRELOAD as this process was given it; empty if longer than a path may be
};

const Settings& settings();
inline bool active() {
  return settings().active;
}
// Whether writes to this canonical path are let through.
bool passes(const Text& path);

}  // namespace maya::files
