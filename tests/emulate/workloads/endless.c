/* Asks for work for ever. Unlike Python, a C program does not ignore the signal for files that are too large. */
#include <stddef.h>

extern int cudaMalloc(void** pointer, size_t bytes);
extern int cudaMemset(void* pointer, int value, size_t bytes);

int main(void) {
  void* memory;
  if (cudaMalloc(&memory, 4096) != 0) return 1;
  for (;;) {
    if (cudaMemset(memory, 0, 4096) != 0) return 1;
  }
}
