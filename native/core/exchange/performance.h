// A collective being performed on real values.
#pragma once

#include <memory>
#include <vector>

#include "channel.h"
#include "maya/exchange.h"
#include "plan.h"

namespace maya {

class Performance {
 public:
  explicit Performance(const Operation& operation);

  // Reads the input and sends it to whom it concerns; never waits.
  void post();
  // What comes from a member that is no process is like what another receive of the same group brings.
  void receive_like(const std::shared_ptr<Performance>& other) { like_ = other; }
  // Waits until `patience_deadline_ns` at most; true when the output was stored, known or not.
  bool finish(uint64_t patience_deadline_ns);
  // As finish, without waiting for anything, not even for another thread that is finishing it.
  bool try_finish();
  // Whether this thread is storing an output: what it reads and writes then is not under way.
  static bool finishing_here();
  // What the output's memory held is gone, what comes is not there yet.
  void forget_output() const;
  // From here on it is watched whether a sender may still come.
  void remain();
  // Until when a kernel that reads the output waits: on while other ranks work.
  uint64_t kernel_deadline_ns();
  // The output's memory has another use by now: do not store it.
  void drop_output() { output_dropped_ = true; }
  Collective what() const { return operation_.what; }
  const Operation& operation() const { return operation_; }
  bool touches(const void* address, size_t bytes) const;

 private:
  bool finish_locked(uint64_t patience_deadline_ns);
  void read_input();
  Collected await_letter(int place, Lane lane, uint64_t until_ns, Letter* letter);
  Lane lane() const { return plan_.direct ? Lane::direct : Lane::collective; }
  bool linger();
  void report_mismatch(int source, const Letter& letter) const;
  bool hear_from(int source, uint64_t patience_deadline_ns);
  bool hear_of_virtual(int source, uint64_t patience_deadline_ns);
  void accept(int source, const char* bytes, size_t known);
  bool all_known() const;
  void speak_for_virtual_members();
  bool keeps_output() const;
  void store_reduction();
  void store_slices();
  uint64_t signature() const;
  void store();

  Operation operation_;
  std::shared_ptr<Performance> like_;
  std::string site_;
  Plan plan_;
  uint64_t sequence_ = 0;
  uint64_t deadline_ns_ = 0;
  std::mutex looking_;
  uint64_t seen_working_ns_ = 0;   // when other ranks were last found to work
  uint64_t others_worked_ns_ = 0;  // CPU time of theirs up to then
  std::vector<char> input_;
  size_t known_bytes_ = 0;       // of the input, from its start
  mutable bool failed_ = false;  // a member is gone or disagrees
  std::atomic<bool> output_dropped_{false};
  bool follows_norm_ = false;  // what this member gives follows from a norm that a policy gave
  std::mutex finishing_;
  bool finished_ = false;
  int next_member_ = 0;  // whose part is waited for; those before it have given theirs
  struct Slice {
    bool given = false;
    std::vector<char> bytes;  // the part that is known
  };
  std::vector<Slice> slices_;  // what each member gives to this one
};

}  // namespace maya
