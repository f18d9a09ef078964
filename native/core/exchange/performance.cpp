#include "performance.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "../awaits_rank.h"
#include "../clock.h"
#include "../known_values.h"
#include "arithmetic.h"
#include "audit.h"
#include "board.h"
#include "kernels/norms.h"
#include "maya/memory.h"
#include "maya/run_files.h"
#include "maya/runtime.h"
#include "maya/values.h"
#include "representatives.h"
#include "signature.h"
#include "stall.h"

namespace maya {
namespace {

constexpr uint64_t kPiece = uint64_t{500} * 1000 * 1000;
constexpr int kBuiltInOps = 5;  // ncclNumOps: larger numbers are operations the program made

// How long kernels wait for values that they would read, while no other rank works. PyTorch's sends of other
// values wait for those kernels as well, so that nearly always only the sender is missing. It may compile for
// minutes, or wait for another that does: each stage of a pipeline runs once before the next one learns its
// shapes.
constexpr double kKernelPatienceSeconds = 120;
constexpr uint64_t kIdleShare = 50;  // one part in so many of a CPU

uint64_t kernel_patience_ns() {
  const char* text = std::getenv("MAYA_KERNEL_PATIENCE");
  double seconds = text && *text ? std::atof(text) : kKernelPatienceSeconds;
  return static_cast<uint64_t>(std::max(seconds, 0.0) * 1e9);
}

thread_local bool finishing = false;

struct Finishing {
  bool before = std::exchange(finishing, true);
  ~Finishing() { finishing = before; }
};

const ScaledSum* scaled_sum(const Operation& operation) {
  if (operation.op < kBuiltInOps) return nullptr;
  size_t index = static_cast<size_t>(operation.op - kBuiltInOps);
  const auto& made = operation.comm->scaled_sums;
  return index < made.size() ? &made[index] : nullptr;
}

}  // namespace

Performance::Performance(const Operation& operation)
    : operation_(operation), site_(operation.site), plan_(make_plan(operation)) {
  Communicator& comm = *operation.comm;
  size_t peer = static_cast<size_t>(operation.root);
  if (operation.what == Collective::send) {
    sequence_ = comm.sent[peer]++;
  } else if (operation.what == Collective::recv) {
    sequence_ = comm.received[peer]++;
  } else {
    sequence_ = comm.collectives.fetch_add(1);
  }
  deadline_ns_ = answer_deadline();
  slices_.resize(static_cast<size_t>(comm.nranks));
}

uint64_t Performance::signature() const {
  return sign_operation(operation_);
}

// Waits in pieces, to look meanwhile whether the job can go on at all.
Collected Performance::await_letter(int place, Lane lane, uint64_t until_ns, Letter* letter) {
  Channel& channel = *operation_.comm->channel;
  AwaitsRank awaits;
  Collected collected =
      channel.collect(place, lane, sequence_, std::min(until_ns, monotonic_ns() + kPiece), letter);
  if (collected != Collected::late || monotonic_ns() >= until_ns) return collected;
  // A receive whose value nobody has asked for goes on without it: others are not its only way out.
  std::optional<Waiting> waiting;
  if (until_ns >= deadline_ns_)
    waiting.emplace(describe_operation(operation_) + (site_.empty() ? "" : " at " + site_));
  while (collected == Collected::late && monotonic_ns() < until_ns) {
    operation_.comm->audit->look(*operation_.comm);
    collected = channel.collect(place, lane, sequence_, std::min(until_ns, monotonic_ns() + kPiece), letter);
  }
  return collected;
}

// A rank that left in the middle of the job has failed: its launcher is about to end this one too, and going
// on alone would only hide that. True where it left because the run has all that it was for.
bool Performance::linger() {
  if (!std::getenv("MAYA_SUPERVISED") || config().run_dir.empty()) return false;
  const std::string stop = run_files::path(run_files::kStop);
  for (int i = 0; i < 100; ++i) {
    if (access(stop.c_str(), F_OK) == 0) return true;
    real_nap(100'000'000);
  }
  return false;
}

void Performance::report_mismatch(int source, const Letter& letter) const {
  failed_ = true;
  if (!plan_.direct) {  // the audit knows the other side's line too, and ends the job
    inform("ranks disagree about a collective's size, type or root: its result is unknown");
    return;
  }
  // NCCL does not compare the ends of a message, and one as small as this arrives all the same. PyTorch's
  // pipelines rely on it: they warm up with an int64 that is received as a float.
  int other = operation_.comm->world_ranks[static_cast<size_t>(source)];
  std::string text = "rank " + std::to_string(config().rank) + " calls " + describe_operation(operation_) +
                     (site_.empty() ? "" : " at " + site_) + ", but rank " + std::to_string(other) +
                     " sends" + describe_signature(letter.signature).substr(sizeof "ncclRecv of" - 1) +
                     ": its value is unknown";
  inform(text.c_str());
}

void Performance::read_input() {
  input_.resize(plan_.input_bytes);
  known_bytes_ = known_prefix(operation_.input, plan_.input_bytes);
  peek(input_.data(), operation_.input, plan_.input_bytes);
  follows_norm_ = follows_norm(operation_.input);
  const ScaledSum* scaled = plan_.reduces ? scaled_sum(operation_) : nullptr;
  if (!scaled) return;
  char scalar[8];
  size_t bytes = type_bytes(operation_.type);
  const void* from = scaled->device_scalar ? scaled->device_scalar : scaled->scalar;
  if (!values_known(from, bytes)) known_bytes_ = 0;
  peek(scalar, from, bytes);
  scale(operation_.type, input_.data(), plan_.input_bytes / bytes, scalar);
}

void Performance::post() {
  if (plan_.input_bytes == 0) return;
  read_input();
  Communicator& comm = *operation_.comm;
  bool to_virtual = plan_.target >= 0 && comm.is_virtual(plan_.target);
  int target = to_virtual ? relay_partner(comm, plan_.target) : plan_.target;
  if (to_virtual && target < 0) return;
  Letter letter;
  letter.lane = to_virtual ? Lane::relayed : lane();
  letter.target = target < 0 ? -1 : comm.place(target);
  letter.sequence = sequence_;
  letter.signature = signature();
  letter.known = static_cast<uint32_t>(known_bytes_);
  // What is not known would be zeros that nobody uses.
  letter.bytes.assign(input_.begin(), input_.begin() + static_cast<ptrdiff_t>(known_bytes_));
  if (comm.nranks > 1 || plan_.direct) comm.channel->post(letter);
}

bool Performance::finish(uint64_t patience_deadline_ns) {
  std::lock_guard<std::mutex> guard(finishing_);
  return finish_locked(patience_deadline_ns);
}

bool Performance::try_finish() {
  std::unique_lock<std::mutex> guard(finishing_, std::try_to_lock);
  return guard.owns_lock() && finish_locked(0);
}

void Performance::remain() {
  std::lock_guard<std::mutex> guard(looking_);
  seen_working_ns_ = monotonic_ns();
  others_worked_ns_ = board_others_cpu_ns();
}

uint64_t Performance::kernel_deadline_ns() {
  static const uint64_t patience = kernel_patience_ns();
  std::lock_guard<std::mutex> guard(looking_);
  uint64_t now = monotonic_ns();
  if (now >= seen_working_ns_ + patience) {
    uint64_t worked = board_others_cpu_ns();
    if (worked > others_worked_ns_ + patience / kIdleShare) seen_working_ns_ = now;
    others_worked_ns_ = worked;
  }
  return seen_working_ns_ + patience;
}

bool Performance::finishing_here() {
  return finishing;
}

void Performance::forget_output() const {
  uintptr_t output = reinterpret_cast<uintptr_t>(operation_.output);
  if (is_device_address(output)) known_values().forget_range(output, plan_.output_bytes);
}

bool Performance::finish_locked(uint64_t patience_deadline_ns) {
  if (finished_ || plan_.output_bytes == 0) return true;
  Finishing here;
  int last = plan_.only_source >= 0 ? plan_.only_source : operation_.comm->nranks - 1;
  if (plan_.only_source >= 0) next_member_ = plan_.only_source;
  for (; next_member_ <= last; ++next_member_) {
    if (!hear_from(next_member_, patience_deadline_ns)) return false;
  }
  store();
  finished_ = true;
  return true;
}

// False when the member may still speak.
bool Performance::hear_from(int source, uint64_t patience_deadline_ns) {
  if (source == operation_.comm->rank && !plan_.direct) {
    accept(source, input_.data(), known_bytes_);
    return true;
  }
  bool from_virtual = operation_.comm->is_virtual(source);
  int sender = from_virtual && plan_.direct ? relay_partner(*operation_.comm, source) : source;
  if (from_virtual && (sender < 0 || !plan_.direct)) return hear_of_virtual(source, patience_deadline_ns);
  Channel& channel = *operation_.comm->channel;
  int place = operation_.comm->place(sender);
  Letter letter;
  Lane from = from_virtual ? Lane::relayed : lane();
  Collected collected = await_letter(place, from, std::min(patience_deadline_ns, deadline_ns_), &letter);
  if (collected == Collected::late && monotonic_ns() < deadline_ns_) return false;
  if (collected != Collected::arrived) {
    bool ending = collected == Collected::gone && linger();
    channel.give_up(place);
    if (!ending) {
      inform("a rank did not answer in a collective: its values, and results made of them, are unknown");
    }
    failed_ = true;
  } else if (letter.signature != signature()) {
    report_mismatch(source, letter);
  } else {
    accept(source, letter.bytes.data(), std::min<size_t>(letter.known, letter.bytes.size()));
  }
  return true;
}

bool Performance::hear_of_virtual(int source, uint64_t patience_deadline_ns) {
  if (!like_) return true;
  if (!like_->finish(patience_deadline_ns)) return false;
  const void* theirs = like_->operation_.output;
  std::vector<char> bytes(known_prefix(theirs, std::min(plan_.output_bytes, like_->plan_.output_bytes)));
  peek(bytes.data(), theirs, bytes.size());
  accept(source, bytes.data(), bytes.size());
  like_.reset();
  return true;
}

void Performance::accept(int source, const char* bytes, size_t known) {
  Slice& slice = slices_[static_cast<size_t>(source)];
  slice.given = true;
  size_t until = std::min(known, plan_.slice_offset + plan_.slice_bytes);
  if (until > plan_.slice_offset) slice.bytes.assign(bytes + plan_.slice_offset, bytes + until);
}

bool Performance::all_known() const {
  for (const Slice& slice : slices_) {
    if (slice.bytes.size() != plan_.slice_bytes) return false;
  }
  return true;
}

void Performance::store_reduction() {
  std::vector<const char*> inputs;
  for (const Slice& slice : slices_) inputs.push_back(slice.bytes.data());
  int op = operation_.op < kBuiltInOps ? operation_.op : static_cast<int>(ReduceOp::sum);
  std::vector<char> result(plan_.output_bytes);
  reduce(operation_.type, op, inputs.data(), inputs.size(), operation_.count, result.data());
  poke(operation_.output, result.data(), result.size());
}

// Values that only travel arrive as far as they were known where they came from: object collectives pad byte
// strings to the longest of all ranks.
void Performance::store_slices() {
  char* to = static_cast<char*>(operation_.output);
  for (const Slice& slice : slices_) {
    if (!slice.given) continue;
    if (!slice.bytes.empty()) poke(to, slice.bytes.data(), slice.bytes.size());
    to += plan_.slice_bytes;
  }
}

// A virtual member gives what its representative gives. A virtual root's values, which nobody here has, are
// taken to be what this member's buffer holds already.
void Performance::speak_for_virtual_members() {
  const Communicator& comm = *operation_.comm;
  for (int i = 0; i < comm.nranks && !comm.places.empty(); ++i) {
    if (comm.is_virtual(i)) slices_[static_cast<size_t>(i)] = slices_[static_cast<size_t>(comm.voice(i))];
  }
}

bool Performance::keeps_output() const {
  bool from_virtual = plan_.only_source >= 0 && operation_.comm->is_virtual(plan_.only_source);
  return from_virtual && !plan_.direct;
}

void Performance::store() {
  Allocation still_there;
  uintptr_t output = reinterpret_cast<uintptr_t>(operation_.output);
  bool on_device = is_device_address(output);
  if (keeps_output() || output_dropped_ || (on_device && !find_allocation(operation_.output, &still_there)))
    return;
  forget_output();
  follow_norm(operation_.output, follows_norm_);
  if (failed_) return;
  if (plan_.only_source < 0) speak_for_virtual_members();
  if (!plan_.reduces) return store_slices();
  if (all_known()) store_reduction();
}

bool Performance::touches(const void* address, size_t bytes) const {
  const char* from = static_cast<const char*>(address);
  const char* mine = static_cast<const char*>(operation_.output);
  return from < mine + plan_.output_bytes && mine < from + bytes;
}

}  // namespace maya
