// A library with an operator new of its own, as programs bring them: memory that its containers take from it
// must come back to it. Blocks are marked, and one without the mark ends the program.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {
constexpr size_t kMark = 0x6d61796173656e64;

void* marked(size_t size) {
  auto* block = static_cast<size_t*>(std::malloc(size + 16));
  block[0] = kMark;
  return block + 2;
}

void returned(void* pointer) {
  if (!pointer) return;
  size_t* block = static_cast<size_t*>(pointer) - 2;
  if (block[0] != kMark) {
    std::fputs("a block of another operator new\n", stderr);
    std::abort();
  }
  block[0] = 0;
  std::free(block);
}
}  // namespace

#pragma GCC visibility push(hidden)
void* operator new(size_t size) {
  return marked(size);
}
void* operator new[](size_t size) {
  return marked(size);
}
void operator delete(void* pointer) noexcept {
  returned(pointer);
}
void operator delete[](void* pointer) noexcept {
  returned(pointer);
}
void operator delete(void* pointer, size_t) noexcept {
  returned(pointer);
}
void operator delete[](void* pointer, size_t) noexcept {
  returned(pointer);
}
#pragma GCC visibility pop

extern "C" __attribute__((visibility("default"))) int fill() {
  std::vector<int> numbers;
  std::vector<std::string> words;
  std::vector<unsigned long> sizes;
  std::map<int, int> places;
  std::set<std::pair<int, int>> pairs;
  for (int i = 0; i < 1000; ++i) {
    numbers.push_back(i);
    words.push_back("a word that is too long for a string's own place " + std::to_string(i));
    sizes.insert(sizes.begin(), 3, 7ul);
    places[i] = i;
    pairs.insert({i, i});
  }
  numbers.assign(5000, 1);
  return static_cast<int>(numbers.size() + words.size());
}
