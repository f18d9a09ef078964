#include "listing.h"

#include <cstring>

#include "index.h"
#include "sys.h"

namespace maya::files {
namespace {

bool dots(const char* name) {
  return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

template <class T>
bool make_room(T*& data, size_t& room, size_t needed) {
  if (needed <= room) return true;
  size_t wanted = needed * 2 + 64;
  void* grown = std::realloc(data, wanted * sizeof(T));
  if (!grown) return false;
  data = static_cast<T*>(grown);
  room = wanted;
  return true;
}

}  // namespace

void Listing::release() {
  std::free(bytes_);
  std::free(offsets_);
  bytes_ = nullptr;
  offsets_ = nullptr;
  used_ = room_ = count_ = slots_ = 0;
}

bool Listing::is_dots(size_t i) const {
  return dots(name(i));
}

bool Listing::is_empty() const {
  for (size_t i = 0; i < count_; ++i) {
    if (!is_dots(i)) return false;
  }
  return true;
}

bool Listing::keep(const dirent64* entry) {
  if (!make_room(bytes_, room_, used_ + entry->d_reclen)) return false;
  if (!make_room(offsets_, slots_, count_ + 1)) return false;
  std::memcpy(bytes_ + used_, entry, entry->d_reclen);
  offsets_[count_++] = used_;
  used_ += entry->d_reclen;
  this->entry(count_ - 1)->d_off = static_cast<off64_t>(count_);
  return true;
}

// An entry of the user that the layer has removed, or has one of its own for.
bool Listing::is_hidden(const Found& directory, const char* name) const {
  if (dots(name)) return true;
  uint64_t marks = marks_of(hash_on(hash_on(directory.hash, "/", 1), name, std::strlen(name)));
  if (marks & kGone) return true;
  if (!(marks & (kEntry | kSubtree))) return false;
  Text place;
  struct stat about;
  return directory.held_place(place) && place.append("/") && place.append(name) &&
         sys::lstat(place.text, &about) == 0;
}

int Listing::read_one(const char* place, const Found* hiding) {
  int file = sys::open(place, O_RDONLY | O_DIRECTORY);
  if (file < 0) return file;
  alignas(8) char buffer[32768];
  long bytes;
  bool room = true;
  while (room && (bytes = sys::call(SYS_getdents64, file, buffer, sizeof buffer)) > 0) {
    for (long at = 0; room && at < bytes;) {
      const auto* entry = reinterpret_cast<const dirent64*>(buffer + at);
      at += entry->d_reclen;
      if (!hiding || !is_hidden(*hiding, entry->d_name)) room = keep(entry);
    }
  }
  sys::close(file);
  return room ? static_cast<int>(bytes) : -ENOMEM;
}

int Listing::read(const Found& directory) {
  release();
  Text held;
  struct stat about;
  if (!directory.held_place(held)) return -ENAMETOOLONG;
  bool users = users_own(directory, &about) && S_ISDIR(about.st_mode);
  if (directory.kind != Kind::held)
    return read_one(directory.path.length ? directory.path.text : "/", nullptr);
  if (int error = read_one(held.text, nullptr)) return error;
  return users ? read_one(directory.path.length ? directory.path.text : "/", &directory) : 0;
}

}  // namespace maya::files
