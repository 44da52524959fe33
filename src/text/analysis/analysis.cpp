#include <algorithm>

#include "text/syntax/expression_error.h"
#include "text/syntax/program.h"

namespace nestwright::text {
namespace {

/// Finds out what each name means: tensors, their ranks, and the indices of each statement.
class NameResolver {
 public:
  explicit NameResolver(const Source& source) : source_(source) { program_.text = source.text; }

  Program run() {
    if (source_.definitions.empty())
      fail(source_.text.size(), "no statement computes a tensor: write one, as in C[i] = A[i] + B[i]");
    for (const Definition& definition : source_.definitions) define(definition);
    for (const Declaration& declaration : source_.declarations) declare(declaration);
    return std::move(program_);
  }

 private:
  [[noreturn]] void fail(std::size_t at, const std::string& reason) const {
    throw ExpressionError(source_.text, at, reason);
  }

  bool is_defined_later(const std::string& tensor) const {
    return std::any_of(source_.definitions.begin() + static_cast<std::ptrdiff_t>(program_.stages.size()),
                       source_.definitions.end(), [&](const Definition& d) { return d.tensor.text == tensor; });
  }

  std::optional<std::size_t> find(const std::string& tensor) const {
    for (std::size_t t = 0; t < program_.tensors.size(); ++t) {
      if (program_.tensors[t].name == tensor) return t;
    }
    return std::nullopt;
  }

  void define(const Definition& definition) {
    const std::string& name = definition.tensor.text;
    if (find(name)) fail(definition.tensor.at, "'" + name + "' is computed or read before: use another name");
    Stage stage;
    stage.body = definition.body;
    const auto add = [&](const Name& index, std::vector<Axis>& axes) {
      if (stage.find_axis(index.text) != nullptr) fail(index.at, "the index '" + index.text + "' is given twice");
      if (index.text == "inf") fail(index.at, "'inf' is a number: use another name for the index");
      axes.push_back({index.text, 0});
    };
    for (const Name& index : definition.indices) add(index, stage.axes);
    if (definition.reduction) {
      stage.reduction = definition.reduction->kind;
      for (const Name& index : definition.reduction->axes) add(index, stage.reduce_axes);
      if (stage.reduction == ReductionKind::kArgmax && stage.reduce_axes.size() != 1) {
        fail(definition.reduction->at, "argmax runs over one index: reduce over the others before");
      }
    }
    check_indices(definition.body, stage);
    for_each_access(definition.body, [&](const Access& access, const Term& term, bool) { read(access, term.at); });
    stage.tensor = program_.tensors.size();
    program_.tensors.push_back({.name = name, .is_input = false, .at = definition.tensor.at});
    ranks_.push_back(definition.indices.size());
    program_.stages.push_back(std::move(stage));
  }

  void read(const Access& access, std::size_t at) {
    std::optional<std::size_t> tensor = find(access.tensor);
    if (!tensor) {
      if (is_defined_later(access.tensor)) {
        fail(at, "'" + access.tensor + "' is read before the statement that computes it has ended: put that first");
      }
      tensor = program_.tensors.size();
      program_.tensors.push_back({.name = access.tensor, .at = at});
      ranks_.push_back(access.indices.size());
    }
    if (ranks_[*tensor] != access.indices.size()) refuse_rank(*tensor, access.indices.size(), at);
  }

  [[noreturn]] void refuse_rank(std::size_t tensor, std::size_t rank, std::size_t at) const {
    const TensorInfo& known = program_.tensors[tensor];
    fail(at, "'" + known.name + "' has " + std::to_string(ranks_[tensor]) + " dimensions at column " +
                 std::to_string(known.at + 1) + ", but " + std::to_string(rank) + " here");
  }

  /// Every index that a term mentions is one of the statement.
  void check_indices(const Term& term, const Stage& stage) const {
    if (const auto* index = std::get_if<IndexValue>(&term.value)) {
      if (stage.find_axis(index->name) != nullptr) return;
      fail(term.at, "'" + index->name +
                        "' is no index of this statement: put it to the left of '=' or reduce over it; " +
                        "a tensor is read with brackets, as in " + index->name + "[]");
    }
    const auto all = [&](const std::vector<Term>& terms) {
      for (const Term& t : terms) check_indices(t, stage);
    };
    if (const auto* access = std::get_if<Access>(&term.value)) all(access->indices);
    if (const auto* negation = std::get_if<Negation>(&term.value)) all(negation->operand);
    if (const auto* complement = std::get_if<Complement>(&term.value)) all(complement->operand);
    if (const auto* binary = std::get_if<BinaryTerm>(&term.value)) all(binary->operands);
    if (const auto* call = std::get_if<FunctionCall>(&term.value)) all(call->arguments);
  }

  void declare(const Declaration& declaration) {
    const std::string& name = declaration.tensor.text;
    const std::size_t at = declaration.tensor.at;
    const std::optional<std::size_t> found = find(name);
    if (!found) fail(at, "no statement reads or computes '" + name + "': leave the declaration out");
    TensorInfo& tensor = program_.tensors[*found];
    for (const Declaration& other : source_.declarations) {
      if (&other == &declaration) break;
      if (other.tensor.text == name && ((other.type && declaration.type) || (other.range && declaration.range) ||
                                        (other.is_constant && declaration.is_constant))) {
        fail(at, "'" + name + "' is declared twice");
      }
    }
    if (declaration.type && tensor.is_input) tensor.type = *declaration.type;
    if (declaration.shape && declaration.shape->size() != ranks_[*found]) {
      refuse_rank(*found, declaration.shape->size(), at);
    }
    if (declaration.is_constant && !tensor.is_input) {
      fail(at, "'" + name + "' is computed, so it is not constant: declare inputs");
    }
    tensor.is_constant = tensor.is_constant || declaration.is_constant;
    if (!declaration.range) return;
    if (!tensor.is_input) fail(at, "'" + name + "' is computed, so it has no range of data: give those of the inputs");
    tensor.range = declaration.range;
  }

  const Source& source_;
  Program program_;
  std::vector<std::size_t> ranks_;  ///< of the tensors
};

}  // namespace

const Axis* Stage::find_axis(std::string_view name) const {
  for (const std::vector<Axis>* list : {&axes, &reduce_axes}) {
    for (const Axis& axis : *list) {
      if (axis.name == name) return &axis;
    }
  }
  return nullptr;
}

const TensorInfo* Program::find_tensor(std::string_view name) const {
  for (const TensorInfo& tensor : tensors) {
    if (tensor.name == name) return &tensor;
  }
  return nullptr;
}

std::vector<std::size_t> Program::parameters() const {
  std::vector<bool> is_read(tensors.size());
  for (const Stage& stage : stages) {
    for_each_access(stage.body, [&](const Access& access, const Term&, bool) {
      is_read[static_cast<std::size_t>(find_tensor(access.tensor) - tensors.data())] = true;
    });
  }
  std::vector<std::size_t> list;
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    if (tensors[t].is_input) list.push_back(t);
  }
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    if (!tensors[t].is_input && !is_read[t]) list.push_back(t);
  }
  return list;
}

Program analyse(const Source& source) {
  Program program = NameResolver(source).run();
  check_types(source, program);
  resolve_extents(source, program);
  check_divisors(program);
  check_overflow(program);
  return program;
}

}  // namespace nestwright::text
