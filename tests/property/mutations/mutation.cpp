#include "tests/property/mutations/mutation.h"

#include "ir/traversal/rewrite.h"
#include "nestwright/error.h"
#include "nestwright/program.h"
#include "tests/property/data.h"

namespace nestwright::property {
namespace {

class AtSite : public ir::Mutator {
 public:
  AtSite(const ir::Program& program, const Mutation& mutation, int site)
      : program_(program), mutation_(mutation), left_(site) {}

  using Mutator::mutate;
  ir::Stmt mutate(const ir::Stmt& s) override {
    if (!s.defined()) return s;
    if (mutation_.of_statement) {
      if (std::optional<ir::Stmt> other = mutation_.of_statement(s, program_); other && left_-- == 0) return *other;
    }
    return mutate_children(s);
  }
  ir::Expr mutate(const ir::Expr& e) override {
    if (!e.defined()) return e;
    if (mutation_.of_expression) {
      if (std::optional<ir::Expr> other = mutation_.of_expression(e, program_); other && left_-- == 0) return *other;
    }
    return mutate_children(e);
  }
  bool done() const { return left_ < 0; }

 private:
  const ir::Program& program_;
  const Mutation& mutation_;
  int left_;
};

constexpr std::uint64_t kDataSeeds = 16;

}  // namespace

std::vector<Mutation> all_mutations() {
  std::vector<Mutation> all = statement_mutations();
  for (auto* more : {access_mutations, expression_mutations}) {
    for (Mutation& mutation : more()) all.push_back(std::move(mutation));
  }
  return all;
}

std::optional<ir::Program> mutate(const ir::Program& program, const Mutation& mutation, int site) {
  AtSite mutator(program, mutation, site);
  ir::Program result = program;
  for (ir::Kernel& kernel : result.kernels) kernel.body = mutator.mutate(kernel.body);
  if (!mutator.done()) return std::nullopt;
  return result;
}

CaughtBy judge(const Subject& subject, const ir::Program& mutated) {
  if (!ir::verify(mutated, subject.form).empty()) return CaughtBy::kVerifier;
  // One set of data may hide the mutation, for example in a minimum: try more.
  for (std::uint64_t seed = 1; seed <= kDataSeeds; ++seed) {
    const Data expected(subject.program, {}, seed, 0x5A), data(mutated, {}, seed, 0xA5);
    ir::interpret(subject.program, expected.memory());
    try {
      ir::interpret(mutated, data.memory());
    } catch (const Error&) {
      return CaughtBy::kInterpreter;
    }
    if (!data.difference(expected).empty() || !data.damage().empty()) return CaughtBy::kResult;
  }
  return CaughtBy::kNothing;
}

}  // namespace nestwright::property
