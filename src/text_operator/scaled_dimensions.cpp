#include "text_operator/scaled_dimensions.h"

#include <map>
#include <numeric>
#include <string>
#include <utility>

namespace nestwright::text {
namespace {

/// Sets of dimensions and indices that have the same value wherever elements meet.
class Classes {
 public:
  std::size_t make(bool is_summed) {
    parents_.push_back(parents_.size());
    is_summed_.push_back(is_summed);
    return parents_.size() - 1;
  }
  void join(std::size_t a, std::size_t b) {
    a = find(a);
    b = find(b);
    parents_[b] = a;
    is_summed_[a] = is_summed_[a] || is_summed_[b];
  }
  /// Marks the class of `a`: elements with different values of it are added up.
  void set_summed(std::size_t a) { is_summed_[find(a)] = true; }
  bool is_summed(std::size_t a) const { return is_summed_[find(a)]; }

 private:
  std::size_t find(std::size_t a) const {
    while (parents_[a] != a) a = parents_[a];
    return a;
  }

  std::vector<std::size_t> parents_;
  std::vector<bool> is_summed_;
};

}  // namespace

std::vector<std::vector<std::size_t>> scaled_dimensions(const Program& program) {
  Classes classes;
  std::map<std::string, std::vector<std::size_t>, std::less<>> dimensions;  // of each tensor
  for (const TensorInfo& tensor : program.tensors) {
    for (std::size_t d = 0; d < tensor.shape.size(); ++d) dimensions[tensor.name].push_back(classes.make(false));
  }
  for (const Stage& stage : program.stages) {
    const bool adds = stage.reduction == ReductionKind::kSum || stage.reduction == ReductionKind::kProd;
    std::map<std::string, std::size_t, std::less<>> indices;
    for (std::size_t a = 0; a < stage.axes.size(); ++a) {
      indices[stage.axes[a].name] = dimensions[program.tensors[stage.tensor].name][a];
    }
    for (const Axis& axis : stage.reduce_axes) indices[axis.name] = classes.make(adds);
    for_each_access(stage.body, [&](const Access& access, const Term&, bool) {
      for (std::size_t d = 0; d < access.indices.size(); ++d) {
        const std::size_t dimension = dimensions[access.tensor][d];
        const auto* index = std::get_if<IndexValue>(&access.indices[d].value);
        if (index == nullptr) {
          classes.set_summed(dimension);
        } else {
          classes.join(dimension, indices.at(index->name));
        }
      }
    });
  }
  std::vector<std::vector<std::size_t>> scaled;
  for (const TensorInfo& tensor : program.tensors) {
    std::vector<std::size_t>& list = scaled.emplace_back();
    for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
      if (!classes.is_summed(dimensions[tensor.name][d])) list.push_back(d);
    }
  }
  return scaled;
}

}  // namespace nestwright::text
