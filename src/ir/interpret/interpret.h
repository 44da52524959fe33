// The interpreter of programs: slow, obvious, the judge of every lowering. It runs loop form and vector form alike.
// Parallel and bound loops run their iterations in a random order with a race detector: two iterations that touch one
// element, one of them writing, are an error, as is any access out of bounds or a read of an element never written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

#include "ir/core/program.h"

namespace nestwright::ir {

/// Where a parameter's elements are. Sizes are in bytes and are checked against every access.
using Memory = std::span<std::byte>;

struct InterpretOptions {
  std::uint64_t seed = 1;  ///< of the order in which parallel iterations run
};

/// Runs `program`, its preparation first, on `arguments` (one a parameter that is not prepared, in order) with
/// `symbols` (one a symbol). Throws Error naming the statement for an access out of bounds, an uninitialised read or a
/// race.
void interpret(const Program& program, std::span<const Memory> arguments, std::span<const std::int64_t> symbols = {},
               const InterpretOptions& options = {});

}  // namespace nestwright::ir
