// Which process of a program is the rank. One that it starts (a probe, an evaluation in a subprocess, a
// worker that touches the device) inherits RANK and everything else: it is recorded, but neither ends the run
// nor speaks for the rank.
#pragma once

#include <string>
#include <vector>

namespace maya {

// Python processes that this one descends from within the run, the first one first, as
// maya_inside/descent.py notes them in MAYA_PROCESSES. Only those with the same RANK.
std::vector<int> older_processes();
std::string command_line_of_this_process();

// This process is a member of a communicator with others: that makes it a rank.
void join_job();
// Whether an older process that still lives is the rank: it has used the device, and has seen steps unless
// this one has not either.
bool is_helper();
// Whether an older process lives, which will tell by itself if this one's failure is the program's.
bool has_older_process();

}  // namespace maya
