// What a call of the program does to the job's virtual clock, where it has one.
#pragma once

#include <cstdint>

#include "awaits_rank.h"
#include "maya/record.h"

namespace maya {

// The real library would take so long for a call of this kind, on the target's host.
void spend_call(Kind kind);

// A call of this definition is recorded: the CPU time before it is what usually passes there.
void settle_call(uint32_t definition);

}  // namespace maya
