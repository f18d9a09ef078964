#include "settings.h"

#include <atomic>
#include <cstdlib>
#include <initializer_list>

#include "confine.h"
#include "index.h"
#include "sys.h"

namespace maya::files {
namespace {

// Zeros without a constructor: files are opened before the constructors of a library have run.
alignas(Settings) char storage[sizeof(Settings)];
Settings& current = reinterpret_cast<Settings&>(storage);
std::atomic<int> state{0};  // 0 unread, 1 being read, 2 read

void read_passed(const char* list) {
  while (list && *list && current.passed_count < kMostPassed) {
    size_t bytes = std::strcspn(list, ":");
    Text& text = current.passed[current.passed_count];
    text.cut(0);
    if (bytes && text.append(list, bytes)) ++current.passed_count;
    list += bytes + (list[bytes] == ':');
  }
}

// Idempotent: whichever process of the run comes first.
void make_directories() {
  sys::mkdir(current.root.text, 0700);
  sys::mkdir(current.tree.text, 0755);
  for (const char* name : {"/work", "/shared"}) {
    Text path;
    if (path.set(current.root.text) && path.append(name)) sys::mkdir(path.text, 0700);
  }
}

// Without its layer a program would write to the user's files.
[[noreturn]] void refuse() {
  static const char text[] =
      "maya: cannot write to the run directory, where the program's files would be held back; it is not "
      "run\n";
  sys::call(SYS_write, 2, text, sizeof text - 1);
  for (;;) sys::call(SYS_exit_group, 1);
}

void read_environment() {
  current.active = false;
  current.passed_count = 0;
  const char* root = std::getenv("MAYA_FILES");
  const char* run_dir = std::getenv("MAYA_RUN_DIR");
  if (!root || !*root || !current.root.set(root)) return;
  if (!current.tree.set(root) || !current.tree.append("/tree")) return;
  current.run_dir.set(run_dir ? run_dir : root);
  read_passed(std::getenv("MAYA_FILES_PASS"));
  const char* preload = std::getenv("LD_PRELOAD");
  if (!current.preload.set(preload ? preload : "")) current.preload.cut(0);
  make_directories();
  current.active = index_open(current.root);
  if (!current.active) refuse();
}

}  // namespace

const Settings& settings() {
  if (state.load(std::memory_order_acquire) == 2) return current;
  int unread = 0;
  // Whoever asks meanwhile belongs to the start of the process, and is answered as if there were no layer.
  static const Settings none;
  if (!state.compare_exchange_strong(unread, 1)) return state == 2 ? current : none;
  read_environment();
  state.store(2, std::memory_order_release);
  return current;
}

bool passes(const Text& path) {
  for (int i = 0; i < current.passed_count; ++i) {
    if (path.starts_with(current.passed[i])) return true;
  }
  return path.starts_with(current.run_dir);
}

}  // namespace maya::files

// For a process that was forked with another run's settings and has been given its own environment.
extern "C" __attribute__((visibility("default"))) void maya_files_reload() {
  maya::files::read_environment();
  maya::files::confine();
}

namespace {
__attribute__((constructor)) void start() {
  maya::files::confine();
}
}  // namespace
