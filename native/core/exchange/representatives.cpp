#include "representatives.h"

#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "maya/exchange.h"
#include "maya/run_files.h"
#include "maya/runtime.h"

namespace maya {
namespace {

struct Table {
  std::vector<int> of;  // per rank; empty: every rank is a process
  int launched = 0;
};

Table read_table() {
  Table table;
  const Config& job = config();
  std::ifstream file(job.representatives_file);
  for (int rank = 0; file >> rank;) table.of.push_back(rank);
  if (static_cast<int>(table.of.size()) != job.world_size) table.of.clear();
  for (size_t i = 0; i < table.of.size(); ++i) table.launched += table.of[i] == static_cast<int>(i);
  if (table.of.empty()) table.launched = job.world_size;
  return table;
}

const Table& table() {
  static const Table* instance = new Table(read_table());
  return *instance;
}

thread_local bool in_collective = false;

struct Declared {
  std::mutex lock;
  std::map<uint64_t, std::vector<int>> members;
};

Declared& declared() {
  static Declared* instance = new Declared;
  return *instance;
}

}  // namespace

int representative_of(int world_rank) {
  size_t index = static_cast<size_t>(world_rank);
  return index < table().of.size() ? table().of[index] : world_rank;
}

bool is_launched(int world_rank) {
  return representative_of(world_rank) == world_rank;
}

int launched_ranks() {
  return table().launched;
}

bool has_virtual_ranks() {
  return table().launched < static_cast<int>(table().of.size());
}

int relay_partner(const Communicator& comm, int member) {
  static const bool relayed = std::getenv("MAYA_RELAY") != nullptr;
  int step = member - comm.rank;
  if (!relayed || (step != 1 && step != -1)) return -1;
  while (member >= 0 && member < comm.nranks && comm.is_virtual(member)) member += step;
  return member < comm.nranks ? member : -1;
}

void declare_members(uint64_t id, std::vector<int> world_ranks) {
  std::lock_guard<std::mutex> guard(declared().lock);
  declared().members[id] = std::move(world_ranks);
}

std::vector<int> declared_members(uint64_t id) {
  std::lock_guard<std::mutex> guard(declared().lock);
  auto found = declared().members.find(id);
  return found == declared().members.end() ? std::vector<int>{} : found->second;
}

uint64_t communicator_id(const void* unique_id, size_t bytes) {
  // FNV-1a: the id is random already, all ranks only need to agree.
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < bytes; ++i) {
    hash = (hash ^ static_cast<const unsigned char*>(unique_id)[i]) * 0x100000001b3u;
  }
  return hash;
}

void note_partner(const Communicator& comm, int member) {
  if (in_collective) return;
  if (!comm.is_virtual(member) || config().run_dir.empty()) return;
  static std::mutex lock;
  static std::set<int> noted;
  std::lock_guard<std::mutex> guard(lock);
  int partner = comm.world_ranks[static_cast<size_t>(member)];
  if (!noted.insert(partner).second) return;
  std::string line = std::to_string(partner);
  for (int rank : comm.world_ranks) line += " " + std::to_string(rank);
  const std::string name = run_files::kPartners + std::to_string(config().rank) + run_files::kPartnersEnd;
  std::ofstream file(run_files::path(name), std::ios::app);
  file << line << std::endl;
}

}  // namespace maya

void maya_in_collective(int on) {
  maya::in_collective = on != 0;
}

void maya_repeat_values(void* to, const void* from, uint64_t bytes) {
  maya::repeat_values(to, from, bytes);
}

void maya_declare_communicator(const void* unique_id, uint64_t bytes, const int* world_ranks, int count) {
  if (!unique_id || !world_ranks || count < 1) return;
  maya::declare_members(maya::communicator_id(unique_id, bytes), {world_ranks, world_ranks + count});
}
