// Condition variables that are waited for until a virtual moment.
//
// A thread may not look at the clock by taking naps here: it would hold the mutex between them, and miss what
// is signalled meanwhile. It waits for as long as it takes, and a thread of our own moves the time for it and
// wakes it.
#pragma once

#include <pthread.h>

#include <cstdint>

#include "page.h"

namespace maya::clock {

using Condwait = int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*);

// 0 or ETIMEDOUT. `wait` is the system's pthread_cond_clockwait.
int wait_for_condition(Page& page, pthread_cond_t* condition, pthread_mutex_t* mutex, int64_t at_ns,
                       Condwait* wait);

}  // namespace maya::clock
