// The virtual clock of a job, as the core sees it. Times count from the job's start.
//
// Each thread has a time of its own. It grows with the CPU time that the thread uses, at the pace of the
// target's host, and with what the core adds: the cost of a call into the real libraries, a wait for the
// device. A thread that was blocked goes on at the time of the thread that is furthest, since that is the one
// that woke it, or could have. Time spent inside the emulator does not pass.
#pragma once

#include <cstdint>

struct MayaClock {
  int64_t (*now_ns)();             // of this thread
  void (*enter)();                 // the emulator works for this thread ...
  void (*leave)();                 // ... until here; nests
  void (*settle)(uint64_t place);  // a call is recorded, at this place of the program
  void (*spend)(int64_t ns);       // the real thing would take so long
  void (*wait_until)(int64_t at_ns);
  void (*hold)(int threads);           // so many more threads wait for what does not pass in virtual time
  void (*await_ranks)(int threads);    // so many more wait for another rank
  uint64_t (*unix_ns)(int64_t at_ns);  // as CLOCK_REALTIME shows it
};

extern "C" const MayaClock* maya_clock();
