// The knobs of a configuration as columns of its features. Thread rule: immutable once built; any thread may read it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cost_model/features.h"
#include "nestwright/config_space.h"

namespace nestwright {

/// Maps knobs to columns: the union over all branches of all spaces of a task.
class KnobColumns {
 public:
  explicit KnobColumns(std::span<const ConfigSpace> spaces);
  std::size_t size() const { return columns_.size(); }
  /// Appends one value for each column: log2(1 + x) for a number, the index of an option for a choice, NaN where the
  /// configuration lacks the knob.
  void append(const Config& config, Features& out) const;

 private:
  struct Column {
    std::string knob;
    std::size_t component;
    bool is_size;
  };

  /// Appends the column if there is none for the knob's component yet.
  void add(const Column& column);

  std::vector<Column> columns_;
};

}  // namespace nestwright
