// Hashes that are the same in every process, build and version, because databases store them and seeds derive from
// them.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string_view>

namespace nestwright {

/// FNV-1a of the bytes, then mixed so that each of the 64 bits depends on all of them. Do not change: values are
/// stored.
std::uint64_t stable_hash(std::string_view bytes);
/// Combines `hash` with `value`. Not commutative.
std::uint64_t hash_combine(std::uint64_t hash, std::uint64_t value);

}  // namespace nestwright
