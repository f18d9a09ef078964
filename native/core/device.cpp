#include "maya/device.h"

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "maya/runtime.h"
#include "maya/stream.h"
#include "process.h"
#include "visible_devices.h"

namespace maya {
namespace {

using Setter = std::function<void(DeviceModel&, const std::string&)>;

Setter integer(int DeviceModel::* field) {
  return [field](DeviceModel& model, const std::string& value) { model.*field = std::atoi(value.c_str()); };
}

Setter bytes(uint64_t DeviceModel::* field) {
  return [field](DeviceModel& model, const std::string& value) {
    model.*field = std::strtoull(value.c_str(), nullptr, 10);
  };
}

const std::map<std::string, Setter>& setters() {
  static const auto* table = new std::map<std::string, Setter>{
      {"name", [](DeviceModel& model, const std::string& value) { model.name = value; }},
      {"major", integer(&DeviceModel::major)},
      {"minor", integer(&DeviceModel::minor)},
      {"sm_count", integer(&DeviceModel::sm_count)},
      {"clock_khz", integer(&DeviceModel::clock_khz)},
      {"memory_clock_khz", integer(&DeviceModel::memory_clock_khz)},
      {"memory_bus_bits", integer(&DeviceModel::memory_bus_bits)},
      {"total_memory", bytes(&DeviceModel::total_memory)},
      {"context_bytes", bytes(&DeviceModel::context_bytes)},
      {"l2_bytes", integer(&DeviceModel::l2_bytes)},
      {"shared_per_sm", integer(&DeviceModel::shared_per_sm)},
      {"shared_per_block", integer(&DeviceModel::shared_per_block)},
      {"shared_per_block_optin", integer(&DeviceModel::shared_per_block_optin)},
      {"regs_per_sm", integer(&DeviceModel::regs_per_sm)},
      {"regs_per_block", integer(&DeviceModel::regs_per_block)},
      {"max_threads_per_sm", integer(&DeviceModel::max_threads_per_sm)},
      {"max_blocks_per_sm", integer(&DeviceModel::max_blocks_per_sm)},
      {"ecc", integer(&DeviceModel::ecc)},
      {"tcc", integer(&DeviceModel::tcc)},
      {"pci_gen", integer(&DeviceModel::pci_gen)},
      {"nvlinks", integer(&DeviceModel::nvlinks)},
      {"power_limit_mw", integer(&DeviceModel::power_limit_mw)},
  };
  return *table;
}

DeviceModel read_model(const std::string& path) {
  DeviceModel model;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    size_t equals = line.find('=');
    if (equals == std::string::npos) continue;
    auto setter = setters().find(line.substr(0, equals));
    if (setter != setters().end()) setter->second(model, line.substr(equals + 1));
  }
  return model;
}

struct Devices {
  DeviceModel model = read_model(config().device_file);
  std::vector<int> visible = visible_devices();
  // PyTorch asks several times in each operation.
  std::vector<std::atomic<bool>> contexts = std::vector<std::atomic<bool>>(visible.size());
  std::mutex lock;
  std::set<std::pair<int, int>> peers;
};

Devices& devices() {
  static Devices* instance = new Devices;
  return *instance;
}

thread_local int thread_device = 0;

bool is_visible(int device) {
  return device >= 0 && static_cast<size_t>(device) < devices().visible.size();
}

}  // namespace

const DeviceModel& device_model() {
  return devices().model;
}
int device_count() {
  return static_cast<int>(devices().visible.size());
}
int physical_device(int device) {
  return devices().visible[static_cast<size_t>(device)];
}
int current_device() {
  return thread_device;
}

bool set_current_device(int device) {
  if (!is_visible(device)) return false;
  thread_device = device;
  return true;
}

void ensure_context(int device) {
  watch_forks();
  if (is_visible(device)) devices().contexts[static_cast<size_t>(device)] = true;
}

bool has_context(int device) {
  return is_visible(device) &&
         devices().contexts[static_cast<size_t>(device)].load(std::memory_order_acquire);
}

void forget_context(int device) {
  if (!is_visible(device)) return;
  Devices& all = devices();
  std::lock_guard<std::mutex> guard(all.lock);
  all.contexts[static_cast<size_t>(device)] = false;
  for (auto pair = all.peers.begin(); pair != all.peers.end();) {
    pair = pair->first == device ? all.peers.erase(pair) : std::next(pair);
  }
}

void device_uuid(int device, unsigned char uuid[16]) {
  physical_uuid(physical_device(device), uuid);
}

void device_pci(int device, int* domain, int* bus, int* slot) {
  *domain = 0;
  *bus = 0x1b + 0x10 * physical_device(device) % 0xe0;
  *slot = 0;
}

bool peer_access_enabled(int device, int peer) {
  Devices& all = devices();
  std::lock_guard<std::mutex> guard(all.lock);
  return all.peers.count({device, peer}) != 0;
}

void set_peer_access(int device, int peer, bool enabled) {
  Devices& all = devices();
  std::lock_guard<std::mutex> guard(all.lock);
  if (enabled) {
    all.peers.insert({device, peer});
  } else {
    all.peers.erase({device, peer});
  }
}

}  // namespace maya
