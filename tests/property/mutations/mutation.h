// Mutations of lowered programs that resemble bugs of the lowering. Each must be caught by the verifier, by the
// interpreter, or by a different result; README.md lists by which. Thread rule: values.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "nestwright/program.h"

namespace nestwright::property {

struct Mutation {
  const char* name;
  const char* what;
  /// The mutated statement or expression; absent where the mutation does not apply to it. Exactly one of the two is
  /// set.
  std::function<std::optional<ir::Stmt>(const ir::Stmt&, const ir::Program&)> of_statement;
  std::function<std::optional<ir::Expr>(const ir::Expr&, const ir::Program&)> of_expression;
};
std::vector<Mutation> statement_mutations();
std::vector<Mutation> access_mutations();
std::vector<Mutation> expression_mutations();
std::vector<Mutation> all_mutations();

/// `program` mutated at place number `site`; absent where it has fewer places.
std::optional<ir::Program> mutate(const ir::Program& program, const Mutation& mutation, int site);

/// A lowered program of a schedule that uses much of the language.
struct Subject {
  std::string name;
  ir::Program program;
  ir::Form form;
};
std::vector<Subject> subjects();

enum class CaughtBy { kVerifier, kInterpreter, kResult, kNothing };
CaughtBy judge(const Subject& subject, const ir::Program& mutated);

}  // namespace nestwright::property
