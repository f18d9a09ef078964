// Bringing a file of the user into the layer before it is changed there.
#pragma once

#include "find.h"

namespace maya::files {

enum class Content { copied, empty };

// Whether the real directory of this path may be written to; 0 or -errno as the kernel would say.
int may_change_parent(const Found& found);
// The directories above it, in the tree, with the modes and times of the user's.
int make_parents(const Found& found);
// Afterwards the file is in the tree. Directories come without their entries.
int copy_up(Found& found, Content content);
// The same where a copy of the file is in the tree by another of its names (hard links); false where none is.
bool bring_shared(Found& found);
// The same with everything below a directory.
int copy_up_whole(Found& found);
// The bytes of one file, to a new one.
int copy_file(const char* from, const char* to, const struct stat& about, Content content);
// A name for a file that is not yet in its place.
bool work_name(Text& out);

}  // namespace maya::files
