// Finds the elements of other tensors that an operation reads for some of its own.
// Thread rule: an immutable value.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "ir/analysis/ranges.h"
#include "nestwright/tensor.h"
#include "reference/runs.h"

namespace nestwright {

class RequiredElements {
 public:
  /// `is_wanted(b)`: the elements of buffer b are to be found.
  RequiredElements(const Operation& op, const std::function<bool(const Buffer&)>& is_wanted);

  /// Calls on_box(b, box) with boxes that together contain the elements of each wanted buffer that the run reads. An
  /// index that depends on data may have any value.
  void visit(const Runs& runs, std::int64_t run,
             const std::function<void(const Buffer&, std::span<const ir::Interval>)>& on_box) const;

 private:
  struct Read {
    Buffer buffer;
    std::vector<Expr> indices;
    std::vector<std::int64_t> shape;
  };
  Operation op_;
  std::vector<Read> reads_;
};

}  // namespace nestwright
