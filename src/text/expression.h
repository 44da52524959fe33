// An expression as text: what `nestwright tune --expr` takes. docs/expressions.md has the grammar.
//
//   Expression product = Expression::parse("C[i, j] = sum(k, A[i, k] * B[k, j]) i=512 j=256 k=128");
//   product.text()    // C[i0,i1]=sum(i2,A[i0,i2]*B[i2,i1])
//   product.str()     // C[i0,i1]=sum(i2,A[i0,i2]*B[i2,i1]) i0=512 i1=256 i2=128
//
// Thread rule: an immutable value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/syntax/canonical.h"
#include "text/syntax/program.h"

namespace nestwright::text {

class Expression {
 public:
  /// Throws ExpressionError.
  static Expression parse(std::string_view text);

  const Program& program() const { return program_; }
  /// The canonical text, which has no spaces, without sizes.
  const std::string& text() const { return canonical_.text; }
  const std::vector<NamedSize>& sizes() const { return canonical_.sizes; }
  /// The canonical text with sizes; parse() of it gives an equal expression.
  std::string str() const;
  friend bool operator==(const Expression& a, const Expression& b) { return a.str() == b.str(); }

 private:
  Expression(Program program, Canonical canonical) : program_(std::move(program)), canonical_(std::move(canonical)) {}

  Program program_;
  Canonical canonical_;
};

}  // namespace nestwright::text
