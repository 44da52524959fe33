// Hashes that are the same in every process, build and version: they end up in databases and seeds.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string_view>

namespace nestwright {

/// FNV-1a of the bytes, then mixed so that all 64 bits depend on all of them. DO NOT CHANGE: stored.
std::uint64_t stable_hash(std::string_view bytes);
/// Folds `value` into `hash`; the order matters.
std::uint64_t hash_combine(std::uint64_t hash, std::uint64_t value);

}  // namespace nestwright
