// The part of the board that only the exchange uses.
#pragma once

#include <cstdint>
#include <string>

namespace maya {

void board_wait_begins(const std::string& what);
void board_wait_ends();
// "rank 0 in ncclRecv ...; rank 1 in ..." when every process of the job has been waiting for so long; else
// "".
std::string board_all_waiting(uint64_t since_ns);

}  // namespace maya
