#include "container.h"

namespace maya {
namespace {

// PTX is compiled forward to any later device, except what was written for one or for one family.
bool ptx_runs_on(const FatbinEntry& entry, int sm) {
  if (entry.scope == ImageScope::kGeneric) return entry.sm <= sm;
  return fatbin::cubin_runs_on(entry.sm, entry.scope, sm);
}

bool runs_on(const FatbinEntry& entry, int sm) {
  if (entry.kind == ImageKind::kCubin) return fatbin::cubin_runs_on(entry.sm, entry.scope, sm);
  return entry.kind == ImageKind::kPtx && ptx_runs_on(entry, sm);
}

// A cubin before PTX, then the nearest architecture, then the one made for the fewest devices:
// programs ship sm_90 beside sm_90a where the first holds no more than stubs.
bool better(const FatbinEntry& a, const FatbinEntry& b) {
  if (a.kind != b.kind) return a.kind == ImageKind::kCubin;
  if (a.sm != b.sm) return a.sm > b.sm;
  return a.scope > b.scope;
}

}  // namespace

const FatbinEntry* choose_entry(const std::vector<FatbinEntry>& entries, int sm) {
  const FatbinEntry* best = nullptr;
  for (const FatbinEntry& entry : entries) {
    if (runs_on(entry, sm) && (!best || better(entry, *best))) best = &entry;
  }
  return best;
}

}  // namespace maya
