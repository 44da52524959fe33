// Computes bounds of index terms, and their linear forms.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "ir/analysis/interval.h"
#include "text/syntax/program.h"

namespace nestwright::text {

/// Known facts about the leaves of a term; nullopt where a fact is not known (yet).
struct Leaves {
  std::function<std::optional<std::int64_t>(const std::string& index)> extent;
  std::function<std::optional<ir::Interval>(const Access&)> element;
  std::function<ir::Type(const Access&)> type;  ///< of the element
  /// Whether a floating-point number that is clamped to an interval is assumed to lie inside it after its conversion to
  /// an integer. It may lie outside: NaN becomes 0, and the number's type may round the ends of the interval.
  bool trusts_conversions = false;
};

/// What is known in a statement: the extents of its axes that are known by now, the declared ranges of inputs, and the
/// ranges of tensors that an argmax computes. Trusts conversions.
Leaves leaves_of(const Program& program, const Stage& stage);

/// The type that a term is computed in; nullopt for a literal, which takes the type of the other operand. For a
/// comparison it is the type of the operands, not bool.
std::optional<ir::Type> type_of(const Term& term, const Leaves& leaves);

/// The integers between which the values of a term lie; both ends are attained if it is linear and its indices are
/// distinct. nullopt if the element or extent of a leaf is not known, the term is no number, or numbers overflow.
std::optional<ir::Interval> interval_of(const Term& term, const Leaves& leaves);

/// A part of a term whose values are known, but are not all of its type.
struct TypeOverflow {
  const Term* part;
  ir::Interval values;
  ir::Type type;
};
/// The first part because of which interval_of() a term is nullopt; nullopt where there is none.
std::optional<TypeOverflow> find_type_overflow(const Term& term, const Leaves& leaves);

/// Whether a part of the term converts a floating-point number to an integer. Indices of reads are no part of it.
bool converts_float(const Term& term, const Leaves& leaves);

/// constant + the sum of coefficient * index.
struct Linear {
  std::int64_t constant = 0;
  std::map<std::string, std::int64_t> coefficients;  ///< never 0
};
/// nullopt if the term is not linear in the indices.
std::optional<Linear> linear_of(const Term& term);

}  // namespace nestwright::text
