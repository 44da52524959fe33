// Finds the extents of indices and the shapes of tensors: from the sizes that are given, from declared shapes, from the
// shapes of computed tensors, and of inputs that are not declared from the largest index that reads them.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "text/analysis/interval.h"
#include "text/syntax/expression_error.h"
#include "text/syntax/program.h"

namespace nestwright::text {
namespace {

constexpr std::int64_t kMaxExtent = 0x7fffffff;

/// One dimension of one read.
struct Use {
  Stage* stage;
  const Access* access;
  const Term* index;
  std::size_t dimension;
  bool guarded;
  const TensorInfo* tensor;  ///< that is read
  Stage* producer;           ///< computes the tensor; nullptr for an input
  Axis* axis;                ///< the whole index; nullptr where that is not an axis alone
};

class ExtentResolver {
 public:
  ExtentResolver(const Source& source, Program& program) : source_(source), program_(program) {
    for (TensorInfo& tensor : program_.tensors) tensors_[tensor.name] = &tensor;
    for (Stage& stage : program_.stages) {
      std::vector<Axis*>& axes = axes_.emplace_back();
      for (Axis& axis : stage.axes) axes.push_back(find_axis(stage, axis.name));
      for (Axis& axis : stage.reduce_axes) axes.push_back(&axis);
    }
    std::map<const TensorInfo*, Stage*> producers;
    for (Stage& stage : program_.stages) {
      for_each_access(stage.body, [&](const Access& access, const Term&, bool guarded) {
        const TensorInfo* const tensor = tensors_.at(access.tensor);
        const auto found = producers.find(tensor);
        Stage* const producer = found == producers.end() ? nullptr : found->second;
        for (std::size_t d = 0; d < access.indices.size(); ++d) {
          const auto* const index = std::get_if<IndexValue>(&access.indices[d].value);
          Axis* const axis = index == nullptr ? nullptr : find_axis(stage, index->name);
          uses_.push_back({&stage, &access, &access.indices[d], d, guarded, tensor, producer, axis});
        }
      });
      producers[&result_of(stage)] = &stage;
    }
  }

  void run() {
    read_sizes();
    read_declared_shapes();
    take_given_extents();
    while (has_unknown()) {
      if (!derive_from_shapes(false) && !derive_from_other_reads(false) && !derive_from_other_reads(true) &&
          !derive_from_shapes(true)) {
        refuse_unknown();
      }
    }
    set_shared_extents();
    compute_shapes();
    for (const Size& size : source_.sizes) {
      if (used_sizes_.contains(size.name.text)) continue;
      fail(size.name.at, "no index and no declared extent is named '" + size.name.text + "': leave it out");
    }
    check_reads();
  }

 private:
  [[noreturn]] void fail(std::size_t at, const std::string& reason) const {
    throw ExpressionError(program_.text, at, reason);
  }

  void read_sizes() {
    for (const Size& size : source_.sizes) {
      if (!sizes_.emplace(size.name.text, size.value).second) {
        fail(size.name.at, "the size '" + size.name.text + "' is given twice");
      }
    }
  }

  std::optional<std::int64_t> size_of(const std::string& name) {
    const auto found = sizes_.find(name);
    if (found == sizes_.end()) return std::nullopt;
    used_sizes_.insert(name);
    return found->second;
  }

  void read_declared_shapes() {
    for (const Declaration& declaration : source_.declarations) {
      if (!declaration.shape) continue;
      TensorInfo& tensor = *tensors_.at(declaration.tensor.text);
      for (const Extent& extent : *declaration.shape) {
        const std::optional<std::int64_t> value = extent.name.empty() ? extent.value : size_of(extent.name);
        if (!value) fail(extent.at, "the size '" + extent.name + "' is not known: add " + extent.name + "=...");
        tensor.shape.push_back(*value);
      }
      is_declared_.insert(&tensor);
      check_elements(tensor);
    }
  }

  void check_elements(const TensorInfo& tensor) const {
    std::int64_t room = kMaxExtent;
    for (const std::int64_t extent : tensor.shape) {
      if (extent > room) {
        fail(tensor.at,
             "'" + tensor.name + "' has more than " + std::to_string(kMaxExtent) + " elements: give smaller sizes");
      }
      room /= extent;
    }
  }

  /// The axes of a statement. Those that a part of a right side shares with the statement around are of that.
  const std::vector<Axis*>& axes_of(const Stage& stage) const { return axes_[number_of(stage)]; }

  std::size_t number_of(const Stage& stage) const { return static_cast<std::size_t>(&stage - program_.stages.data()); }

