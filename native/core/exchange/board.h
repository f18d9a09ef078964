// The part of the board that only the exchange uses.
#pragma once

#include <cstdint>
#include <string>

namespace maya {

// What this rank waits for, "" if for nothing that only others can give.
void board_tell_wait(const std::string& what);
// Whether every launched rank waits for another, or has ended.
bool board_all_wait();
// CPU time of all other launched ranks so far.
uint64_t board_others_cpu_ns();
// What this process found out about itself: since when nothing but another rank can wake it; 0: not so.
void board_tell_standstill(uint64_t since_ns);
// "rank 0 in ncclRecv ...; rank 1 in ..." when every rank has stood still for at least so long; else "".
std::string board_cycle(uint64_t least_ns);

}  // namespace maya
