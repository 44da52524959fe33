// Mutations of lowered programs, of the kinds that a bug of the lowering makes. Each must be caught: by the verifier,
// by the interpreter, or because the result differs. README.md lists by what each is. Thread rule: values.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ir/core/program.h"
#include "ir/verify/verify.h"

namespace nestwright::property {

struct Mutation {
  const char* name;
  const char* what;
  /// What a statement or an expression becomes; absent where the mutation has nothing to do there. One of the two is
  /// set.
  std::function<std::optional<ir::Stmt>(const ir::Stmt&, const ir::Program&)> of_statement;
  std::function<std::optional<ir::Expr>(const ir::Expr&, const ir::Program&)> of_expression;
};
std::vector<Mutation> statement_mutations();
std::vector<Mutation> access_mutations();
std::vector<Mutation> expression_mutations();
std::vector<Mutation> all_mutations();

/// `program` mutated at the place number `site`; absent where it has fewer places.
std::optional<ir::Program> mutate(const ir::Program& program, const Mutation& mutation, int site);

/// A program that was really lowered, of a schedule that uses much of the language.
struct Subject {
  std::string name;
  ir::Program program;
  ir::Form form;
};
std::vector<Subject> subjects();

enum class CaughtBy { kVerifier, kInterpreter, kResult, kNothing };
CaughtBy judge(const Subject& subject, const ir::Program& mutated);

}  // namespace nestwright::property
