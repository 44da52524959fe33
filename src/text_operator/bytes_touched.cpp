#include "text_operator/bytes_touched.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "text/analysis/interval.h"

namespace nestwright {
namespace {

using Box = std::vector<ir::Interval>;

double width(const ir::Interval& values) { return static_cast<double>(values.hi - values.lo + 1); }

double volume(const Box& box) {
  double elements = 1;
  for (const ir::Interval& values : box) elements *= width(values);
  return elements;
}

/// The elements of one input that are read.
struct Touched {
  double sum = 0;  ///< of the elements of all reads
  Box hull;        ///< contains them

  double elements() const { return hull.empty() ? sum : std::min(sum, volume(hull)); }
};

void add_indices(const text::Term& term, std::set<std::string>& names) {
  text::for_each_term(term, [&](const text::Term& part, bool) {
    if (const auto* index = std::get_if<text::IndexValue>(&part.value)) names.insert(index->name);
  });
}

/// The number of values that these indices have together.
double combinations(const text::Stage& stage, const std::set<std::string>& names) {
  double count = 1;
  for (const std::string& name : names) count *= static_cast<double>(stage.find_axis(name)->extent);
  return count;
}

/// The indices that a dimension of `extent` elements is read at, as far as they are known.
ir::Interval values_of(const text::Term& index, const text::Leaves& leaves, std::int64_t extent) {
  const ir::Interval all{0, extent - 1};
  const std::optional<ir::Interval> values = text::interval_of(index, leaves);
  if (!values || values->hi < 0 || values->lo >= extent) return all;
  return {std::max(values->lo, all.lo), std::min(values->hi, all.hi)};
}

void add_read(const text::Program& program, const text::Stage& stage, const text::Access& access, Touched& touched) {
  const text::Leaves leaves = text::leaves_of(program, stage);
  const std::vector<std::int64_t>& shape = program.find_tensor(access.tensor)->shape;
  Box box;
  std::set<std::string> all;
  double elements = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::set<std::string> names;
    add_indices(access.indices[d], names);
    all.insert(names.begin(), names.end());
    box.push_back(values_of(access.indices[d], leaves, shape[d]));
    elements *= std::min(width(box.back()), combinations(stage, names));
  }
  touched.sum += std::min(elements, combinations(stage, all));
  if (touched.hull.empty()) touched.hull = box;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    touched.hull[d] = {std::min(touched.hull[d].lo, box[d].lo), std::max(touched.hull[d].hi, box[d].hi)};
  }
}

}  // namespace

double bytes_touched(const text::Program& program) {
  std::vector<Touched> touched(program.tensors.size());
  for (const text::Stage& stage : program.stages) {
    text::for_each_access(stage.body, [&](const text::Access& access, const text::Term&, bool) {
      const auto tensor = static_cast<std::size_t>(program.find_tensor(access.tensor) - program.tensors.data());
      add_read(program, stage, access, touched[tensor]);
    });
  }
  double bytes = 0;
  for (const std::size_t t : program.parameters()) {
    const text::TensorInfo& tensor = program.tensors[t];
    double elements = touched[t].elements();
    if (!tensor.is_input) {
      elements = 1;
      for (const std::int64_t extent : tensor.shape) elements *= static_cast<double>(extent);
    }
    bytes += elements * tensor.type.bytes();
  }
  return bytes;
}

}  // namespace nestwright
