// What all native test programs share: checks that say what failed, and cases chosen by name.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

// What a library adds to a failed check: its own account of the last error.
#ifndef EXPLAIN_FAILURE
#define EXPLAIN_FAILURE()
#endif

// Without the exit handlers: a forked rank that failed must not tidy up as if all were well.
#define CHECK(condition)                                                   \
  do {                                                                     \
    if (!(condition)) {                                                    \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      EXPLAIN_FAILURE();                                                   \
      std::_Exit(1);                                                       \
    }                                                                      \
  } while (0)

// Status first, so that a failure shows what came instead.
#define EXPECT(status, call)                                                                            \
  do {                                                                                                  \
    const int got = (call);                                                                             \
    if (got != (status)) {                                                                              \
      std::fprintf(stderr, "%s:%d: %s gave %d, not %d\n", __FILE__, __LINE__, #call, got, int{status}); \
      EXPLAIN_FAILURE();                                                                                \
      std::_Exit(1);                                                                                    \
    }                                                                                                   \
  } while (0)

// main() of a program with several cases: runs the one that its argument names.
inline int run_case(const std::map<std::string, void (*)()>& cases, int count, char** arguments) {
  auto found = count == 2 ? cases.find(arguments[1]) : cases.end();
  if (found == cases.end()) return std::fprintf(stderr, "no such case\n"), 2;
  found->second();
  return 0;
}
