#include "support/data/hash.h"

namespace nestwright {

namespace {

// The finaliser of splitmix64: FNV-1a alone leaves the high bits of short strings poorly mixed.
std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

std::uint64_t stable_hash(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (char c : bytes) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3ULL;
  }
  return mix(hash);
}

std::uint64_t hash_combine(std::uint64_t hash, std::uint64_t value) {
  return mix(hash + 0x9e3779b97f4a7c15ULL + mix(value) * 3);
}

}  // namespace nestwright
