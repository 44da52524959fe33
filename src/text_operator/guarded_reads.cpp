#include "text_operator/guarded_reads.h"

#include <algorithm>
#include <string>
#include <vector>

#include "nestwright/lower.h"
#include "text/syntax/expression_error.h"

namespace nestwright {
namespace {

struct GuardedRead {
  std::string tensor;
  std::size_t at = 0;
};

std::vector<GuardedRead> guarded_reads(const text::Program& program) {
  std::vector<GuardedRead> reads;
  for (const text::Stage& stage : program.stages) {
    text::for_each_access(stage.body, [&](const text::Access& access, const text::Term& term, bool guarded) {
      if (guarded) reads.push_back({access.tensor, term.at});
    });
  }
  return reads;
}

/// The first read of the tensor that a message mentions, or the first of all.
const GuardedRead& read_in(const std::vector<GuardedRead>& reads, std::string_view message) {
  const auto found = std::find_if(reads.begin(), reads.end(), [&](const GuardedRead& read) {
    return message.find(" from " + read.tensor + " ") != std::string_view::npos ||
           message.find("reads '" + read.tensor + "'") != std::string_view::npos;
  });
  return found == reads.end() ? reads.front() : *found;
}

}  // namespace

void check_guarded_reads(const text::Expression& expression, const Workload& workload) {
  const std::vector<GuardedRead> reads = guarded_reads(expression.program());
  if (reads.empty()) return;
  const Definition& definition = *workload.definition;
  try {
    lower(create_schedule(definition.outputs()), definition.args, Target::parse("cpu,isa=avx2"), "expression",
          {.after_pass = {}, .verify = true});
  } catch (const Error& violation) {
    throw text::ExpressionError(expression.program().text, read_in(reads, violation.what()).at,
                                "pad this read, as in X[...]?0, or clamp its index, as its condition does not prove it "
                                "to be in bounds: " +
                                    std::string(violation.what()));
  }
}

}  // namespace nestwright
