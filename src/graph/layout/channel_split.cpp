#include "graph/layout/channel_split.h"

#include <algorithm>

#include "graph/layout/blocked_shape.h"
#include "graph/layout/split_index.h"

namespace nestwright {
namespace {

using text::Access;
using text::Stage;
using text::TensorInfo;
using text::Term;
using Part = DividedDimension::Part;

class ChannelSplitter {
 public:
  ChannelSplitter(const text::Program& program, const std::set<std::string>& constants, int block)
      : program_(program), constants_(constants), block_(block), axes_(program.stages.size()) {
    for (const TensorInfo& tensor : program.tensors) divided_[tensor.name].resize(tensor.shape.size());
  }

  std::optional<ChannelSplit> run() {
    if (!divide_parameters() || !divide_axes()) return std::nullopt;
    divide_read_tensors();
    ChannelSplit split{.block = block_, .axes = axes_};
    for (const TensorInfo& tensor : program_.tensors) split.tensors[tensor.name] = divided_tensor(tensor);
    split.is_convolution = is_convolution();
    return split;
  }

 private:
  /// Marks the channels of parameters; false if none has blocks.
  bool divide_parameters() {
    for (const std::size_t number : program_.parameters()) {
      const TensorInfo& tensor = program_.tensors[number];
      if (constants_.contains(tensor.name) || !has_blocks(tensor.shape, block_)) continue;
      divided_[tensor.name][channel_dimension(tensor.shape)] = true;
      blocked_.insert(tensor.name);
    }
    return !blocked_.empty();
  }

  /// Divides axes that index divided dimensions, and the dimensions of computed tensors that divided axes index, until
  /// there are no others.
  bool divide_axes() {
    do {
      has_changed_ = false;
      for (std::size_t s = 0; s < program_.stages.size(); ++s) {
        if (!divide_result(s) || !divide_reads(s)) return false;
      }
    } while (has_changed_);
    return true;
  }

  bool divide_result(std::size_t s) {
    const Stage& stage = program_.stages[s];
    std::vector<bool>& divided = divided_.at(program_.tensors[stage.tensor].name);
    for (std::size_t d = 0; d < stage.axes.size(); ++d) {
      if (!divided[d] && !axes_[s].contains(stage.axes[d].name)) continue;
      if (stage.axes[d].extent % block_ != 0) return false;
      has_changed_ = has_changed_ || !divided[d];
      divided[d] = true;
      divide_axis(s, stage.axes[d].name);
    }
    return true;
  }

  bool divide_reads(std::size_t s) {
    const Stage& stage = program_.stages[s];
    bool can = true;
    text::for_each_access(stage.body, [&](const Access& access, const Term&, bool) {
      std::vector<bool>& divided = divided_.at(access.tensor);
      for (std::size_t d = 0; d < divided.size(); ++d) {
        const std::optional<SplitIndex> index = split_index(access.indices[d], stage, block_);
        const bool has_divided_axis = index && index->axis && axes_[s].contains(*index->axis);
        if (!divided[d] && has_divided_axis && !program_.find_tensor(access.tensor)->is_input) {
          divided[d] = has_changed_ = true;  // the statement that computes the tensor divides its axis, too
        }
        if (!divided[d]) continue;
        can = can && index;
        if (index && index->axis) divide_axis(s, *index->axis);
      }
    });
    // An argmax runs over one axis, which is its result.
    const bool divides_terms =
        std::ranges::any_of(stage.reduce_axes, [&](const text::Axis& axis) { return axes_[s].contains(axis.name); });
    return can && !(stage.reduction == text::ReductionKind::kArgmax && divides_terms);
  }

  void divide_axis(std::size_t s, const std::string& axis) {
    has_changed_ = axes_[s].insert(axis).second || has_changed_;
  }

