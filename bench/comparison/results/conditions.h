// The conditions of a comparison, the same for all contestants, and their names.
// Thread rule: values and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "nestwright/workload.h"

namespace nestwright::bench {

/// The pages of the tensors.
enum class Pages : std::uint8_t {
  kSmall,  ///< 4 KiB, even where the kernel would give huge pages: what plain allocations usually have
  kHuge,   ///< 2 MiB; an error where the kernel gives none
};

/// The contents of the caches when a call begins.
enum class Caches : std::uint8_t {
  kWarm,  ///< the tensors of the previous call, as far as they fit
  kCold,  ///< none of its tensors: calls rotate through copies of the tensors that are together twice as large as the
          ///< last cache. Code, and data that a library keeps between calls, stay warm
};

/// The treatment of the weights, the second operand of a product or a convolution, before it is timed.
enum class Weights : std::uint8_t {
  kPlain,      ///< none: packing is part of each call
  kPrepacked,  ///< they are constant, and converted to any layout once, outside the timing
  /// Likewise, and a library may also read and write its own layouts, as inside of a network that it runs as a whole.
  /// Ours reads and writes the operator's layouts.
  kBlocked,
};

/// "small", "cold", "prepacked", ...
const char* name_of(Pages pages);
const char* name_of(Caches caches);
const char* name_of(Weights weights);
/// The inverses of name_of. Throw UsageError that lists the names.
Pages parse_pages(std::string_view name);
Caches parse_caches(std::string_view name);
Weights parse_weights(std::string_view name);

/// The workload for our own kernel where libraries get `workload`: with prepared weights unless they are plain. nullopt
/// where we cannot prepare those of this operator. Throws UsageError for a workload that already declares prepared
/// operands.
std::optional<Workload> workload_of_ours(const Workload& workload, Weights weights);

}  // namespace nestwright::bench
