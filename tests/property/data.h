// The tensors that programs of a case are run on: small whole numbers, outputs poisoned, canaries around everything.
// Thread rule: values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ir/core/program.h"
#include "ir/interpret/interpret.h"
#include "tests/property/dim.h"

namespace nestwright::property {

/// The values of a program's symbols, in its order. Requires each to be one of `symbols`.
std::vector<std::int64_t> symbol_values(const ir::Program& program, const std::vector<Symbol>& symbols);

class Data {
 public:
  /// Inputs are the same for the same seed; outputs hold `poison`.
  Data(const ir::Program& program, const std::vector<Symbol>& symbols, std::uint64_t seed, std::uint8_t poison);

  std::vector<ir::Memory> memory() const;  ///< as ir::interpret takes it, which has its own for what is prepared
  std::vector<void*> pointers() const;     ///< as compiled code takes them, prepared ones included
  /// Says which byte beside a tensor, or of an input, was written; empty where none was.
  std::string damage() const;
  /// The first element of an output that differs, for people; empty where all are equal. The two zeros of a
  /// floating-point type count as equal: the order of a minimum or maximum decides between them.
  std::string difference(const Data& expected) const;

 private:
  struct Argument {
    std::string name;
    ir::Type type;
    ir::Role role;
    std::size_t bytes;
    std::unique_ptr<std::byte[], void (*)(std::byte*)> block;  ///< with the canaries
    std::vector<std::byte> original;                           ///< of an input
    std::byte* data() const;
  };
  std::vector<Argument> arguments_;
};

/// Rough count of the statements that the program executes; what a loop's extent may be counts as its largest value.
std::int64_t count_steps(const ir::Program& program, const std::vector<Symbol>& symbols);

}  // namespace nestwright::property
