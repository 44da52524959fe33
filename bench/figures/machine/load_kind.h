// The kinds of load on the machine during a measurement, and their names. Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace nestwright::bench {

enum class LoadKind : std::uint8_t {
  kNone,
  kCore,    ///< computes in bursts
  kMemory,  ///< copies blocks of 64 MiB without a pause
};
const char* name_of(LoadKind kind);  // "none", "core", "memory"

/// The kind of this name, or all of them for "all". Throws UsageError that lists the names.
std::vector<LoadKind> parse_loads(std::string_view text);

}  // namespace nestwright::bench
