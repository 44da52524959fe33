// What a kernel may be called with, and the check of every call against it: number of arguments, element types, ranks,
// extents, strides, alignment, null pointers, const and overlapping memory, and what reads require of the extents. It
// also finds the values of the program's symbols in the extents and strides that it is given. Thread rule: immutable;
// any thread may check. A check of three arrays takes some 40 ns.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/core/program.h"
#include "runtime/array_view.h"

namespace nestwright {

class CallSignature {
 public:
  /// Of a call, which does without constants, or of the preparation, which takes nothing else.
  enum class Part : std::uint8_t { kCall, kPreparation };

  /// Throws UsageError where a symbol of the program is neither the extent nor the stride of any parameter's dimension:
  /// nobody could give it a value.
  explicit CallSignature(const ir::Program& program, Part part = Part::kCall);

  std::size_t arguments() const { return arguments_.size(); }
  /// Which of the program's parameters an argument is.
  std::size_t parameter(std::size_t argument) const { return arguments_[argument].parameter; }
  std::size_t symbols() const { return symbols_.size(); }

  /// Fills in one value a symbol, by the first extent that is just the symbol, or else the first stride (of a dimension
  /// with more than one element, where there is one); every other must agree.
  /// A symbol that only the other part's arguments have is 1: nothing here depends on it.
  /// Symbols are at least 1: the lowering relies on it. Throws UsageError that names kernel,
  /// argument and dimension, what was expected and what came. Requires symbols().
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
    int in_place_of = -1;              ///< of an output: the argument whose memory it may be
    std::uintptr_t alignment = 1;      ///< in bytes, a power of two
    std::vector<Size> shape, strides;  ///< no strides: compact
  };
  /// Where a symbol may be read off.
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
  std::vector<std::vector<Source>> sources_;  ///< of each symbol
};

}  // namespace nestwright
