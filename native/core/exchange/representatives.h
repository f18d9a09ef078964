// Ranks that are no process: who answers for them, and what their communicators are made of.
#pragma once

#include <cstdint>
#include <vector>

#include "maya/record.h"

namespace maya {

struct Communicator;

// Is this rank of the job a process? Without a file of representatives all are.
bool is_launched(int world_rank);
// The launched rank that does what this one would do; itself if launched.
int representative_of(int world_rank);
// How many ranks are processes.
int launched_ranks();
bool has_virtual_ranks();
// The nearest launched member behind a virtual one next to this process: the virtual stages of a pipeline
// between the two pass on what one of them sends. -1 where nothing is passed on.
int relay_partner(const Communicator& comm, int member);

// What declare_members told: virtual members cannot announce themselves. Empty when nothing was declared.
std::vector<int> declared_members(uint64_t id);

}  // namespace maya

extern "C" {
// For the code inside Python, which sees groups being made: `unique_id` is NCCL's.
// Device memory holds from now on what other memory holds, as far as that is known; nothing is recorded.
MAYA_EXPORT void maya_repeat_values(void* to, const void* from, uint64_t bytes);
// While on, messages of this thread are parts of a collective (torch scatters and gathers by send and recv).
MAYA_EXPORT void maya_in_collective(int on);
MAYA_EXPORT void maya_declare_communicator(const void* unique_id, uint64_t bytes, const int* world_ranks,
                                           int count);
}
