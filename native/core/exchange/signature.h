// What a rank believes a collective to be, in one word that can be compared and told.
#pragma once

#include <cstdint>
#include <string>

#include "maya/exchange.h"

namespace maya {

// Kind, type, root and count (its lower 36 bits). A send is signed as the receive that it must meet.
uint64_t sign_operation(const Operation& operation);
// "ncclAllReduce of 1024 float32".
std::string describe_signature(uint64_t signature);
// The same, with the peer of a message.
std::string describe_operation(const Operation& operation);

}  // namespace maya
