// Huffman-coded literals (RFC 8878, 4.2).
#pragma once

#include "bits.h"

namespace maya::fatbin::zstd {

constexpr unsigned kMaxHuffmanBits = 11;

struct HuffmanTable {
  struct Cell {
    uint8_t symbol;
    uint8_t bits;
  };
  Cell cells[1 << kMaxHuffmanBits];
  unsigned bits = 0;  // 0 while there is no table
};

// Reads the tree description at the start of `source`; its length goes to `used`.
bool read_huffman_table(Bytes source, HuffmanTable* table, size_t* used);

// Decodes exactly `size` symbols from one stream, or from four with a jump table before them.
bool huffman_decode_1(const HuffmanTable& table, Bytes source, uint8_t* out, size_t size);
bool huffman_decode_4(const HuffmanTable& table, Bytes source, uint8_t* out, size_t size);

}  // namespace maya::fatbin::zstd