  /// As axes_of() has it. nullptr where there is none of that name.
  Axis* find_axis(Stage& stage, const std::string& name) {
    for (std::vector<Axis>* const list : {&stage.reduce_axes, &stage.axes}) {
      for (Axis& axis : *list) {
        if (axis.name != name) continue;
        const auto outer = source_.definitions[number_of(stage)].part_of;
        return outer && list == &stage.axes ? find_axis(program_.stages[*outer], name) : &axis;
      }
    }
    return nullptr;
  }

  /// Copies the extents of axes that parts of a right side share with the statement around.
  void set_shared_extents() {
    for (Stage& stage : program_.stages) {
      for (Axis& axis : stage.axes) axis.extent = find_axis(stage, axis.name)->extent;
    }
  }

  TensorInfo& result_of(const Stage& stage) { return program_.tensors[stage.tensor]; }

  /// From sizes and from the declared shapes of computed tensors.
  void take_given_extents() {
    for (Stage& stage : program_.stages) {
      for (Axis* const axis : axes_of(stage)) axis->extent = size_of(axis->name).value_or(0);
      const TensorInfo& result = result_of(stage);
      if (!is_declared_.contains(&result)) continue;
      for (std::size_t d = 0; d < stage.axes.size(); ++d) {
        Axis& axis = stage.axes[d];
        if (axis.extent != 0 && axis.extent != result.shape[d]) {
          fail(result.at, "dimension " + std::to_string(d) + " of '" + result.name + "' is declared as " +
                              std::to_string(result.shape[d]) + ", but " + axis.name + "=" +
                              std::to_string(axis.extent) + ": make them agree");
        }
        axis.extent = result.shape[d];
      }
    }
  }

  bool has_unknown() {
    for (Stage& stage : program_.stages) {
      for (const Axis* const axis : axes_of(stage)) {
        if (axis->extent == 0) return true;
      }
    }
    return false;
  }

  [[noreturn]] void refuse_unknown() {
    for (std::size_t s = 0; s < program_.stages.size(); ++s) {
      for (const Axis* const axis : axes_of(program_.stages[s])) {
        if (axis->extent != 0) continue;
        fail(place_of(s, axis->name), "the extent of '" + axis->name +
                                          "' does not follow from the shapes of tensors: add " + axis->name + "=...");
      }
    }
    throw InternalError("every index has an extent");
  }

  /// Where an index is introduced.
  std::size_t place_of(std::size_t stage, const std::string& axis) const {
    const Definition& definition = source_.definitions[stage];
    for (const Name& name : definition.indices) {
      if (name.text == axis) return name.at;
    }
    for (const Name& name : definition.reduction->axes) {
      if (name.text == axis) return name.at;
    }
    return definition.tensor.at;
  }

  /// The extent of the dimension that is read, where it does not depend on how the tensor is read.
  std::optional<std::int64_t> fixed_extent(const Use& use) const {
    if (is_declared_.contains(use.tensor)) return use.tensor->shape[use.dimension];
    const std::int64_t extent = use.producer == nullptr ? 0 : axes_of(*use.producer)[use.dimension]->extent;
    return extent == 0 ? std::nullopt : std::optional(extent);
  }

  /// Solves max(index) <= extent - 1 for each read with one index of unknown extent, which gets the least extent found.
  /// `padded`: of padded reads, those dimensions that an index alone reads. Returns whether it found one.
  bool derive_from_shapes(bool padded) {
    std::map<Axis*, std::int64_t> least;
    for (const Use& use : uses_) {
      if (use.access->padding.has_value() != padded || use.guarded) continue;
      if (use.axis == nullptr ? padded : use.axis->extent != 0) continue;
      const std::optional<std::int64_t> extent = fixed_extent(use);
      const std::optional<Solution> found = extent ? solve(use, *extent) : std::nullopt;
      if (!found) continue;
      const auto at = least.emplace(found->axis, found->extent).first;
      at->second = std::min(at->second, found->extent);
    }
    for (const auto& [axis, extent] : least) axis->extent = extent;
    return !least.empty();
  }

