#include "confine.h"

#include <linux/landlock.h>
#include <sys/prctl.h>

#include <cstdint>
#include <cstdlib>
#include <initializer_list>

#include "settings.h"
#include "sys.h"
#include "trap.h"

namespace maya::files {
namespace {

// Numbers of later kernels than the headers may know: moving between directories, cutting short.
constexpr uint64_t kRefer = 1u << 13, kTruncate = 1u << 14;

uint64_t changing_rights(long version) {
  uint64_t rights = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                    LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
                    LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
                    LANDLOCK_ACCESS_FS_MAKE_SYM;
  return rights | kRefer | (version >= 3 ? kTruncate : 0);
}

void allow(int rules, const char* path, uint64_t rights) {
  int directory = sys::open(path, O_PATH | O_DIRECTORY);
  if (directory < 0) return;
  landlock_path_beneath_attr beneath{};
  beneath.allowed_access = rights;
  beneath.parent_fd = directory;
  sys::call(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
  sys::close(directory);
}

// Landlock: the kernel refuses, whoever asks.
void refuse_elsewhere() {
  long version = sys::call(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 2) return;  // the first version forbids every move between directories
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs = changing_rights(version);
  int rules = static_cast<int>(sys::call(SYS_landlock_create_ruleset, &attributes, sizeof(uint64_t), 0));
  if (rules < 0) return;
  for (const char* path : {"/dev", "/proc", "/sys"}) allow(rules, path, attributes.handled_access_fs);
  allow(rules, settings().run_dir.text, attributes.handled_access_fs);
  allow(rules, settings().root.text, attributes.handled_access_fs);
  for (int i = 0; i < settings().passed_count; ++i) {
    allow(rules, settings().passed[i].text, attributes.handled_access_fs);
  }
  sys::call(SYS_landlock_restrict_self, rules, 0);
  sys::close(rules);
}

}  // namespace

void confine() {
  if (!active()) return;
  handle_direct_calls();
  char* wanted = std::getenv("MAYA_FILES_CONFINE");
  if (!wanted || wanted[0] != '1' || sys::call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return;
  refuse_elsewhere();
  trap_direct_calls();
  wanted[0] = '0';  // children inherit both; a process may stand under 16 of the former at most
}

}  // namespace maya::files
