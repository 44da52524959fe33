// Writes scalar expressions as C text with the exact semantics of nestwright/expr_nodes.h. Arithmetic of 64 bits, index
// arithmetic above all, is done in 32 bits if all of it provably fits. Thread rule: an object belongs to one thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "codegen/source/dialect.h"
#include "codegen/source/names.h"
#include "codegen/source/prelude.h"
#include "codegen/source/text.h"
#include "ir/gpu/fragment_layout.h"
#include "ir/simplify/simplify.h"

namespace nestwright::codegen {

class ExpressionWriter {
 public:
  /// `swizzled` contains the buffers with a swizzled layout (ir/gpu/swizzle.h). All references must outlive the
  /// writer.
  ExpressionWriter(const Dialect& dialect, Prelude& prelude, Names& names, const ir::FragmentLayout& fragments,
                   const std::set<ir::Buffer>& swizzled, ir::Ranges known)
      : dialect_(dialect),
        prelude_(prelude),
        names_(names),
        fragments_(fragments),
        swizzled_(swizzled),
        ranges_(std::move(known)) {}

  /// The ranges of variables at the current position in the text.
  ir::Ranges& ranges() { return ranges_; }

  /// The text of a variable.
  struct VariableText {
    std::string text;
    bool wide = false;       ///< an integer of 64 bits
    bool is_stored = false;  ///< in the memory type
  };
  /// Defines the text that refers to `var` from now on.
  void bind(const ir::Var& var, VariableText text) { bindings_[var] = std::move(text); }

  /// The value of a scalar `e`; a 16-bit float is a float, rounded to its type.
  Text value(const ir::Expr& e);
  /// The value of `e` in its memory type.
  std::string stored(const ir::Expr& e);
  /// The lvalue of a buffer's element, such as "A[i*4 + j]".
  std::string element(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices);
  std::string name(const ir::Buffer& buffer) { return names_.of(buffer.operator->(), buffer->name); }
  const Dialect& dialect() const { return dialect_; }
  const ir::FragmentLayout& fragments() const { return fragments_; }

 private:
  Text literal(const ir::Expr& e) const;
  Text variable(const ir::VarRef& n, ir::Type type);
  Text binary(const ir::Binary& n, const ir::Expr& e);
  Text compare(const ir::Binary& n);
  Text sum_or_product(const ir::Binary& n, const ir::Expr& e);
  Text wide_sum_or_product(const ir::Binary& n, const ir::Expr& e, ir::Interval exact);
  Text quotient(const ir::Binary& n, const ir::Expr& e);
  Text min_or_max(const ir::Binary& n, ir::Type type);
  Text select(const ir::Select& n);
  Text cast(const ir::Cast& n, ir::Type to);
  Text load(const ir::Load& n, ir::Type type);
  Text call(const ir::Call& n, const ir::Expr& e);
  Text reinterpret(const ir::Expr& from, ir::Type to);

  /// The value of a 16-bit float as a float32 that is not rounded yet.
  Text unrounded(const ir::Expr& e);
  Text of_stored(std::string text, ir::Type type);
  Text converted(const Text& from, ir::Type to) const;
  /// a op b in C.
  Text apply(ir::BinaryOp op, const Text& a, const Text& b, bool wide = false) const;

  const Dialect& dialect_;
  Prelude& prelude_;
  Names& names_;
  const ir::FragmentLayout& fragments_;
  const std::set<ir::Buffer>& swizzled_;
  ir::Ranges ranges_;
  std::map<ir::Var, VariableText> bindings_;
};

}  // namespace nestwright::codegen
