#include "graph/program/edit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "graph/program/node_form.h"
#include "nestwright/error.h"
#include "text/syntax/canonical.h"

namespace nestwright {

using text::Access;
using text::Axis;
using text::Stage;
using text::Term;

namespace {

std::string names_of(const std::vector<Axis>& axes) {
  std::string text;
  for (const Axis& axis : axes) text += (text.empty() ? "" : ",") + axis.name;
  return text;
}

std::string statement_text(const text::Program& program, const Stage& stage) {
  const std::string body = text::to_string(stage.body);
  const std::string left = fmt::format("{}[{}]=", program.tensors[stage.tensor].name, names_of(stage.axes));
  if (!stage.reduction) return left + body;
  return fmt::format("{}{}({},{})", left, text::reduction_name(*stage.reduction), names_of(stage.reduce_axes), body);
}

std::string declaration_text(const text::TensorInfo& tensor) {
  std::string text = fmt::format(";{}:{}{}[{}]", tensor.name, tensor.is_constant ? "constant " : "", tensor.type.str(),
                                 fmt::join(tensor.shape, ","));
  if (!tensor.range) return text;
  const auto number = [](double value) { return text::to_string(Term{.value = text::Real{value}}); };
  return text + fmt::format(" in [{},{}]", number(tensor.range->low), number(tensor.range->high));
}

std::size_t number_of(const text::Program& program, const std::string& tensor) {
  const text::TensorInfo* const found = program.find_tensor(tensor);
  check(found != nullptr, "the program has the tensor");
  return static_cast<std::size_t>(found - program.tensors.data());
}

/// Removes the tensors that no statement computes or reads, and numbers the others anew.
void drop_unused_tensors(text::Program& program) {
  std::set<std::string> used;
  for (const Stage& stage : program.stages) {
    used.insert(program.tensors[stage.tensor].name);
    text::for_each_access(stage.body, [&](const Access& access, const Term&, bool) { used.insert(access.tensor); });
  }
  std::vector<std::string> computed;
  for (const Stage& stage : program.stages) computed.push_back(program.tensors[stage.tensor].name);
  std::erase_if(program.tensors, [&](const text::TensorInfo& tensor) { return !used.contains(tensor.name); });
  for (std::size_t s = 0; s < program.stages.size(); ++s) program.stages[s].tensor = number_of(program, computed[s]);
}

}  // namespace

void for_each_part(Term& term, const std::function<void(Term&)>& visit) {
  const auto all = [&](std::vector<Term>& terms) {
    for (Term& t : terms) visit(t);
  };
  std::visit(ir::overloaded{
                 [](text::Integer&) {},
                 [](text::Real&) {},
                 [](text::IndexValue&) {},
                 [&](Access& n) { all(n.indices); },
                 [&](text::Negation& n) { all(n.operand); },
                 [&](text::Complement& n) { all(n.operand); },
                 [&](text::BinaryTerm& n) { all(n.operands); },
                 [&](text::FunctionCall& n) { all(n.arguments); },
             },
             term.value);
}

void change_accesses(Term& term, const std::function<void(Access&, Term&)>& change) {
  for_each_part(term, [&](Term& part) { change_accesses(part, change); });
  if (auto* access = std::get_if<Access>(&term.value)) change(*access, term);
}

Term substitute_axes(Term term, const std::map<std::string, Term>& axes) {
  if (const auto* index = std::get_if<text::IndexValue>(&term.value)) {
    const auto found = axes.find(index->name);
    return found == axes.end() ? term : found->second;
  }
  for_each_part(term, [&](Term& part) { part = substitute_axes(std::move(part), axes); });
  return term;
}

void rename_tensors(text::Program& program, const std::map<std::string, std::string>& names) {
  const auto rename = [&](std::string& name) {
    const auto found = names.find(name);
    if (found != names.end()) name = found->second;
  };
  for (text::TensorInfo& tensor : program.tensors) rename(tensor.name);
  for (Stage& stage : program.stages) {
    change_accesses(stage.body, [&](Access& access, Term&) { rename(access.tensor); });
  }
}

void rename_axes(text::Program& program, const std::string& prefix, std::size_t& next) {
  for (Stage& stage : program.stages) {
    std::map<std::string, Term> renamed;
    for (std::vector<Axis>* axes : {&stage.axes, &stage.reduce_axes}) {
      for (Axis& axis : *axes) {
        const std::string name = prefix + std::to_string(next++);
        renamed[axis.name] = Term{.value = text::IndexValue{name}};
        axis.name = name;
      }
    }
    stage.body = substitute_axes(std::move(stage.body), renamed);
  }
}

text::Program concatenated(const std::vector<text::Program>& programs) {
  text::Program all;
  for (const text::Program& program : programs) {
    for (const text::TensorInfo& tensor : program.tensors) {
      const text::TensorInfo* const known = all.find_tensor(tensor.name);
      if (known == nullptr) all.tensors.push_back(tensor);
    }
    for (Stage stage : program.stages) {
      stage.tensor = number_of(all, program.tensors[stage.tensor].name);
      all.stages.push_back(std::move(stage));
    }
  }
  return all;
}

void inline_tensor(text::Program& program, const std::string& tensor) {
  const std::size_t number = number_of(program, tensor);
  const auto producer = std::find_if(program.stages.begin(), program.stages.end(),
                                     [&](const Stage& stage) { return stage.tensor == number; });
  check(producer != program.stages.end() && !producer->reduction, "an inlined tensor is computed without a reduction");
  const Stage stage = *producer;
  program.stages.erase(producer);
  for (Stage& reader : program.stages) {
    change_accesses(reader.body, [&](Access& access, Term& whole) {
      if (access.tensor != tensor) return;
      check(!access.padding, "the accesses of an inlined tensor are not padded");
      std::map<std::string, Term> indices;
      for (std::size_t d = 0; d < stage.axes.size(); ++d) indices[stage.axes[d].name] = access.indices[d];
      whole = substitute_axes(stage.body, indices);
    });
  }
  drop_unused_tensors(program);
}

text::Program checked(const text::Program& changed) {
  // Statements may have axes of one name with different extents, which sizes cannot say.
  text::Program program = changed;
  std::size_t next = 0;
  rename_axes(program, "i", next);
  std::string text, sizes;
  for (const Stage& stage : program.stages) {
    text += (text.empty() ? "" : ";") + statement_text(program, stage);
    for (const std::vector<Axis>* axes : {&stage.axes, &stage.reduce_axes}) {
      for (const Axis& axis : *axes) sizes += fmt::format(" {}={}", axis.name, axis.extent);
    }
  }
  for (const text::TensorInfo& tensor : program.tensors) {
    if (tensor.is_input) text += declaration_text(tensor);
  }
  return text::analyse(text::parse_source(text + sizes));
}

GraphNode changed_node(const GraphNode& node, text::Program program, const std::map<std::string, ValueId>& added) {
  std::map<std::string, ValueId> inputs = added;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) inputs[input_name(node, i)] = node.inputs[i];
  drop_unused_tensors(program);
  GraphNode changed{.op = node.op, .label = node.label, .outputs = node.outputs};
  changed.program = std::make_shared<const text::Program>(checked(program));
  for (const std::size_t parameter : changed.program->parameters()) {
    const text::TensorInfo& tensor = changed.program->tensors[parameter];
    if (tensor.is_input) changed.inputs.push_back(inputs.at(tensor.name));
  }
  return changed;
}

std::size_t count_reads(const Stage& stage, const std::string& tensor) {
  std::size_t count = 0;
  text::for_each_access(stage.body,
                        [&](const Access& access, const Term&, bool) { count += access.tensor == tensor ? 1 : 0; });
  return count;
}

std::size_t count_reads(const text::Program& program, const std::string& tensor) {
  std::size_t count = 0;
  for (const Stage& stage : program.stages) count += count_reads(stage, tensor);
  return count;
}

std::vector<std::string> axes_of(const Term& term) {
  std::vector<std::string> axes;
  text::for_each_term(term, [&](const Term& part, bool) {
    const auto* index = std::get_if<text::IndexValue>(&part.value);
    if (index != nullptr && std::ranges::find(axes, index->name) == axes.end()) axes.push_back(index->name);
  });
  return axes;
}

}  // namespace nestwright
