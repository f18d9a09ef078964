// Files that the user has handed to the program already open.
#pragma once

namespace maya::files {

// The descriptor that /dev/stdout, /dev/fd/7 and the like stand for, where it may write to a file outside the
// layer: the user meant that (`> log.txt`). Otherwise -1.
int handed_descriptor(const char* path);

}  // namespace maya::files
