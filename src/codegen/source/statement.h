// Writes the statements of a kernel as C text. Thread rule: an object belongs to one thread.
#pragma once

#include <string>
#include <vector>

#include "codegen/source/expression.h"
#include "ir/analysis/lanes.h"
#include "ir/gpu/copies.h"
#include "ir/gpu/fragment_layout.h"
#include "nestwright/program.h"

namespace nestwright::codegen {

class StatementWriter {
 public:
  /// A writer for statements of `kernel`; the other arguments must outlive it.
  StatementWriter(ExpressionWriter& expressions, Prelude& prelude, Names& names, const ir::Stmt& kernel)
      : expressions_(expressions),
        dialect_(expressions.dialect()),
        prelude_(prelude),
        names_(names),
        copies_asynchronously_(ir::has_asynchronous_copies(kernel)),
        multiplies_by_warpgroups_(ir::multiplies_by_warpgroups(kernel)) {}

  /// Appends a statement at `depth` steps of indentation.
  void write(const ir::Stmt& s, int depth);
  void line(const std::string& text, int depth);
  std::string take() { return std::move(out_); }

 private:
  void write_loop(const ir::For& loop, int depth);
  void write_let(const ir::Let& let, int depth);
  void write_if(const ir::IfThenElse& choice, int depth);
  void write_store(const ir::Store& store, int depth);
  void write_copy(const ir::Store& store, int depth);
  void write_vector_store(const ir::Store& store, int lanes, int depth);
  void write_lanes(const ir::Store& store, int lanes, const std::vector<ir::HeldLoad>& held, int depth);
  void write_instruction(const ir::TensorInstruction& instruction, int depth);
  void write_array(const ir::Allocate& allocation, int depth);

  /// Writes, before the statement, each vector load in `of` that is a single access into a variable of its own.
  std::vector<ir::HeldLoad> load_vectors(const std::vector<ir::Expr>& of, int depth);
  /// The lvalue of a vector that a single access moves; empty if it takes several accesses.
  std::string vector_place(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices, bool is_const);
  /// The value of a vector load that is a single access, 0 if its uniform mask is off; empty if it takes several.
  std::string loaded_vector(const ir::Load& load);
  /// Declares a constant `name` with the value of `var`, which later text refers to.
  void declare(const ir::Var& var, const ir::Expr& value, const std::string& name, int depth);

  ExpressionWriter& expressions_;
  const Dialect& dialect_;
  Prelude& prelude_;
  Names& names_;
  bool copies_asynchronously_, multiplies_by_warpgroups_;  ///< barriers wait for copies, and fence stores for wgmma
  ir::LaneVars lane_vars_;
  std::string out_;
};

}  // namespace nestwright::codegen
