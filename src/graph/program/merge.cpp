#include "graph/program/merge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "graph/program/edit.h"
#include "graph/program/node_form.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

using text::Stage;
using text::Term;

/// Operations of a term that are cheap enough to be computed again, and at most so many of them.
constexpr std::size_t kMaxRepeated = 8;
constexpr int kMaxInlinedHeight = 40;  ///< nesting depth of operations: a text has at most text::kMaxHeight
const std::set<std::string> kCheapFunctions{"abs", "min", "max", "clamp", "select", "fma"};

/// The value of the graph that a tensor of the merged program is.
std::string value_name(ValueId value) { return fmt::format("v{}", value); }

text::Program renamed_program(const GraphNode& node, std::size_t number, std::size_t& next_axis) {
  text::Program program = *node.program;
  std::map<std::string, std::string> names;
  for (const text::TensorInfo& tensor : program.tensors) {
    names[tensor.name] = fmt::format("t{}_{}", number, names.size());
  }
  for (std::size_t i = 0; i < node.inputs.size(); ++i) names[input_name(node, i)] = value_name(node.inputs[i]);
  for (std::size_t i = 0; i < node.outputs.size(); ++i) names[output_name(node, i)] = value_name(node.outputs[i]);
  rename_tensors(program, names);
  rename_axes(program, "i", next_axis);
  return program;
}

/// The operations of a term; a large number if one of them is costly.
std::size_t cost_of(const Term& term) {
  constexpr std::size_t kCostly = 1000;
  std::size_t cost = 0;
  text::for_each_term(term, [&](const Term& part, bool) {
    if (std::holds_alternative<text::Access>(part.value) || std::holds_alternative<text::Negation>(part.value)) ++cost;
    if (const auto* binary = std::get_if<text::BinaryTerm>(&part.value)) {
      const bool is_quotient = binary->op == ir::BinaryOp::kDiv || binary->op == ir::BinaryOp::kMod;
      cost += is_quotient ? kCostly : 1;
    }
    if (const auto* call = std::get_if<text::FunctionCall>(&part.value)) {
      cost += kCheapFunctions.contains(call->name) ? 1 : kCostly;
    }
  });
  return cost;
}

int height_of(Term& term) {
  int height = 0;
  for_each_part(term, [&](Term& part) { height = std::max(height, height_of(part)); });
  return height + 1;
}

bool is_padded_somewhere(const text::Program& program, const std::string& tensor) {
  bool is_padded = false;
  for (const Stage& stage : program.stages) {
    text::for_each_access(stage.body, [&](const text::Access& access, const Term&, bool) {
      is_padded = is_padded || (access.tensor == tensor && access.padding);
    });
  }
  return is_padded;
}

/// Whether the elements of the tensor are computed as often as they are stored, or cheaply, if its readers compute
/// them.
bool should_inline(const text::Program& program, const Stage& stage) {
  const std::string& tensor = program.tensors[stage.tensor].name;
  const std::size_t reads = count_reads(program, tensor);
  if (stage.reduction || reads == 0 || is_padded_somewhere(program, tensor)) return false;
  Term body = stage.body;
  if (height_of(body) > kMaxInlinedHeight) return false;
  if (cost_of(stage.body) <= kMaxRepeated) return true;
  return reads == 1 && reads_in_place(program, tensor);
}

void inline_cheap_stages(text::Program& program) {
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (const Stage& stage : program.stages) {
      if (!should_inline(program, stage)) continue;
      inline_tensor(program, program.tensors[stage.tensor].name);
      has_changed = true;
      break;
    }
  }
}

/// The node of a program whose parameters are named after values.
GraphNode node_of(text::Program program, const std::map<std::string, ValueId>& values) {
  GraphNode node;
  node.program = std::make_shared<const text::Program>(checked(program));
  for (const std::size_t parameter : node.program->parameters()) {
    const text::TensorInfo& tensor = node.program->tensors[parameter];
    (tensor.is_input ? node.inputs : node.outputs).push_back(values.at(tensor.name));
  }
  return node;
}

}  // namespace

GraphNode merged(const Graph& graph, std::span<const std::size_t> nodes, const std::vector<ValueId>& results) {
  std::vector<text::Program> programs;
  std::map<std::string, ValueId> values;
  std::vector<std::string> ops;
  std::size_t next_axis = 0;
  std::string label;
  for (const std::size_t number : nodes) {
    const GraphNode& node = graph.nodes()[number];
    programs.push_back(renamed_program(node, number, next_axis));
    for (const std::vector<ValueId>* list : {&node.inputs, &node.outputs}) {
      for (const ValueId value : *list) values[value_name(value)] = value;
    }
    if (ops.empty() || ops.back() != node.op) ops.push_back(node.op);
    if (label.empty() || !has_no_reduction(node)) label = node.label.empty() ? label : node.label;
  }
  text::Program program = concatenated(programs);
  inline_cheap_stages(program);
  GraphNode node = node_of(std::move(program), values);
  check(std::set(node.outputs.begin(), node.outputs.end()) == std::set(results.begin(), results.end()),
        "a merged node has the results that are asked for");
  node.op = fmt::format("{}", fmt::join(ops, "+"));
  node.label = std::move(label);
  return node;
}

GraphNode with_canonical_names(const GraphNode& node, const std::vector<bool>& is_constant) {
  text::Program program = *node.program;
  std::map<std::string, std::string> names;
  std::size_t inputs = 0, results = 0, others = 0;
  const std::vector<std::size_t> parameters = program.parameters();
  const auto numbered = [](const char* name, std::size_t number) {
    return number == 0 ? std::string(name) : fmt::format("{}{}", name, number);
  };
  for (std::size_t t = 0; t < program.tensors.size(); ++t) {
    const bool is_parameter = std::find(parameters.begin(), parameters.end(), t) != parameters.end();
    std::string& name = names[program.tensors[t].name];
    if (program.tensors[t].is_input) {
      program.tensors[t].is_constant = is_constant[inputs];
      name = inputs < 19 ? std::string(1, static_cast<char>('A' + inputs)) : fmt::format("A{}", inputs);
      ++inputs;
    } else {
      name = is_parameter ? numbered("Y", results++) : numbered("T", others++);
    }
  }
  rename_tensors(program, names);
  std::size_t next_axis = 0;
  rename_axes(program, "i", next_axis);
  GraphNode named = node;
  named.program = std::make_shared<const text::Program>(checked(program));
  return named;
}

}  // namespace nestwright
