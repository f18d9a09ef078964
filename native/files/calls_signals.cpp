// The signal by which the kernel hands us a call stays open and ours: a thread that blocks it would be ended
// by it, and a program that takes it (LLVM does, to report crashes) would take our calls for faults.
#include <pthread.h>
#include <signal.h>

#include "trap.h"
#include "view.h"

using namespace maya::files;

#define MAYA_MASK(name)                                                               \
  MAYA_EXPORT int name(int how, const sigset_t* wanted, sigset_t* before) noexcept {  \
    MAYA_NEXT(name);                                                                  \
    if (!wanted || how == SIG_UNBLOCK || !active()) return next(how, wanted, before); \
    sigset_t open = *wanted;                                                          \
    sigdelset(&open, SIGSYS);                                                         \
    return next(how, &open, before);                                                  \
  }
MAYA_MASK(sigprocmask)
MAYA_MASK(pthread_sigmask)

MAYA_EXPORT int sigaction(int number, const struct sigaction* wanted, struct sigaction* before) noexcept {
  MAYA_NEXT(sigaction);
  if (number != SIGSYS || !handles_direct_calls()) return next(number, wanted, before);
  exchange_programs_action(wanted, before);
  return 0;
}

MAYA_EXPORT sighandler_t signal(int number, sighandler_t wanted) noexcept {
  MAYA_NEXT(signal);
  if (number != SIGSYS || !handles_direct_calls()) return next(number, wanted);
  struct sigaction action = {}, before = {};
  action.sa_handler = wanted;
  exchange_programs_action(&action, &before);
  return before.sa_handler;
}
