// Prints where the fields of what C++ and Python share lie, a name and a number a line.
#include <cstddef>
#include <cstdio>

#include "../clock/page.h"
#include "../core/capture_format.h"
#include "../core/virtual/durations_table.h"
#include "../engine/simulation.h"
#include "../files/index.h"

#define AT(type, field) printf("%s.%s %zu\n", #type, #field, offsetof(type, field))
#define BYTES(type) printf("%s %zu\n", #type, sizeof(type))

int main() {
  using maya::Header;
  using maya::Table;
  using maya::clock::Page;
  using Totals = maya::files::Totals;
  using Rates = Table::Rates;
  AT(Page, furthest_ns);
  AT(Page, start_monotonic_ns);
  AT(Page, start_unix_ns);
  AT(Page, standing);
  AT(Page, processes);
  AT(Page, sleepers);
  BYTES(Page);
  AT(Table, wanted);
  AT(Table, answers);
  AT(Table, rates);
  BYTES(Rates);
  AT(Header, steps_seen);
  BYTES(Header);
  BYTES(maya::BlockHeader);
  AT(Totals, shared);
  printf("version %u\n", maya::kVersion);
  printf("whole_share %lld\n", static_cast<long long>(maya::engine::kWholeShare));
}
