// What the program's main thread waits for, as far as only another rank can end it.
#pragma once

#include <string>

namespace maya {

// The calling thread is in a call that only another rank can end; `what` says which.
void rank_wait_begins(const std::string& what);
void rank_wait_ends();

// Empty when something else might wake the main thread: one that sleeps, reads, compiles or waits for a child
// may yet do what other ranks wait for. Three waits count: its own for a rank, that for a backward pass which
// waits for a rank, and that for a key of the job's rendezvous store, which ranks write.
std::string main_thread_waits_for();

}  // namespace maya
