// Builds random expressions unit by unit, each from its own choices. A unit is a compute, a reduction of tuples, a scan
// with all its parts, or a compute that an intrinsic can replace. Private to the property tests.
// Thread rule: one builder belongs to one thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/property/expression.h"
#include "tests/property/reads.h"

namespace nestwright::property {

inline bool is_logical(ir::ReducerKind kind) { return kind == ir::ReducerKind::kAny || kind == ir::ReducerKind::kAll; }

class Builder {
 public:
  explicit Builder(const ExpressionGoal& goal) : goal_(goal) {}

  void add_unit(Choices& choices);
  Expression finish();

 private:
  static constexpr std::int64_t kMaxPoints = 360;  // of one compute, including its reduction
  static constexpr int kMaxRank = 4;

  /// The loops of the compute under construction. Variables come last: those of spatial loops depend on the shape.
  struct Plan {
    std::vector<Loop> spatial, reduce;
    std::vector<IterVar> reduce_axes;
    std::int64_t points = 1;
    bool is_reduction = false;
    int primary = -1;  ///< index of the compute that is read as a whole or in windows; -1: none
    /// One index for each dimension of the primary, made from the loops.
    std::vector<std::function<Index(const Plan&)>> indices;

    std::vector<Loop> loops() const {
      std::vector<Loop> all = spatial;
      all.insert(all.end(), reduce.begin(), reduce.end());
      return all;
    }
    /// Iterations of the reduction, for symbols of reasonable size.
    double reduced() const;
    /// The extents of the spatial loops in this order; bind() sets the loops' variables to the indices of this shape.
    std::vector<Dim> shape(const std::vector<std::size_t>& order) const;
    void bind(const std::vector<std::size_t>& order, std::span<const Expr> values);
  };

  // plan.cpp: chooses the loops.
  std::int64_t draw_extent(Choices& choices, std::int64_t most) const;
  Dim draw_dim(Choices& choices, std::int64_t most);
  /// Index of the new loop among the spatial or the reduce ones; -1 where there is no room.
  static int add_spatial(Plan& plan, const Dim& extent);
  static int add_reduce(Plan& plan, const Dim& extent, Choices& choices);
  void plan_dimension(Choices& choices, Plan& plan, const Dim& extent);
  Plan make_plan(Choices& choices, std::uint32_t percent_reduced);
  /// The order of the indices: as planned, or shuffled, which makes a transposition.
  static std::vector<std::size_t> draw_order(Choices& choices, const Plan& plan);

  // expression.cpp: chooses the bodies.
  Type draw_type(Choices& choices, const Plan& plan, bool may_be_logical) const;
  Made new_input(std::vector<Dim> shape, Type type, std::vector<Expr> strides = {});
  Value input(Choices& choices, const std::vector<Loop>& loops, Type type);
  Value operand(Choices& choices, const std::vector<Loop>& loops, Type type);
  Value body_value(Choices& choices, const Plan& plan, Type type);
  Value read_compute(Choices& choices, std::size_t n, const std::vector<Loop>& loops);
  /// Adds a result that later units may read. It is an output where `wants_output`, or where none reads it.
  void add_result(Made made, bool wants_output);
  /// The name of the next unit or of a part of it.
  std::string next_name(const std::string& part = {}) const;
  void add_plain(Choices& choices);

  void add_tuple(Choices& choices);  // unit_tuple.cpp
  void add_scan(Choices& choices);   // unit_scan.cpp
  void add_tile(Choices& choices);   // unit_tile.cpp

  friend class ScanUnit;

  const ExpressionGoal goal_;
  Expression result_;
  std::vector<Symbol>& symbols_ = result_.symbols;
  std::vector<Made> inputs_, computes_;
  std::vector<char> is_read_, wants_output_;
};

}  // namespace nestwright::property
