#include "graph/grouping/filters.h"

#include <algorithm>

#include "graph/program/edit.h"

namespace nestwright {
namespace {

using text::Access;
using text::Stage;
using text::TensorInfo;
using text::Term;

bool is_axis(const Term& term, const std::string& axis) {
  const auto* index = std::get_if<text::IndexValue>(&term.value);
  return index != nullptr && index->name == axis;
}

std::size_t count_uses(const Term& term, const std::string& axis) {
  std::size_t count = 0;
  text::for_each_term(term, [&](const Term& part, bool) { count += is_axis(part, axis) ? 1 : 0; });
  return count;
}

/// The dimension that has the axis as its index; nullopt if none has, or several.
std::optional<std::size_t> dimension_of(const Access& access, const std::string& axis) {
  std::optional<std::size_t> found;
  for (std::size_t d = 0; d < access.indices.size(); ++d) {
    if (!is_axis(access.indices[d], axis)) continue;
    if (found) return std::nullopt;
    found = d;
  }
  return found;
}

}  // namespace

std::optional<FilterDimensions> filter_dimensions(const text::Program& program) {
  FilterDimensions dimensions;
  std::vector<bool> is_read;
  for (const TensorInfo& tensor : program.tensors) {
    if (tensor.is_input) dimensions.emplace_back();
    if (tensor.is_input) is_read.push_back(false);
  }
  std::optional<std::int64_t> count;
  bool fits = true;
  for (const Stage& stage : program.stages) {
    if (stage.axes.empty() || (count && *count != stage.axes[0].extent)) return std::nullopt;
    const std::string& filter = stage.axes[0].name;
    count = stage.axes[0].extent;
    std::size_t uses = 0;
    text::for_each_access(stage.body, [&](const Access& access, const Term&, bool) {
      const std::optional<std::size_t> dimension = dimension_of(access, filter);
      uses += dimension ? 1 : 0;
      const TensorInfo& tensor = *program.find_tensor(access.tensor);
      if (!tensor.is_input) {
        fits = fits && dimension == std::size_t{0};
        return;
      }
      const auto input = static_cast<std::size_t>(
          std::count_if(program.tensors.data(), &tensor, [](const TensorInfo& before) { return before.is_input; }));
      fits = fits && (!is_read[input] || dimensions[input] == dimension);
      fits = fits && (!dimension || (tensor.shape[*dimension] == *count && !access.padding));
      is_read[input] = true;
      dimensions[input] = dimension;
    });
    fits = fits && uses == count_uses(stage.body, filter);
  }
  return fits && count ? std::optional(dimensions) : std::nullopt;
}

text::Program with_filters(text::Program program, const FilterDimensions& dimensions, std::int64_t count) {
  std::size_t input = 0;
  for (TensorInfo& tensor : program.tensors) {
    const std::optional<std::size_t> dimension = tensor.is_input ? dimensions[input++] : std::optional<std::size_t>(0);
    if (dimension) tensor.shape[*dimension] = count;
  }
  for (Stage& stage : program.stages) stage.axes[0].extent = count;
  return program;
}

text::Program as_one_filter(text::Program program, const std::set<std::string>& own) {
  const text::Axis filter{.name = "filter", .extent = 1};
  std::set<std::string> wider = own;
  for (TensorInfo& tensor : program.tensors) {
    if (!tensor.is_input) wider.insert(tensor.name);
    if (wider.contains(tensor.name)) tensor.shape.insert(tensor.shape.begin(), 1);
  }
  for (Stage& stage : program.stages) {
    stage.axes.insert(stage.axes.begin(), filter);
    change_accesses(stage.body, [&](Access& access, Term&) {
      if (!wider.contains(access.tensor)) return;
      access.indices.insert(access.indices.begin(), Term{.value = text::IndexValue{filter.name}});
    });
  }
  return program;
}

}  // namespace nestwright
