#include "maya/library_memory.h"

#include <map>
#include <mutex>
#include <vector>

#include "maya/memory.h"

namespace maya {
namespace {

struct Charge {
  int device;
  size_t bytes;
  const char* owner;
};

struct Charges {
  std::mutex lock;
  std::map<uint64_t, Charge> all;
};

Charges& charges() {
  static Charges* instance = new Charges;
  return *instance;
}

void note_charge(bool taken, uint64_t number, const Charge& charge) {
  static const char* const fields[] = {"what:s", "device", "owner:s"};
  static Schema allocated{"alloc", Kind::alloc, fields, 3};
  static Schema freed{"free", Kind::free, fields, 3};
  note(taken ? allocated : freed, {intern("library"), charge.device, intern(charge.owner)}, 0, number,
       charge.bytes);
}

}  // namespace

uint64_t charge_library(int device, size_t bytes, const char* owner) {
  uint64_t number = create_physical(device, bytes);
  if (!number) return 0;
  Charge charge{device, bytes, owner};
  {
    std::lock_guard<std::mutex> guard(charges().lock);
    charges().all[number] = charge;
  }
  note_charge(true, number, charge);
  return number;
}

void release_library(uint64_t number) {
  Charge charge;
  {
    std::lock_guard<std::mutex> guard(charges().lock);
    auto found = charges().all.find(number);
    if (found == charges().all.end()) return;
    charge = found->second;
    charges().all.erase(found);
  }
  release_physical(number);
  note_charge(false, number, charge);
}

void release_library_charges(int device) {
  std::vector<uint64_t> numbers;
  {
    std::lock_guard<std::mutex> guard(charges().lock);
    for (const auto& [number, charge] : charges().all) {
      if (charge.device == device) numbers.push_back(number);
    }
  }
  for (uint64_t number : numbers) release_library(number);
}

}  // namespace maya
