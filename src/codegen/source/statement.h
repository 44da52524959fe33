// Statements of a kernel as C text. Thread rule: one thread each.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "codegen/source/expression.h"
#include "codegen/source/lanes.h"
#include "ir/core/stmt.h"

namespace nestwright::codegen {

class StatementWriter {
 public:
  StatementWriter(ExpressionWriter& expressions, Prelude& prelude, Names& names)
      : expressions_(expressions), dialect_(expressions.dialect()), prelude_(prelude), names_(names) {}

  /// Stores that are written as asynchronous copies (asynchronous.h) where one access does.
  void set_asynchronous(std::set<const ir::StmtNode*> copies) { asynchronous_ = std::move(copies); }

  /// At `depth` steps of indentation. What it begins is awaited in it.
  void write_whole(const ir::Stmt& s, int depth);
  void line(const std::string& text, int depth);
  std::string take() { return std::move(out_); }

 private:
  void write(const ir::Stmt& s, int depth);
  void write_loop(const ir::For& loop, int depth);
  void write_let(const ir::Let& let, int depth);
  void write_if(const ir::IfThenElse& choice, int depth);
  void write_store(const ir::Store& store, int depth);
  /// False where it takes more than one access.
  bool write_copy(const ir::Store& store, int depth);
  void write_vector_store(const ir::Store& store, int lanes, int depth);
  void write_lanes(const ir::Store& store, int lanes, const std::vector<HeldLoad>& held, int depth);
  void write_block(const ir::Block& block, int depth);
  void write_fragment_call(const FragmentCall& call, int depth);
  /// Waits for the products that were begun, if any.
  void await_products(int depth);
  void write_array(const ir::Allocate& allocation, int depth);

  /// Loads by one access what `e` loads so, into variables in front of the statement.
  std::vector<HeldLoad> load_vectors(const std::vector<ir::Expr>& of, int depth);
  /// The place that one access of a vector is at, or empty where it takes several.
  std::string vector_place(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices, bool is_const);
  /// What one access loads, 0 where the mask of all lanes says so; empty where it takes several accesses.
  std::string loaded_vector(const ir::Load& load);
  /// A constant of this name that `value` is held by from here on.
  void declare(const ir::Var& var, const ir::Expr& value, const std::string& name, int depth);

  ExpressionWriter& expressions_;
  const Dialect& dialect_;
  Prelude& prelude_;
  Names& names_;
  std::set<const ir::StmtNode*> asynchronous_;
  std::optional<FragmentCall> begun_;  ///< of kMultiplyShared, not awaited yet
  LaneVars lane_vars_;
  std::string out_;
};

}  // namespace nestwright::codegen
