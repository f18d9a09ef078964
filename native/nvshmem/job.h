// The processing elements of an NVSHMEM job and its teams, over the same exchange that NCCL uses.
#pragma once

#include <cstddef>
#include <cstdint>

#include "maya/exchange.h"

namespace maya::nvshmem {

enum Status : int { kNotInitialized = 0, kBootstrapped = 1, kInitialized = 2 };
enum Team : int { kInvalidTeam = -1, kWorld = 0, kShared = 1 };

// Who this process is, as told before initialisation.
void set_place(int rank, int ranks, const void* unique_id);
// False when the place was never set or the others refused.
bool join_job();
void leave_job();
int job_status();

// Null when the team does not exist or this process is not in it.
CommunicatorRef team(int number);
// Collective over the parent; kInvalidTeam for processes that are not members.
int split_team(int parent, int start, int stride, int size);

// Memory at the same place on all elements; peers' copies have addresses of their own.
void* allocate_symmetric(size_t bytes);
void free_symmetric(void* address);
// Null when the address is not symmetric memory or there is no such element.
void* address_on(const void* address, int pe);

}  // namespace maya::nvshmem
