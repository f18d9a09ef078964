#include "start.h"

#include <unistd.h>

namespace maya::files {

bool Interpreter::read(const char* place) {
  if (sys::access(place, X_OK)) return false;
  int file = sys::open(place, O_RDONLY);
  if (file < 0) return false;
  long bytes = sys::call(SYS_read, file, line_, sizeof line_ - 1);
  sys::close(file);
  if (bytes < 3 || line_[0] != '#' || line_[1] != '!') return false;
  line_[bytes] = 0;
  line_[std::strcspn(line_, "\n")] = 0;
  path_ = line_ + 2 + std::strspn(line_ + 2, " \t");
  char* end = path_ + std::strcspn(path_, " \t");
  option_ = end + std::strspn(end, " \t");
  *end = 0;
  for (char* last = option_ + std::strlen(option_); last > option_ && (last[-1] == ' ' || last[-1] == '\t');)
    *--last = 0;
  return *path_;
}

size_t Interpreter::words_for(char* const* words) const {
  size_t count = 0;
  while (words && words[count]) ++count;
  return count + 4;
}

char** Interpreter::write(char** room, const char* script, char* const* words) {
  size_t count = 0;
  room[count++] = path_;
  if (*option_) room[count++] = option_;
  room[count++] = const_cast<char*>(script);
  for (size_t i = 1; words && words[0] && words[i]; ++i) room[count++] = words[i];
  room[count] = nullptr;
  return room;
}

}  // namespace maya::files
