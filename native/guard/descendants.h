// The processes below this one.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace maya {

// Every living descendant. Orphans count: this process is their reaper.
std::vector<pid_t> descendants();
// The command line, its words joined by spaces; "" for a process that is gone.
std::string command_line(pid_t pid);

}  // namespace maya