  /// The largest extent of the only index of unknown extent for which a read is inside of a dimension.
  struct Solution {
    Axis* axis;
    std::int64_t extent;
  };
  std::optional<Solution> solve(const Use& use, std::int64_t extent) {
    const std::optional<Linear> index = linear_of(*use.index);
    if (!index) return std::nullopt;
    Axis* unknown = nullptr;
    std::int64_t coefficient = 0, rest = index->constant;
    for (const auto& [name, factor] : index->coefficients) {
      const std::vector<Axis*>& axes = axes_of(*use.stage);
      const auto axis = std::find_if(axes.begin(), axes.end(), [&](const Axis* a) { return a->name == name; });
      if (axis == axes.end()) return std::nullopt;
      if ((*axis)->extent != 0) {
        std::int64_t largest = 0;
        if (__builtin_mul_overflow(factor, factor > 0 ? (*axis)->extent - 1 : 0, &largest)) return std::nullopt;
        if (__builtin_add_overflow(rest, largest, &rest)) return std::nullopt;
        continue;
      }
      if (unknown != nullptr || factor < 0) return std::nullopt;
      unknown = *axis;
      coefficient = factor;
    }
    std::int64_t room = 0;
    if (unknown == nullptr || __builtin_sub_overflow(extent - 1, rest, &room)) return std::nullopt;
    if (room < 0) {
      fail(first_character(*use.index), "this index is at least " + std::to_string(rest) + ", but dimension " +
                                            std::to_string(use.dimension) + " of '" + use.access->tensor + "' is " +
                                            std::to_string(extent));
    }
    return Solution{unknown, room / coefficient + 1};
  }

  /// Two indices that read the same dimension of an input have the same extent, where nothing else says it. An index
  /// that reads several inputs has the least of their extents. Sets one extent, of the first index in the order of the
  /// statements, since those of others may then follow from shapes. `guarded`: by reads that a condition guards.
  /// Returns whether it found one.
  bool derive_from_other_reads(bool guarded) {
    std::map<const Axis*, std::int64_t> least;
    const ExtentsOfReads largest = largest_extents_that_read();
    for (const Use& use : uses_) {
      if (use.axis == nullptr || use.axis->extent != 0 || use.access->padding || use.guarded != guarded) continue;
      const auto known = largest.find({use.tensor, use.dimension});
      if (known == largest.end() || known->second == 0) continue;
      const auto at = least.emplace(use.axis, known->second).first;
      at->second = std::min(at->second, known->second);
    }
    for (Stage& stage : program_.stages) {
      for (Axis* const axis : axes_of(stage)) {
        const auto found = least.find(axis);
        if (found == least.end()) continue;
        axis->extent = found->second;
        return true;
      }
    }
    return false;
  }

  /// The largest known extent of the indices that alone read a dimension of a tensor.
  using ExtentsOfReads = std::map<std::pair<const TensorInfo*, std::size_t>, std::int64_t>;
  ExtentsOfReads largest_extents_that_read() const {
    ExtentsOfReads extents;
    for (const Use& use : uses_) {
      if (use.axis == nullptr || use.access->padding) continue;
      std::int64_t& extent = extents[{use.tensor, use.dimension}];
      extent = std::max(extent, use.axis->extent);
    }
    return extents;
  }

  void compute_shapes() {
    for (Stage& stage : program_.stages) {
      TensorInfo& result = result_of(stage);
      result.shape.clear();
      for (const Axis& axis : stage.axes) result.shape.push_back(axis.extent);
      check_elements(result);
    }
    for (TensorInfo& tensor : program_.tensors) {
      if (!tensor.is_input) continue;
      const bool is_declared = is_declared_.contains(&tensor);
      const std::optional<std::vector<std::int64_t>> implied = implied_shape(tensor, !is_declared);
      tensor.has_own_shape = is_declared && implied != tensor.shape;
      if (!is_declared) tensor.shape = *implied;
      check_elements(tensor);
    }
  }

  /// One more than the largest index in each dimension. `is_required`: refuses reads that do not say it.
  std::optional<std::vector<std::int64_t>> implied_shape(const TensorInfo& tensor, bool is_required) {
    std::vector<std::int64_t> shape;
    for (const Use& use : uses_) {
      if (use.tensor != &tensor) continue;
      const std::optional<ir::Interval> values = interval_of(*use.index, leaves_of(program_, *use.stage));
      if (!values || use.access->padding) {
        if (!is_required) return std::nullopt;
        if (!use.access->padding && !use.guarded) check_type(use);
        fail(first_character(*use.index),
             std::string(use.access->padding ? "padded reads do not say" : "this index does not say") + " how large '" +
                 tensor.name + "' is: declare its shape, as in " + tensor.name + ": float32[64, 64]");
      }
      if (shape.size() <= use.dimension) shape.resize(use.dimension + 1, 1);
      shape[use.dimension] = std::max(shape[use.dimension], values->hi + 1);
    }
    return shape;
  }

