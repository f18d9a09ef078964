// Files by which the processes of one job meet.
#pragma once

#include <cstdint>
#include <string>

namespace maya {

// Inside the run's directory, which whoever made it removes; else in /dev/shm, where files whose
// processes are all gone are swept by the next to come.
std::string meeting_path(uint64_t id);

// Opens or creates, at least `bytes` long, zero-filled. -1 on failure.
int open_shared(const std::string& path, uint64_t bytes);
void* map_shared(int file, uint64_t bytes);

}  // namespace maya
