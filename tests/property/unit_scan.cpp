// Random scans: one or two states of up to three dimensions, an init of one or two rows, an update that reads up to as
// many steps back, and up to two stages inside a step.
#include <algorithm>

#include "nestwright/reduction.h"
#include "nestwright/tensor.h"
#include "tests/property/builder.h"
#include "tests/property/intrinsics.h"

namespace nestwright::property {
namespace {

constexpr double kStateBound = 16;      // of floating-point states: values are clamped, or they would grow
constexpr std::int64_t kMaxWidth = 24;  // elements of one step of a state

}  // namespace

/// A scan under construction.
class ScanUnit {
 public:
  ScanUnit(Builder& builder, Choices& choices) : builder_(builder), choices_(choices) {}

  void add() {
    wants_tile_ = choices_.chance(builder_.goal_.tile ? 70 : 12);
    first_ = choices_.between(1, 2);
    steps_ = Dim::constant(first_ + choices_.between(1, 4));
    if (choices_.chance(20)) steps_ = builder_.draw_dim(choices_, 6);
    // A constant number of steps must exceed the rows of init.
    if (steps_.is_constant() && steps_.value() <= first_) steps_ = Dim::constant(first_ + 1);
    const int states = choices_.chance(30) ? 2 : 1;
    for (int s = 0; s < states; ++s) add_state(s);
    const int stages = static_cast<int>(choices_.weighted({50, 35, 15}));
    if (wants_tile_) add_tile();
    for (int n = 0; n < stages; ++n) add_stage(n);
    std::vector<Tensor> init, update, placeholders;
    const bool joint = is_joint_ && choices_.chance(60);
    if (joint) update = make_joint_update();
    for (std::size_t s = 0; s < states_.size(); ++s) {
      init.push_back(make_init(s));
      if (!joint) update.push_back(make_update(s));
      placeholders.push_back(states_[s].tensor);
    }
    const std::vector<Tensor> results = scan(init, update, placeholders, {}, builder_.next_name());
    builder_.result_.computes.push_back(results[0]);
    ++builder_.result_.scans;
    for (std::size_t s = 0; s < results.size(); ++s)
      builder_.add_result({results[s], states_[s].shape, states_[s].bound}, choices_.chance(30));
  }

 private:
  /// A stage of a step, and the number of steps back that it depends on.
  struct Stage {
    Made made;
    int reach;
  };

  std::string name(const char* part, std::size_t n) const { return builder_.next_name(part + std::to_string(n)); }

  void add_state(int s) {
    Builder::Plan plan;  // only for drawing a type
    Made state;
    state.shape = {steps_};
    std::int64_t width = 1;
    is_joint_ = s > 0 && choices_.chance(50);  // equal shapes, so that one compute can update both states
    if (is_joint_) state.shape = states_[0].shape;
    for (int rank = is_joint_ ? 0 : static_cast<int>(choices_.weighted({10, 65, 25})); rank > 0; --rank) {
      state.shape.push_back(builder_.draw_dim(choices_, kMaxWidth / width));
      width *= state.shape.back().value();
    }
    Type type = builder_.draw_type(choices_, plan, false);
    if (wants_tile_ && state.shape.size() > 1) {
      if (!is_joint_) state.shape.back() = Dim::constant(8);
      if (!type.is_float()) type = kInt32;
    }
    state.tensor = placeholder(exprs(state.shape), type, name("state", static_cast<std::size_t>(s)));
    state.bound = kStateBound;
    states_.push_back(std::move(state));
  }

  Value cut(Value value) const { return limited(std::move(value), kStateBound); }

  /// Reads an element of a tensor of the step, `back` steps ago.
  Value read_step(const Made& from, const std::vector<Loop>& loops, int back) {
    const Dim last = plus(from.shape[0], -1);
    std::vector<Index> indices = {{loops[0].var - Expr(back), Dim::constant(0), last}};
    const std::vector<Loop> others(loops.begin() + 1, loops.end());
    for (std::size_t d = 1; d < from.shape.size(); ++d) indices.push_back(index_into(choices_, from.shape[d], others));
    return read_at(choices_, from, indices);
  }
  Value read_state(const std::vector<Loop>& loops, Type type) {
    const int back = choices_.between(1, first_);
    reach_ = std::max(reach_, back);
    return converted(read_step(choices_.of(states_), loops, back), type);
  }
  Value read_stage(const std::vector<Loop>& loops, Type type) {
    if (stages_.empty()) return read_state(loops, type);
    const Stage& stage = choices_.of(stages_);
    const int back = stage.reach < first_ && choices_.chance(30) ? 1 : 0;
    reach_ = std::max(reach_, stage.reach + back);
    return converted(read_step(stage.made, loops, back), type);
  }
  /// The value of a step: first from a state, then from a stage that depends on one.
  Value step_value(const std::vector<Loop>& loops, Type type) {
    Value value = stages_.empty() || choices_.chance(40) ? read_state(loops, type) : read_stage(loops, type);
    for (int more = static_cast<int>(choices_.weighted({20, 50, 30})); more > 0; --more) {
      const std::size_t kind = choices_.weighted({60, 20, 20});
      const Value other = kind == 0   ? builder_.operand(choices_, loops, type)
                          : kind == 1 ? read_state(loops, type)
                                      : read_stage(loops, type);
      value = choices_.chance(50) ? combined(choices_, other, value) : combined(choices_, value, other);
    }
    return value;
  }

