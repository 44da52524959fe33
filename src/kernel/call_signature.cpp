#include "kernel/call_signature.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "ir/analysis/evaluate.h"
#include "kernel/memory_overlap.h"
#include "kernel/task_limit.h"
#include "nestwright/error.h"
#include "nestwright/program.h"

namespace nestwright {

namespace {

/// Whether an extent or a stride of some parameter is the symbol, so that a call determines its value.
bool is_given(const ir::Var& symbol, const ir::Program& program) {
  const auto is_symbol = [&](const ir::Expr& e) {
    const auto* ref = e.as<ir::VarRef>();
    return ref != nullptr && ref->var == symbol;
  };
  return std::any_of(program.parameters.begin(), program.parameters.end(), [&](const ir::Parameter& parameter) {
    const ir::Buffer& buffer = parameter.buffer;
    return std::any_of(buffer->shape.begin(), buffer->shape.end(), is_symbol) ||
           std::any_of(buffer->strides.begin(), buffer->strides.end(), is_symbol);
  });
}

}  // namespace

CallSignature::CallSignature(const ir::Program& program, Part part)
    : name_(part == Part::kCall ? program.name : program.name + "_prepare"), symbols_(program.symbols) {
  if (part == Part::kCall) {
    const std::vector<ir::Requirement> limits = task_limits(program);
    requirements_ = program.requirements;
    requirements_.insert(requirements_.end(), limits.begin(), limits.end());
  }
  sources_.resize(symbols_.size());
  std::vector<int> number(program.parameters.size(), -1);  // argument by parameter
  for (std::size_t p = 0; p < program.parameters.size(); ++p) {
    const ir::Parameter& parameter = program.parameters[p];
    if (parameter.role == ir::Role::kPrepared || parameter.is_constant != (part == Part::kPreparation)) continue;
    number[p] = static_cast<int>(arguments_.size());
    const ir::Buffer& buffer = parameter.buffer;
    Argument argument;
    argument.name = buffer->name;
    argument.parameter = p;
    argument.type = buffer->element;
    argument.is_output = parameter.role == ir::Role::kOutput;
    argument.in_place_of = parameter.in_place_of < 0 ? -1 : number[static_cast<std::size_t>(parameter.in_place_of)];
    argument.alignment = std::bit_ceil(static_cast<std::uintptr_t>(std::max(buffer->alignment, 1)));
    const auto add = [&](std::vector<Size>& sizes, const ir::Expr& e, bool is_stride) {
      const Size& size = sizes.emplace_back(size_of(e));
      if (size.kind == Size::Kind::kSymbol)
        sources_[size.symbol].push_back({arguments_.size(), sizes.size() - 1, is_stride});
    };
    if (parameter.shape) {
      for (const std::int64_t extent : *parameter.shape) add(argument.shape, ir::Expr(extent), false);
    } else {
      for (const ir::Expr& extent : buffer->shape) add(argument.shape, extent, false);
    }
    for (const ir::Expr& stride : buffer->strides) add(argument.strides, stride, true);
    arguments_.push_back(std::move(argument));
  }
  for (std::size_t s = 0; s < symbols_.size(); ++s) {
    // Extents come first, because messages about them are easier to understand.
    std::stable_partition(sources_[s].begin(), sources_[s].end(),
                          [](const Source& source) { return !source.is_stride; });
    if (is_given(symbols_[s], program)) continue;
    throw UsageError(
        fmt::format("{}: no argument gives symbol {} its value: make it the extent or a stride of a dimension", name_,
                    symbols_[s].name()));
  }
}

CallSignature::Size CallSignature::size_of(const ir::Expr& e) const {
  if (const std::int64_t* constant = ir::as_const_int(e)) return {Size::Kind::kConstant, *constant, 0, {}};
  if (const auto* ref = e.as<ir::VarRef>()) {
    const auto found = std::find(symbols_.begin(), symbols_.end(), ref->var);
    nestwright::check(found != symbols_.end(), "a parameter's extent is no symbol of its program");
    return {Size::Kind::kSymbol, 0, static_cast<std::size_t>(found - symbols_.begin()), {}};
  }
  return {Size::Kind::kExpression, 0, 0, e};
}

std::int64_t CallSignature::value(const Size& size, std::span<const std::int64_t> symbols) const {
  switch (size.kind) {
    case Size::Kind::kConstant:
      return size.constant;
    case Size::Kind::kSymbol:
      return symbols[size.symbol];
    case Size::Kind::kExpression:
      return ir::evaluate(size.expression, symbols_, symbols);
  }
  throw InternalError("internal error: unknown kind of size");
}

void CallSignature::check(std::span<const ArrayRef> given, std::span<std::int64_t> symbols) const {
  if (given.size() != arguments_.size()) {
    std::vector<std::string> names;
    for (const Argument& argument : arguments_) names.push_back(argument.name);
    throw UsageError(fmt::format("{}: expected {} arguments ({}), got {}", name_, arguments_.size(),
                                 fmt::join(names, ", "), given.size()));
  }
  for (std::size_t a = 0; a < given.size(); ++a) check_kind(arguments_[a], given[a]);
  bind_symbols(given, symbols);
  for (std::size_t a = 0; a < given.size(); ++a) check_layout(arguments_[a], given[a], symbols);
  check_requirements(symbols);
  check_overlaps(given);
}

void CallSignature::check_kind(const Argument& argument, const ArrayRef& given) const {
  if (given.type != argument.type) {
    refuse(argument, fmt::format("expected {}, got {}", argument.type.str(), given.type.str()));
  }
  if (given.shape.size() != argument.shape.size()) {
    refuse(argument, fmt::format("expected rank {}, got {}", argument.shape.size(), given.shape.size()));
  }
  if (argument.is_output && !given.writable) refuse(argument, "expected memory that may be written, got const");
}

void CallSignature::bind_symbols(std::span<const ArrayRef> given, std::span<std::int64_t> symbols) const {
  for (std::size_t s = 0; s < symbols.size(); ++s) {
    symbols[s] = 1;
    if (sources_[s].empty()) continue;
    // The stride of a dimension with a single element is arbitrary, so other sources are preferred.
    const auto meaningful = std::find_if(sources_[s].begin(), sources_[s].end(), [&](const Source& source) {
      return !source.is_stride || given[source.argument].shape[source.dimension] > 1;
    });
    const Source& source = meaningful != sources_[s].end() ? *meaningful : sources_[s].front();
    const ArrayRef& array = given[source.argument];
    if (!source.is_stride) {
      symbols[s] = array.shape[source.dimension];
    } else if (!array.strides.empty()) {
      symbols[s] = array.strides[source.dimension];
    } else {
      symbols[s] = 1;
      for (std::size_t d = source.dimension + 1; d < array.shape.size(); ++d) symbols[s] *= array.shape[d];
    }
    if (symbols[s] < 1) {
      refuse_size(arguments_[source.argument], source.is_stride ? "stride of dimension" : "dimension", source.dimension,
                  "1 or more", symbols[s]);
    }
  }
}

void CallSignature::check_layout(const Argument& argument, const ArrayRef& given,
                                 std::span<const std::int64_t> symbols) const {
  bool is_empty = false;
  for (std::size_t d = 0; d < given.shape.size(); ++d) {
    const Size& extent = argument.shape[d];
    const std::int64_t expected = value(extent, symbols);
    if (expected != given.shape[d])
      refuse_size(argument, "dimension", d, expectation(extent, expected), given.shape[d]);
    is_empty = is_empty || expected == 0;
  }
  if (is_empty) return;
  if (!argument.strides.empty() || !given.strides.empty()) {
    std::int64_t compact = 1, given_compact = 1;
    for (std::size_t d = given.shape.size(); d-- > 0;) {
      const Size size = argument.strides.empty() ? Size{Size::Kind::kConstant, compact, 0, {}} : argument.strides[d];
      const std::int64_t expected = value(size, symbols);
      const std::int64_t stride = given.strides.empty() ? given_compact : given.strides[d];
      // The stride of a dimension with a single element is never used.
      if (given.shape[d] > 1 && expected != stride)
        refuse_size(argument, "stride of dimension", d, expectation(size, expected), stride);
      compact *= given.shape[d];
      given_compact *= given.shape[d];
    }
  }
  if (given.data == nullptr) refuse(argument, "expected data, got a null pointer");
  if ((reinterpret_cast<std::uintptr_t>(given.data) & (argument.alignment - 1)) != 0) {
    refuse(argument, fmt::format("expected an address that is a multiple of {}, got {}", argument.alignment,
                                 fmt::ptr(given.data)));
  }
}

void CallSignature::check_requirements(std::span<const std::int64_t> symbols) const {
  for (const ir::Requirement& requirement : requirements_) {
    if (ir::evaluate(requirement.slack, symbols_, symbols) >= 0) continue;
    std::vector<std::string> values;
    for (std::size_t s = 0; s < symbols_.size(); ++s)
      values.push_back(fmt::format("{} = {}", symbols_[s].name(), symbols[s]));
    throw UsageError(fmt::format("{}: {}, with {}", name_, requirement.why, fmt::join(values, ", ")));
  }
}

void CallSignature::check_overlaps(std::span<const ArrayRef> given) const {
  for (std::size_t a = 0; a < given.size(); ++a) {
    if (!arguments_[a].is_output) continue;
    if (may_overlap_itself(given[a])) {
      refuse(arguments_[a], "expected strides that keep its elements apart, got some that put two in one place");
    }
    for (std::size_t b = 0; b < given.size(); ++b) {
      if (arguments_[a].in_place_of == static_cast<int>(b) && given[a].data == given[b].data) continue;
      if (b == a || (b > a && arguments_[b].is_output) || !may_overlap(given[a], given[b])) continue;
      refuse(arguments_[a],
             fmt::format("expected memory of its own, got some that argument {} uses too", arguments_[b].name));
    }
  }
}

void CallSignature::refuse(const Argument& argument, const std::string& what) const {
  throw UsageError(fmt::format("{}: argument {}: {}", name_, argument.name, what));
}

void CallSignature::refuse_size(const Argument& argument, const char* of, std::size_t dimension,
                                const std::string& expected, std::int64_t given) const {
  throw UsageError(
      fmt::format("{}: argument {}, {} {}: expected {}, got {}", name_, argument.name, of, dimension, expected, given));
}

std::string CallSignature::expectation(const Size& size, std::int64_t value) {
  if (size.kind != Size::Kind::kExpression) return std::to_string(value);
  return fmt::format("{} ({})", value, ir::to_string(size.expression));
}

}  // namespace nestwright
