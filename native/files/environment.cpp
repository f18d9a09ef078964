#include "environment.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "settings.h"

namespace maya::files {
namespace {

constexpr const char* kKept[] = {"MAYA_FILES=", "MAYA_FILES_PASS=", "MAYA_RUN_DIR="};
constexpr size_t kKeptCount = sizeof kKept / sizeof *kKept;
constexpr char kPreload[] = "LD_PRELOAD=";
constexpr char kOurselves[] = "libmaya_files.so";

char* find_setting(char* const* environment, const char* name) {
  size_t bytes = std::strlen(name);
  for (char* const* at = environment; at && *at; ++at) {
    if (!std::strncmp(*at, name, bytes)) return *at;
  }
  return nullptr;
}

size_t count_of(char* const* words) {
  size_t count = 0;
  while (words && words[count]) ++count;
  return count;
}

// From what this process was started with: the program may have taken it out of its environment since.
char* write_kept(size_t which, char* out) {
  char* end = stpcpy(out, kKept[which]);
  if (which == 0) return stpcpy(end, settings().root.text);
  if (which == 2) return stpcpy(end, settings().run_dir.text);
  for (int i = 0; i < settings().passed_count; ++i) {
    if (i) *end++ = ':';
    end = stpcpy(end, settings().passed[i].text);
  }
  return end;
}

size_t kept_bytes() {
  size_t bytes = settings().root.length + settings().run_dir.length;
  for (int i = 0; i < settings().passed_count; ++i) bytes += settings().passed[i].length + 1;
  for (const char* name : kKept) bytes += std::strlen(name) + 1;
  return bytes;
}

// What was preloaded here comes before what the program wants preloaded.
char* write_preload(char* out, const char* theirs) {
  char* end = stpcpy(stpcpy(out, kPreload), settings().preload.text);
  if (!theirs || !theirs[sizeof kPreload - 1]) return end;
  *end++ = ':';
  return stpcpy(end, theirs + sizeof kPreload - 1);
}

}  // namespace

bool is_complete(char* const* given) {
  for (const char* name : kKept) {
    if (!find_setting(given, name)) return false;
  }
  const char* preload = find_setting(given, kPreload);
  return preload && std::strstr(preload, kOurselves);
}

size_t completed_words(char* const* given) {
  return count_of(given) + kKeptCount + 2;
}

size_t completed_bytes(char* const* given) {
  const char* theirs = find_setting(given, kPreload);
  return kept_bytes() + sizeof kPreload + settings().preload.length + (theirs ? std::strlen(theirs) : 0) + 2;
}

// An environment made anew (subprocess with env=), or one whose LD_PRELOAD a script has set to an allocator
// of its own, would leave the child without the layer, and without a device.
char** complete(char* const* given, char** words, char* text) {
  size_t count = 0;
  for (char* const* at = given; at && *at; ++at) {
    if (std::strncmp(*at, kPreload, sizeof kPreload - 1)) words[count++] = *at;
  }
  for (size_t which = 0; which < kKeptCount; ++which) {
    if (find_setting(given, kKept[which])) continue;
    words[count++] = text;
    text = write_kept(which, text) + 1;
  }
  const char* theirs = find_setting(given, kPreload);
  words[count++] = text;
  if (theirs && std::strstr(theirs, kOurselves))
    std::strcpy(text, theirs);
  else
    write_preload(text, theirs);
  words[count] = nullptr;
  return words;
}

void complete_own() {
  if (!active() || !settings().preload.length || is_complete(environ)) return;
  const size_t bytes = completed_bytes(environ);
  auto* words = static_cast<char**>(std::malloc(completed_words(environ) * sizeof(char*)));
  auto* text = static_cast<char*>(std::malloc(bytes));
  for (char** at = words && text ? complete(environ, words, text) : nullptr; at && *at; ++at) {
    if (*at < text || *at >= text + bytes) continue;  // the program's own
    char* equals = std::strchr(*at, '=');
    *equals = 0;
    setenv(*at, equals + 1, 1);
  }
  std::free(words);
  std::free(text);
}

}  // namespace maya::files