  void check_reads() {
    for (const Use& use : uses_) {
      const std::int64_t extent = use.tensor->shape[use.dimension];
      check_agreement(use, extent);
      if (use.access->padding || use.guarded) continue;
      const std::optional<ir::Interval> values = interval_of(*use.index, leaves_of(program_, *use.stage));
      if (!values) refuse_unknown_range(use);
      if (values->lo >= 0 && values->hi < extent) continue;
      fail(first_character(*use.index), name_of(use) + " runs from " + std::to_string(values->lo) + " to " +
                                            std::to_string(values->hi) + ", but the extent is " +
                                            std::to_string(extent) + ": change the sizes, or pad it, as in " +
                                            use.access->tensor + "[...]?0");
    }
  }

  static std::string name_of(const Use& use) {
    return "index " + std::to_string(use.dimension) + " of '" + use.access->tensor + "'";
  }

  [[noreturn]] void refuse_unknown_range(const Use& use) const {
    check_type(use);
    fail(first_character(*use.index),
         name_of(use) + " has no known range: clamp it" +
             (lacks_range(*use.index)
                  ? ", or give the range of the tensor that it is read from, as in I: int32 in [0, 99]"
                  : ""));
  }

  /// Refuses an index that has no known range because a type does not hold its values: clamp() would change them.
  void check_type(const Use& use) const {
    const std::optional<TypeOverflow> overflow = find_type_overflow(*use.index, leaves_of(program_, *use.stage));
    if (!overflow) return;
    fail(first_character(*overflow->part), name_of(use) + " has no known range, because " + overflow->type.str() +
                                               " does not hold " + std::to_string(overflow->values.lo) + " to " +
                                               std::to_string(overflow->values.hi) +
                                               ": compute it in a wider type, as in int64(...)");
  }

  /// Whether the tensors that an index is read from may have ranges, and one of them has none.
  bool lacks_range(const Term& index) const {
    std::set<const Access*> inner;  // give indices of other reads
    for_each_access(index, [&](const Access& access, const Term&, bool) {
      for (const Term& part : access.indices) {
        for_each_access(part, [&](const Access& read, const Term&, bool) { inner.insert(&read); });
      }
    });
    bool may_have_ranges = true, lacks_one = false;
    for_each_access(index, [&](const Access& access, const Term&, bool) {
      if (inner.contains(&access)) return;
      const TensorInfo& tensor = *tensors_.at(access.tensor);
      may_have_ranges = may_have_ranges && tensor.is_input && tensor.type.is_int() && !access.padding;
      lacks_one = lacks_one || !tensor.range;
    });
    return may_have_ranges && lacks_one;
  }

  /// A reduction that covers the whole dimension of one tensor and part of another's is a mistake, unless the size of
  /// its index is given.
  void check_agreement(const Use& use, std::int64_t extent) {
    Axis* const axis = plain_reduce_axis(use);
    if (axis == nullptr || axis->extent >= extent) return;
    for (const Use& other : uses_) {
      if (other.stage != use.stage || plain_reduce_axis(other) != axis) continue;
      if (other.tensor->shape[other.dimension] != axis->extent) continue;
      if (sizes_.contains(axis->name)) {
        axis->is_part = true;
        return;
      }
      const std::string size = std::to_string(axis->extent);
      fail(first_character(*use.index),
           "'" + axis->name + "' runs over " + size + ", all of dimension " + std::to_string(other.dimension) +
               " of '" + other.access->tensor + "', but dimension " + std::to_string(use.dimension) + " of '" +
               use.access->tensor + "' is " + std::to_string(extent) + ": make them agree, or add " + axis->name + "=" +
               size + " if that part is meant");
    }
  }

  /// The reduce axis that is the whole index; nullptr where it is none.
  static Axis* plain_reduce_axis(const Use& use) {
    if (use.access->padding) return nullptr;
    for (Axis& axis : use.stage->reduce_axes) {
      if (&axis == use.axis) return &axis;
    }
    return nullptr;
  }

  const Source& source_;
  Program& program_;
  std::map<std::string, TensorInfo*, std::less<>> tensors_;
  std::vector<std::vector<Axis*>> axes_;  ///< of the statements
  std::vector<Use> uses_;
  std::map<std::string, std::int64_t, std::less<>> sizes_;
  std::set<std::string, std::less<>> used_sizes_;
  std::set<const TensorInfo*> is_declared_;
};

}  // namespace

void resolve_extents(const Source& source, Program& program) { ExtentResolver(source, program).run(); }

}  // namespace nestwright::text
