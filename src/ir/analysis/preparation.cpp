#include "ir/analysis/preparation.h"

#include <algorithm>

#include "ir/traversal/rewrite.h"
#include "support/base/round_up.h"

namespace nestwright::ir {

std::vector<Parameter> operator_parameters(const Program& program) {
  std::vector<Parameter> parameters = program.parameters;
  std::erase_if(parameters, [](const Parameter& parameter) { return parameter.role == Role::kPrepared; });
  return parameters;
}

std::vector<std::int64_t> prepared_bytes(const Program& program) {
  constexpr std::int64_t kAlignment = 64;
  std::vector<std::int64_t> sizes;
  for (const Parameter& parameter : program.parameters) {
    if (parameter.role != Role::kPrepared) continue;
    sizes.push_back(round_up(parameter.buffer->elements() * parameter.buffer->element.bytes(), kAlignment));
  }
  return sizes;
}

bool is_of_call(const Program& program, std::size_t kernel) {
  return !any_stmt(program.preparation, [&](const Stmt& s) {
    const auto* launch = s.as<Launch>();
    return launch != nullptr && launch->kernel == static_cast<int>(kernel);
  });
}

Stmt with_preparation(const Program& program) {
  Stmt whole = block({program.preparation, program.host});
  for (const Parameter& parameter : program.parameters) {
    if (parameter.role == Role::kPrepared) whole = make_allocate(parameter.buffer, std::move(whole));
  }
  return whole;
}

}  // namespace nestwright::ir
