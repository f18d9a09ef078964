// Ends the job with a reason that the launcher prints.
#pragma once

#include <string>

namespace maya {

// The first reason of the job counts. The launcher ends all ranks when it finds it.
void fail_job(const std::string& reason);

}  // namespace maya
