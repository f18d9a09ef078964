// Is the process behind a peer still there, and has it done anything?
#pragma once

#include <cstdint>

namespace maya {

// When the process started, in clock ticks since boot: tells a process from a later one with the same id.
// 0 when there is no such process or it is a zombie.
uint64_t process_start(int pid);
bool process_alive(int pid, uint64_t start);

// CPU time and bytes read and written so far, sockets and pipes included; 0 where it cannot be told.
uint64_t process_cpu_ns(int pid);
uint64_t process_bytes(int pid);

}  // namespace maya
