// The syntax tree of an expression text, as it is written (docs/expressions.md has the grammar).
// Thread rule: values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "nestwright/expr_nodes.h"

namespace nestwright::text {

struct Term;

inline constexpr std::size_t kMaxText = 1 << 14;  ///< characters of a text
inline constexpr int kMaxHeight = 200;            ///< nesting depth of operations
inline constexpr std::size_t kMaxRank = 8;        ///< indices of a tensor, and axes of a reduction

struct Integer {
  std::int64_t value = 0;
};
struct Real {
  double value = 0;  ///< may be infinite
};
/// The value of an index of the statement.
struct IndexValue {
  std::string name;
};
/// X[n, c, 2*y + r - 1, x]?0
struct Access {
  std::string tensor;
  std::vector<Term> indices;
  std::optional<double> padding;  ///< the value outside of the tensor; none: no index is outside
  std::size_t padding_at = 0;     ///< offset of the padding's first character
};
struct Negation {
  std::vector<Term> operand;  ///< one
};
struct Complement {
  std::vector<Term> operand;  ///< one, a condition
};
struct BinaryTerm {
  ir::BinaryOp op;
  std::vector<Term> operands;  ///< two
};
/// A call of a function of text/syntax/functions.h, a conversion (named after its type), or an operator on bits (named
/// by its symbol).
struct FunctionCall {
  std::string name;
  std::vector<Term> arguments;
};

struct Term {
  std::size_t at = 0;  ///< offset of the character that messages point at
  int height = 1;      ///< nesting depth of operations, at most kMaxHeight
  std::variant<Integer, Real, IndexValue, Access, Negation, Complement, BinaryTerm, FunctionCall> value;
};

/// The offset at which a term begins, brackets around it aside; `at` of an operation is that of its operator.
std::size_t first_character(const Term& term);

/// A name and its place in the text.
struct Name {
  std::string text;
  std::size_t at = 0;
};

enum class ReductionKind : std::uint8_t { kSum, kProd, kMin, kMax, kAny, kAll, kArgmax };
const char* reduction_name(ReductionKind kind);

struct Reduction {
  ReductionKind kind;
  std::size_t at = 0;
  std::vector<Name> axes;
};

/// C[i, j] = sum(k, A[i, k]*B[k, j])
struct Definition {
  Name tensor;
  std::vector<Name> indices;
  std::optional<Reduction> reduction;
  Term body;  ///< the value that is reduced, or the element
  /// Of a reduction inside a larger right side: the definition that it is a part of, which has its indices, too.
  std::optional<std::size_t> part_of = {};
};

struct Range {
  double low = 0, high = 0;
  friend bool operator==(const Range&, const Range&) = default;
};

/// An extent in a declaration: a number, or the name of a size.
struct Extent {
  std::size_t at = 0;
  std::string name;  ///< empty: `value` is given
  std::int64_t value = 0;
};

/// X: constant float16[1, 64, h, w] in [0.1, 2]
struct Declaration {
  Name tensor;
  bool is_constant = false;
  std::optional<ir::Type> type;
  std::optional<std::vector<Extent>> shape;
  std::optional<Range> range;
};

/// i=512
struct Size {
  Name name;
  std::int64_t value = 0;
};

struct Source {
  std::string text;
  std::vector<Definition> definitions;
  std::vector<Declaration> declarations;
  std::vector<Size> sizes;
};

/// Throws ExpressionError that points at the character and says what was expected.
Source parse_source(std::string text);

}  // namespace nestwright::text
