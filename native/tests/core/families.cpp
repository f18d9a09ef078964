// The family of each kernel name on stdin, a line each.
#include <cstdio>
#include <iostream>
#include <string>

#include "../../core/kernels/family.h"

int main() {
  for (std::string name; std::getline(std::cin, name);) std::puts(maya::family_of(name.c_str()).name);
}
