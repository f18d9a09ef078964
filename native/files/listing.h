// The entries of a directory as the program sees it: the user's, less what is hidden, with the layer's.
#pragma once

#include <dirent.h>

#include <cstdlib>

#include "find.h"

namespace maya::files {

class Listing {
 public:
  Listing() = default;
  Listing(const Listing&) = delete;
  Listing& operator=(const Listing&) = delete;
  ~Listing() { release(); }

  // 0 or -errno.
  int read(const Found& directory);
  void release();
  size_t count() const { return count_; }
  dirent64* entry(size_t i) const { return reinterpret_cast<dirent64*>(bytes_ + offsets_[i]); }
  const char* name(size_t i) const { return entry(i)->d_name; }
  bool is_dots(size_t i) const;
  bool is_empty() const;

 private:
  int read_one(const char* place, const Found* hiding);
  bool is_hidden(const Found& directory, const char* name) const;
  bool keep(const dirent64* entry);

  char* bytes_ = nullptr;
  size_t used_ = 0, room_ = 0;
  size_t* offsets_ = nullptr;
  size_t count_ = 0, slots_ = 0;
};

}  // namespace maya::files
