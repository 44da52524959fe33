// Under which conditions everything is timed, the same for all contestants, and how they are written.
// Thread rule: values and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "templates/framework/workload.h"

namespace nestwright::bench {

/// The pages that tensors lie on.
enum class Pages : std::uint8_t {
  kSmall,  ///< 4 KiB, whatever the kernel would give by itself: what plain allocations get
  kHuge,   ///< 2 MiB; refused where the kernel gives none
};

/// What the caches hold when a call begins.
enum class Caches : std::uint8_t {
  kWarm,  ///< the tensors of the call before, as far as they fit
  kCold,  ///< none of its tensors: calls go round over copies of the tensors that are together twice as large as the
          ///< last cache. Code, and what a library keeps between calls, stay warm
};

/// What is done to the second operand of a product before it is timed.
enum class Weights : std::uint8_t {
  kPlain,      ///< nothing: packing is part of each call
  kPrepacked,  ///< it is constant: brought into whatever layout is liked, once, outside the timing
};

/// "small", "cold", "prepacked", ...
const char* name_of(Pages pages);
const char* name_of(Caches caches);
const char* name_of(Weights weights);
/// The inverses. Throw UsageError that lists the names.
Pages parse_pages(std::string_view name);
Caches parse_caches(std::string_view name);
Weights parse_weights(std::string_view name);

/// What we are tuned for and called with where libraries are given `workload`: B prepared where weights are prepacked.
/// None: we prepare nothing of this operator. Throws UsageError for a workload that says itself what is prepared.
std::optional<Workload> workload_of_ours(const Workload& workload, Weights weights);

}  // namespace nestwright::bench
