#include "trap.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <ucontext.h>

#include <atomic>
#include <cerrno>
#include <cstddef>

#include "direct_calls.h"
#include "sys.h"

namespace maya::files {
namespace {

constexpr unsigned kWriting = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);

constexpr unsigned kOtherNumbers = 0x40000000;  // of the ABI with short pointers (x32)

constexpr sock_filter statement(unsigned code, unsigned value) {
  return {static_cast<unsigned short>(code), 0, 0, value};
}
constexpr sock_filter jump(unsigned code, unsigned value, unsigned char yes, unsigned char no) {
  return {static_cast<unsigned short>(code), yes, no, value};
}
constexpr sock_filter load(size_t offset) {
  return statement(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offset));
}
constexpr size_t argument(int number) {
  return offsetof(seccomp_data, args) + sizeof(uint64_t) * static_cast<size_t>(number);
}

// A program of the kernel's packet filter, put together call by call.
class Filter {
 public:
  Filter() {
    add(load(offsetof(seccomp_data, arch)));
    add(jump(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0));
    add(statement(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));  // of 32 bits: its numbers are others
    // Our own calls carry a mark where the kernel looks for nothing.
    add(load(argument(5)));
    add(jump(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(sys::kOwn), 0, 3));
    add(load(argument(5) + 4));
    add(jump(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(sys::kOwn >> 32), 0, 1));
    add(statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    add(load(offsetof(seccomp_data, nr)));
    add(jump(BPF_JMP | BPF_JGE | BPF_K, kOtherNumbers, 0, 1));
    add(statement(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
  }
  void answer(long call, unsigned action) {
    add(jump(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1));
    add(statement(BPF_RET | BPF_K, action));
  }
  // Opening to read is left to the kernel: a program's loader does it before there is a handler.
  void trap_writing(long call, int flags) {
    add(jump(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 4));
    add(load(argument(flags)));
    add(jump(BPF_JMP | BPF_JSET | BPF_K, kWriting, 0, 1));
    add(statement(BPF_RET | BPF_K, SECCOMP_RET_TRAP));
    add(statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }
  bool install() {
    add(statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    sock_fprog program{used_, lines_};
    return sys::call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0;
  }

 private:
  void add(sock_filter line) { lines_[used_++] = line; }

  sock_filter lines_[160];
  unsigned short used_ = 0;
};

constexpr int kFromFilter = 1;  // SYS_SECCOMP, which the C library does not name
std::atomic<bool> handling{false};
struct sigaction programs_action = {};

void do_as_program_wants(int number, siginfo_t* about, void* context) {
  if (programs_action.sa_flags & SA_SIGINFO) return programs_action.sa_sigaction(number, about, context);
  if (programs_action.sa_handler == SIG_IGN) return;
  if (programs_action.sa_handler != SIG_DFL) return programs_action.sa_handler(number);
  handling = false;
  signal(number, SIG_DFL);
  raise(number);
}

void on_signal(int number, siginfo_t* about, void* context) {
  if (about->si_code != kFromFilter) return do_as_program_wants(number, about, context);
  int kept = errno;
  greg_t* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const long arguments[] = {registers[REG_RDI], registers[REG_RSI], registers[REG_RDX],
                            registers[REG_R10], registers[REG_R8],  registers[REG_R9]};
  registers[REG_RAX] = answer_direct_call(about->si_syscall, arguments);
  errno = kept;
}

}  // namespace

void handle_direct_calls() {
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSYS, &action, nullptr);
  handling = true;
}

bool handles_direct_calls() {
  return handling;
}

void exchange_programs_action(const struct sigaction* wanted, struct sigaction* before) {
  struct sigaction kept = programs_action;
  if (wanted) programs_action = *wanted;
  if (before) *before = kept;
}

bool trap_direct_calls() {
  Filter filter;
  filter.trap_writing(SYS_open, 1);
  filter.trap_writing(SYS_openat, 2);
  for (long call : kChangingCalls) filter.answer(call, SECCOMP_RET_TRAP);
  // Their arguments cannot be seen from here. Programs fall back to what came before.
  for (long call : kRefusedCalls) filter.answer(call, SECCOMP_RET_ERRNO | ENOSYS);
  return filter.install();
}

}  // namespace maya::files
