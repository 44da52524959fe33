// The compiled program that computes one operation in double, with bounds of its errors, from the tensors that it
// reads: as a whole, or the runs (runs.h) of a list. It has no schedule but for vectors and threads: the terms of each
// element keep their order. Thread rule: one thread at a time; a call uses all threads of the pool.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "nestwright/array.h"
#include "nestwright/build.h"
#include "nestwright/parallel_pool.h"
#include "nestwright/schedule.h"
#include "reference/double_program.h"
#include "reference/runs.h"

namespace nestwright {

/// A tensor whose floating-point numbers are float64. It has no bounds if it is exact, and no numbers of terms that are
/// not numbers if there can be none (ErrorBoundedTensor).
struct TensorInDouble {
  Array value;
  std::optional<Array> bound = {}, nan_count = {};
};

/// The elements that a call computes. Programs for lists of runs take longer to compile, as their indices are longer.
enum class Extent : std::uint8_t { kWhole, kRuns };

class RunProgram {
 public:
  /// `is_exact(b)`: the tensor of buffer b has no bounds. Throws as DoubleProgram does. compute() requires compile().
  RunProgram(const Operation& op, Runs runs, Extent extent, const std::function<bool(const Buffer&)>& is_exact,
             Rounding rounding, Parts parts, const std::shared_ptr<ParallelPool>& pool);

  /// Several programs may be compiled at once.
  void compile();

  const Runs& runs() const { return runs_; }
  bool has_bound(std::size_t result) const { return bounds_[result] >= 0; }

  bool has_nan_count(std::size_t result) const { return nan_counts_[result] >= 0; }

  /// Computes these runs of all results, or with kWhole all. `tensors` has those that the operation reads and room for
  /// its results.
  void compute(std::span<const std::int64_t> runs, std::map<Buffer, TensorInDouble>& tensors) const;

 private:
  struct Read {
    Buffer buffer;
    bool is_bound;
  };
  ComputedRegion region();
  Schedule schedule() const;
  /// Those that the operation reads.
  std::vector<ArrayRef> arguments_of(std::map<Buffer, TensorInDouble>& tensors) const;
  void compute_whole(std::map<Buffer, TensorInDouble>& tensors) const;
  void compute_part(std::span<const std::int64_t> runs, std::map<Buffer, TensorInDouble>& tensors) const;

  Operation op_;
  Runs runs_;
  Extent extent_;
  std::vector<Read> reads_;
  std::vector<Tensor> inputs_, starts_, outputs_;  ///< starts: the indices of the runs' first elements, by dimension
  std::vector<int> values_, bounds_, nan_counts_;  ///< of each result: its place among the outputs; -1: it has none
  std::shared_ptr<ParallelPool> pool_;
  std::optional<Function> function_;
};

}  // namespace nestwright
