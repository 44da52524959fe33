// Names what may load the machine while something is measured. Pure. Thread rule: values.
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

/// One by its name, or each of them for "all". Throws UsageError that lists the names.
std::vector<LoadKind> parse_loads(std::string_view text);

}  // namespace nestwright::bench
