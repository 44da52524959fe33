// The arguments that a kernel accepts. Each call is checked against them: the number of arguments, element types,
// ranks, extents, strides, alignment, null pointers, const and overlapping memory, and the program's requirements on
// extents. The check also determines the values of the program's symbols from the extents and strides.
// Thread rule: immutable; any thread may check. Checking three arrays takes about 40 ns.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nestwright/array.h"
#include "nestwright/program.h"

namespace nestwright {

class CallSignature {
 public:
  /// A call, which takes all arguments except the constants, or the preparation, which takes only the constants.
  enum class Part : std::uint8_t { kCall, kPreparation };

  /// Throws UsageError if a symbol of the program is not the extent or stride of any parameter's dimension, because
  /// then nothing determines its value.
  explicit CallSignature(const ir::Program& program, Part part = Part::kCall);

  std::size_t arguments() const { return arguments_.size(); }
  /// Returns the number of an argument's parameter in the program.
  std::size_t parameter(std::size_t argument) const { return arguments_[argument].parameter; }
  std::size_t symbols() const { return symbols_.size(); }

  /// Checks the arguments of a call and sets `symbols`, of size symbols(), to one value per symbol: that of the first
  /// extent that is exactly the symbol, else of the first such stride (preferably of a dimension with more than one
  /// element); all others must agree. A symbol that only the other part's arguments contain is set to 1, because
  /// nothing here depends on it. Throws UsageError that names the kernel, the argument, the dimension, and the expected
  /// and the actual value; symbols must be at least 1, as the lowering assumes.
  void check(std::span<const ArrayRef> given, std::span<std::int64_t> symbols) const;

 private:
  /// An extent or a stride.
  struct Size {
    enum class Kind : std::uint8_t { kConstant, kSymbol, kExpression };
    Kind kind = Kind::kConstant;
    std::int64_t constant = 0;
    std::size_t symbol = 0;
    ir::Expr expression;
  };
  struct Argument {
    std::string name;
    std::size_t parameter = 0;
    ir::Type type;
    bool is_output = false;
    int in_place_of = -1;              ///< for an output: the argument whose memory it may share
    std::uintptr_t alignment = 1;      ///< in bytes, a power of two
    std::vector<Size> shape, strides;  ///< no strides: compact
  };
  /// A place that determines a symbol's value.
  struct Source {
    std::size_t argument = 0, dimension = 0;
    bool is_stride = false;
  };

  Size size_of(const ir::Expr& e) const;
  std::int64_t value(const Size& size, std::span<const std::int64_t> symbols) const;
  void check_kind(const Argument& argument, const ArrayRef& given) const;
  void bind_symbols(std::span<const ArrayRef> given, std::span<std::int64_t> symbols) const;
  void check_layout(const Argument& argument, const ArrayRef& given, std::span<const std::int64_t> symbols) const;
  void check_requirements(std::span<const std::int64_t> symbols) const;
  void check_overlaps(std::span<const ArrayRef> given) const;
  [[noreturn]] void refuse(const Argument& argument, const std::string& what) const;
  [[noreturn]] void refuse_size(const Argument& argument, const char* of, std::size_t dimension,
                                const std::string& expected, std::int64_t given) const;
  static std::string expectation(const Size& size, std::int64_t value);

  std::string name_;
  std::vector<Argument> arguments_;
  std::vector<ir::Var> symbols_;
  std::vector<ir::Requirement> requirements_;
  std::vector<std::vector<Source>> sources_;  ///< by symbol
};

}  // namespace nestwright
