// The interpreter of programs in loop form and vector form: slow and obviously correct, the reference for every
// lowering. Parallel and bound loops run their iterations in a random order under a race detector: it is an error where
// two concurrent iterations access one element and one of them writes, as is an access out of bounds or a read of an
// uninitialised element.
// Thread rule: a pure function, except that it writes to the memory it is given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>

#include "ir/core/program.h"
#include "ir/core/scalar.h"

namespace nestwright::ir {

/// The memory of a parameter, in bytes. Every access is checked against its size.
using Memory = std::span<std::byte>;

/// A C function for the interpreter: its value for arguments of the types of the call.
using ExternFunction = std::function<Scalar(std::span<const Scalar> args)>;

struct InterpretOptions {
  std::uint64_t seed = 1;  ///< seed of the random order of parallel iterations
  /// By name, the C functions that the program calls (call_extern). A call of any other is an Error.
  std::map<std::string, ExternFunction> functions;
};

/// Runs `program`, its preparation first, on `arguments` (one for each parameter that is not prepared, in order) with
/// `symbols` (one value for each symbol). Throws Error, which names the statement, for an access out of bounds, an
/// uninitialised read or a race.
void interpret(const Program& program, std::span<const Memory> arguments, std::span<const std::int64_t> symbols = {},
               const InterpretOptions& options = {});

}  // namespace nestwright::ir
