// The tensors that the programs of a case run on: small integers, poisoned outputs, canaries around everything.
// Thread rule: values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "nestwright/program.h"
#include "tests/property/dim.h"

namespace nestwright::property {

/// The values of a program's symbols, in its order. Requires each of them to be in `symbols`.
std::vector<std::int64_t> symbol_values(const ir::Program& program, const std::vector<Symbol>& symbols);

class Data {
 public:
  /// Inputs depend only on the seed; outputs hold `poison`.
  Data(const ir::Program& program, const std::vector<Symbol>& symbols, std::uint64_t seed, std::uint8_t poison);

  std::vector<ir::Memory> memory() const;  ///< for ir::interpret, which allocates prepared tensors itself
  std::vector<void*> pointers() const;     ///< for compiled code, prepared tensors included
  /// Which byte beside a tensor, or of an input, was written; empty where none was.
  std::string damage() const;
  /// The first output element that differs, for people to read; empty where all are equal. The zeros of a
  /// floating-point type count as equal, since the order of a minimum or maximum decides between them.
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

/// A rough count of the statements that the program executes, with loop extents at their largest value.
std::int64_t count_steps(const ir::Program& program, const std::vector<Symbol>& symbols);

}  // namespace nestwright::property