  /// Divides the dimensions of inputs that are indexed, wherever they are read, by divided axes.
  void divide_read_tensors() {
    std::map<std::string, std::vector<bool>> can, does;
    for (const TensorInfo& tensor : program_.tensors) {
      can[tensor.name].resize(tensor.shape.size(), tensor.is_input && !blocked_.contains(tensor.name));
      does[tensor.name].resize(tensor.shape.size());
    }
    for (std::size_t s = 0; s < program_.stages.size(); ++s) {
      text::for_each_access(program_.stages[s].body, [&](const Access& access, const Term&, bool) {
        for (std::size_t d = 0; d < access.indices.size(); ++d) {
          const std::optional<SplitIndex> index = split_index(access.indices[d], program_.stages[s], block_);
          const bool is_divided = index && index->axis && axes_[s].contains(*index->axis);
          if (!index || (index->axis && !is_divided)) can[access.tensor][d] = false;
          if (is_divided) does[access.tensor][d] = true;
        }
      });
    }
    for (const TensorInfo& tensor : program_.tensors) {
      for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
        if (can[tensor.name][d] && does[tensor.name][d] && tensor.shape[d] % block_ == 0) {
          divided_[tensor.name][d] = true;
        }
      }
    }
  }

  /// Whether the lanes of a dimension are last in the tensor.
  bool has_last_lanes(const TensorInfo& tensor, std::size_t d) const {
    if (tensor.is_input) return constants_.contains(tensor.name) || blocked_.contains(tensor.name);
    return tensor.shape.size() >= 3 && d == channel_dimension(tensor.shape);
  }

  DividedTensor divided_tensor(const TensorInfo& tensor) const {
    const std::vector<bool>& divided = divided_.at(tensor.name);
    DividedTensor result, lanes;
    for (std::size_t d = 0; d < divided.size(); ++d) {
      result.push_back({divided[d] ? Part::kBlocks : Part::kWhole, d});
      if (divided[d]) (has_last_lanes(tensor, d) ? lanes : result).push_back({Part::kLanes, d});
    }
    // The lanes of the result are those of vectors: they are next to each other.
    std::ranges::stable_sort(lanes, {},
                             [&](const DividedDimension& lane) { return is_indexed_by_result(tensor, lane); });
    result.insert(result.end(), lanes.begin(), lanes.end());
    return result;
  }

  bool is_indexed_by_result(const TensorInfo& tensor, const DividedDimension& lane) const {
    bool is_result = false;
    for (const Stage& stage : program_.stages) {
      text::for_each_access(stage.body, [&](const Access& access, const Term&, bool) {
        if (access.tensor != tensor.name) return;
        const std::optional<SplitIndex> index = split_index(access.indices[lane.of], stage, block_);
        is_result = is_result || std::ranges::find(stage.axes, index->axis, &text::Axis::name) != stage.axes.end();
      });
    }
    return is_result;
  }

  bool is_convolution() const {
    const auto reads = [&](const Stage& stage, bool constant) {
      bool found = false;
      text::for_each_access(stage.body, [&](const Access& access, const Term&, bool) {
        const std::vector<bool>& divided = divided_.at(access.tensor);
        const bool depends = std::ranges::find(divided, true) != divided.end();
        const bool is_constant = constants_.contains(access.tensor);
        found = found || (is_constant == constant && (depends || !constant));
      });
      return found;
    };
    return std::ranges::any_of(program_.stages, [&](const Stage& stage) {
      return stage.reduction == text::ReductionKind::kSum && reads(stage, true) && reads(stage, false);
    });
  }

  const text::Program& program_;
  const std::set<std::string>& constants_;
  const int block_;
  std::vector<std::set<std::string>> axes_;           // divided ones of each statement
  std::map<std::string, std::vector<bool>> divided_;  // dimensions of each tensor
  std::set<std::string> blocked_;                     // parameters whose channels are blocked
  bool has_changed_ = false;
};

}  // namespace

std::optional<ChannelSplit> split_channels(const text::Program& program, const std::set<std::string>& constants,
                                           int block) {
  return ChannelSplitter(program, constants, block).run();
}

std::vector<std::int64_t> divided_shape(const DividedTensor& tensor, const std::vector<std::int64_t>& shape,
                                        int block) {
  std::vector<std::int64_t> result;
  for (const DividedDimension& dimension : tensor) {
    const std::int64_t extent = shape[dimension.of];
    const bool is_whole = dimension.part == Part::kWhole;
    result.push_back(is_whole ? extent : dimension.part == Part::kBlocks ? extent / block : block);
  }
  return result;
}

bool is_view_of_file(const DividedTensor& tensor) { return std::ranges::is_sorted(tensor, {}, &DividedDimension::of); }

}  // namespace nestwright