  /// A tensor of this shape whose elements are value(loops), reduced over `axes` if there are any.
  template <class F>
  Made make(std::vector<Dim> shape, const std::string& name, std::vector<Loop> reduce, const std::vector<IterVar>& axes,
            const F& value) {
    Made made;
    const auto body = [&](std::span<const Expr> indices) {
      std::vector<Loop> loops;
      for (std::size_t d = 0; d < shape.size(); ++d) loops.push_back({indices[d], shape[d], false});
      loops.insert(loops.end(), reduce.begin(), reduce.end());
      const Value element = cut(value(loops));
      made.bound = element.bound;
      if (axes.empty()) return element.e;
      const ir::ReducerKind kind = reducer();
      builder_.result_.reducers.push_back(kind);
      double points = 1;
      for (const Loop& loop : reduce) points *= static_cast<double>(loop.extent.value()) * 16;
      const Value summed = reducible(kind, element, points);
      made.bound = reduced_bound(kind, summed, points);
      return nestwright::reduce(kind, summed.e, axes);
    };
    made.tensor = compute_span(exprs(shape), body, name);
    made.shape = std::move(shape);
    builder_.result_.computes.push_back(made.tensor);
    return made;
  }
  ir::ReducerKind reducer() {
    const auto goal = builder_.goal_.reducer;
    if (goal && *goal != ir::ReducerKind::kCustom && !is_logical(*goal)) return *goal;
    return choices_.chance(70) ? ir::ReducerKind::kSum : ir::ReducerKind::kMax;
  }

  void add_stage(int n) {
    const Made& like = choices_.of(states_);
    std::vector<Dim> shape = like.shape;
    std::vector<Loop> reduce;
    std::vector<IterVar> axes;
    const bool is_narrow = like.tensor.dtype().is_float() && like.tensor.dtype().bits == 16;  // sums would round
    if (!is_narrow && choices_.chance(40)) {  // a product with the state, as in a recurrent cell
      const Dim extent =
          shape.size() > 1 && choices_.chance(60) ? shape.back() : Dim::constant(builder_.draw_extent(choices_, 6));
      axes.push_back(reduce_axis(extent.expr(), "r"));
      reduce.push_back({axes[0].var(), extent, true});
      if (shape.size() > 1 && choices_.chance(30)) shape.pop_back();
    }
    reach_ = 0;
    const Type type = like.tensor.dtype();
    Made made = make(std::move(shape), name("stage", static_cast<std::size_t>(n)), reduce, axes,
                     [&](const std::vector<Loop>& loops) { return step_value(loops, type); });
    stages_.push_back({std::move(made), reach_});
  }

  /// Adds a stage that an intrinsic can replace, where there is an intrinsic for the state.
  void add_tile() {
    const Made& state = choices_.of(states_);
    const Type type = state.tensor.dtype();
    const std::int64_t* width = ir::as_const_int(state.tensor.shape().back());
    const auto fits = [&](const TensorIntrinsic& intrinsic) {
      const Tensor& pattern = intrinsic.pattern;
      return pattern.op().compute()->reduce_axes.empty() && pattern.rank() == 1 && pattern.dtype() == type &&
             width != nullptr && *width % *ir::as_const_int(pattern.shape()[0]) == 0;
    };
    const std::vector<TensorIntrinsic>& all = own_intrinsics();
    const auto intrinsic = std::find_if(all.begin(), all.end(), fits);
    if (state.shape.size() < 2 || intrinsic == all.end()) return;
    const Tensor addend = builder_.new_input(state.shape, type).tensor;
    const int back = choices_.between(1, first_);
    const auto body = [&](std::span<const Expr> at) {
      std::vector<Expr> before(at.begin(), at.end());
      before[0] = at[0] - Expr(back);
      return state.tensor.at(std::move(before)) * ir::make_const(3, type) + addend(at);
    };
    Made made{compute_span(exprs(state.shape), body, builder_.next_name("tile")), state.shape, 3 * kStateBound + 4};
    builder_.result_.computes.push_back(made.tensor);
    builder_.result_.tiles.push_back({made.tensor, *intrinsic});
    stages_.push_back({std::move(made), back});
  }

  Tensor make_init(std::size_t s) {
    std::vector<Dim> shape = states_[s].shape;
    shape[0] = Dim::constant(first_);
    const Type type = states_[s].tensor.dtype();
    return make(std::move(shape), name("init", s), {}, {},
                [&](const std::vector<Loop>& loops) {
                  Value value = builder_.operand(choices_, loops, type);
                  if (choices_.chance(40)) value = combined(choices_, value, builder_.operand(choices_, loops, type));
                  return value;
                })
        .tensor;
  }

  Tensor make_update(std::size_t s) {
    const Type type = states_[s].tensor.dtype();
    const Made made = make(states_[s].shape, name("update", s), {}, {},
                           [&](const std::vector<Loop>& loops) { return step_value(loops, type); });
    stages_.push_back({made, first_});  // the next stage may read it, at its own step only
    return made.tensor;
  }

  std::vector<Tensor> make_joint_update() {
    const std::vector<Dim>& shape = states_[0].shape;
    const auto bodies = [&](std::span<const Expr> indices) {
      std::vector<Loop> loops;
      for (std::size_t d = 0; d < shape.size(); ++d) loops.push_back({indices[d], shape[d], false});
      std::vector<Expr> values;
      for (const Made& state : states_) values.push_back(cut(step_value(loops, state.tensor.dtype())).e);
      return values;
    };
    const std::vector<Tensor> rows = compute_tuple(exprs(shape), bodies, builder_.next_name("update"));
    builder_.result_.computes.push_back(rows[0]);
    return rows;
  }

  Builder& builder_;
  Choices& choices_;
  bool wants_tile_ = false, is_joint_ = false;
  int first_ = 1;  ///< rows of init
  Dim steps_;
  std::vector<Made> states_;
  std::vector<Stage> stages_;
  int reach_ = 0;  ///< steps back, of the stage under construction
};

void Builder::add_scan(Choices& choices) { ScanUnit(*this, choices).add(); }

}  // namespace nestwright::property
