#include "text/syntax/canonical.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace nestwright::text {
namespace {

/// Which axes of statements and dimensions of tensors are the same, because an axis alone indexes a dimension.
class SameExtents {
 public:
  explicit SameExtents(const Program& program) : program_(program) {
    for (const TensorInfo& tensor : program.tensors) {
      first_dimension_.push_back(size_);
      size_ += tensor.shape.size();
    }
    for (const Stage& stage : program.stages) {
      first_axis_.push_back(size_);
      size_ += stage.axes.size() + stage.reduce_axes.size();
    }
    parent_.resize(size_);
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    for (std::size_t s = 0; s < program.stages.size(); ++s) join_reads(s);
  }

  std::size_t class_of(std::size_t stage, std::size_t axis) { return root(first_axis_[stage] + axis); }

 private:
  void join_reads(std::size_t s) {
    const Stage& stage = program_.stages[s];
    for (std::size_t d = 0; d < stage.axes.size(); ++d) join(first_axis_[s] + d, first_dimension_[stage.tensor] + d);
    for_each_access(stage.body, [&](const Access& access, const Term&, bool) {
      const auto tensor = static_cast<std::size_t>(program_.find_tensor(access.tensor) - program_.tensors.data());
      for (std::size_t d = 0; d < access.indices.size(); ++d) {
        const auto* index = std::get_if<IndexValue>(&access.indices[d].value);
        if (index != nullptr) join(first_axis_[s] + number_of(stage, index->name), first_dimension_[tensor] + d);
      }
    });
  }

  static std::size_t number_of(const Stage& stage, const std::string& name) {
    for (std::size_t a = 0; a < stage.axes.size(); ++a) {
      if (stage.axes[a].name == name) return a;
    }
    for (std::size_t a = 0; a < stage.reduce_axes.size(); ++a) {
      if (stage.reduce_axes[a].name == name) return stage.axes.size() + a;
    }
    return 0;
  }

  std::size_t root(std::size_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  void join(std::size_t a, std::size_t b) { parent_[root(a)] = root(b); }

  const Program& program_;
  std::size_t size_ = 0;
  std::vector<std::size_t> first_dimension_, first_axis_, parent_;
};

using Renaming = std::map<std::string, std::string>;

Term renamed(Term term, const Renaming& names) {
  const auto all = [&](std::vector<Term>& terms) {
    for (Term& t : terms) t = renamed(std::move(t), names);
  };
  std::visit(ir::overloaded{
                 [](Integer&) {},
                 [](Real&) {},
                 [&](IndexValue& n) { n.name = names.at(n.name); },
                 [&](Access& n) { all(n.indices); },
                 [&](Negation& n) { all(n.operand); },
                 [&](Complement& n) { all(n.operand); },
                 [&](BinaryTerm& n) { all(n.operands); },
                 [&](FunctionCall& n) { all(n.arguments); },
             },
             term.value);
  return term;
}

/// Chooses the names i0, i1, ... An index of a later statement has the name of an earlier one that is known to have the
/// same extent.
class IndexNames {
 public:
  IndexNames(const Program& program, std::vector<NamedSize>& sizes) : same_(program), sizes_(sizes) {}

  Renaming names_of(const Stage& stage, std::size_t number) {
    Renaming names;
    std::set<std::size_t> used;
    std::size_t a = 0;
    for (const std::vector<Axis>* axes : {&stage.axes, &stage.reduce_axes}) {
      for (const Axis& axis : *axes) names[axis.name] = sizes_[choose(axis, same_.class_of(number, a++), used)].name;
    }
    return names;
  }

 private:
  std::size_t choose(const Axis& axis, std::size_t class_of_axis, std::set<std::size_t>& used) {
    std::size_t chosen = 0;
    while (chosen < classes_.size() &&
           (used.contains(chosen) || classes_[chosen] != class_of_axis || sizes_[chosen].value != axis.extent)) {
      ++chosen;
    }
    if (chosen == classes_.size()) {
      classes_.push_back(class_of_axis);
      sizes_.push_back({"i" + std::to_string(chosen), axis.extent});
    }
    used.insert(chosen);
    return chosen;
  }

  SameExtents same_;
  std::vector<NamedSize>& sizes_;
  std::vector<std::size_t> classes_;  ///< of the names so far
};

std::string number_text(double value) { return to_string(Term{.value = Real{value}}); }

std::string statement_text(const Program& program, const Stage& stage, const Renaming& names) {
  std::string text = program.tensors[stage.tensor].name + "[";
  for (std::size_t a = 0; a < stage.axes.size(); ++a) text += (a == 0 ? "" : ",") + names.at(stage.axes[a].name);
  text += "]=";
  const std::string body = to_string(renamed(stage.body, names));
  if (!stage.reduction) return text + body;
  text += std::string(reduction_name(*stage.reduction)) + "(";
  for (const Axis& axis : stage.reduce_axes) text += names.at(axis.name) + ",";
  return text + body + ")";
}

/// The declaration of an input; empty if its shape follows from reads, its type is float32, it is not constant and has
/// no range.
std::string declaration_text(const TensorInfo& tensor, std::size_t& shapes, std::vector<NamedSize>& sizes) {
  std::string text;
  const bool has_type = tensor.has_own_shape || tensor.type != kFloat32;
  if (tensor.is_constant) text = ";" + tensor.name + ":constant";
  if (has_type) text += (tensor.is_constant ? " " : ";" + tensor.name + ":") + tensor.type.str();
  if (tensor.has_own_shape) {
    text += "[";
    for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
      sizes.push_back({"n" + std::to_string(shapes++), tensor.shape[d]});
      text += (d == 0 ? "" : ",") + sizes.back().name;
    }
    text += "]";
  }
  if (!tensor.range) return text;
  return text + ";" + tensor.name + ":in[" + number_text(tensor.range->low) + "," + number_text(tensor.range->high) +
         "]";
}

}  // namespace

Canonical canonical_of(const Program& program) {
  Canonical canonical;
  IndexNames names(program, canonical.sizes);
  for (std::size_t s = 0; s < program.stages.size(); ++s) {
    if (s > 0) canonical.text += ";";
    canonical.text += statement_text(program, program.stages[s], names.names_of(program.stages[s], s));
  }
  std::size_t shapes = 0;
  for (const TensorInfo& tensor : program.tensors) {
    if (tensor.is_input) canonical.text += declaration_text(tensor, shapes, canonical.sizes);
  }
  return canonical;
}

}  // namespace nestwright::text
