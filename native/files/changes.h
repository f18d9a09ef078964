// The operations that change files, done on the layer. All answer 0 (or a descriptor) or -errno.
#pragma once

#include <sys/types.h>

#include "find.h"

namespace maya::files {

// Makes ready what open(flags) needs, and says which path to open instead of the program's.
int prepare_open(int directory, const char* path, int flags, Text& place);
int open_file(int directory, const char* path, int flags, mode_t mode);
int make_directory_at(int directory, const char* path, mode_t mode);
int make_node_at(int directory, const char* path, mode_t mode, dev_t device);
int make_link_at(const char* target, int directory, const char* path);
int remove_at(int directory, const char* path, int flags);
int rename_at(int from_directory, const char* from, int to_directory, const char* to, unsigned flags);
int link_at(int from_directory, const char* from, int to_directory, const char* to, int flags);
// Before a file's facts are changed: which path to change instead.
int prepare_change(int directory, const char* path, Follow follow, Text& place);
// The same for a descriptor; false where it is the layer's, or no file, and may be changed as it is.
bool prepare_descriptor_change(int descriptor, Text& place, int& error);
// Makes a descriptor that may only read one of the file's copy, at the same position; false where it cannot.
bool lead_to_copy(int descriptor, const Text& place);
// A path for a new entry of any kind; 0, or -errno (EEXIST).
int prepare_new(Found& found, Text& place);

}  // namespace maya::files
