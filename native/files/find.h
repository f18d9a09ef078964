// Where a path leads when the layer lies over the user's files.
#pragma once

#include <sys/stat.h>

#include <cstdint>

#include "text.h"

namespace maya::files {

enum class Kind {
  missing,  // nothing there, but its directory is
  users,    // the user's file
  held,     // in the layer
  passed,   // devices, the run directory, caches: not ours
};

struct Found {
  Text path;          // canonical: no links, no "..", no slash at the end
  uint64_t hash = 0;  // of it
  Kind kind = Kind::missing;
  bool users_visible = false;  // what the user has at this name, if anything, is not hidden
  bool parent_visible = false;
  bool in_own_directory = false;  // somewhere below one that the program has made: needs no mark
  bool translated = false;        // the kernel would not find it by the program's words
  struct stat about{};            // unless missing or passed

  bool is_directory() const { return S_ISDIR(about.st_mode); }
  // Where it stands: in the layer's tree, or under its own name.
  bool place(Text& out) const;
  // The same, in the tree, wherever it stands now.
  bool held_place(Text& out) const;
};

enum class Follow { no, yes };

// 0 or -errno. A path that cannot be found below a directory of the user is an error as the kernel's.
int find(int directory, const char* path, Follow follow, Found& found);

// What the user has at this name himself; false where nothing is, or it is hidden.
bool users_own(const Found& found, struct stat* about);

// The path, or the directory behind a descriptor, as the program knows it: without the layer's tree.
bool without_tree(Text& path);

}  // namespace maya::files
