// Numbers that describe a candidate to a cost model: read off the program in loop form, and its knobs. Nothing is
// compiled. The program's part follows Ansor's per-store features (auto_scheduler/feature.cc), cut down to what a model
// of one operator on one machine can use: work, structure of the loops, and for three cache sizes the traffic that the
// loop nest causes. Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/core/program.h"
#include "space/config_space.h"

namespace nestwright {

/// Always the same length for one FeatureLayout. NaN: does not apply.
using Features = std::vector<float>;

/// Bytes that the traffic features take the caches to hold.
struct CacheCapacities {
  std::int64_t l1_bytes = 32 << 10, l2_bytes = 1 << 20, l3_bytes = 16 << 20;
};

/// Raised whenever a feature comes to mean something else.
inline constexpr int kFeatureVersion = 2;

/// Which knob goes into which column: the union over all branches of all spaces of a task.
class KnobColumns {
 public:
  explicit KnobColumns(std::span<const ConfigSpace> spaces);
  std::size_t size() const { return columns_.size(); }
  /// One value a column: log2(1 + x) of a number, the position of an option, NaN where the configuration has no such
  /// knob.
  void append(const Config& config, Features& out) const;

 private:
  struct Column {
    std::string knob;
    std::size_t component;
    bool is_size;
  };
  std::vector<Column> columns_;
};

/// Number of features that program_features appends.
std::size_t program_feature_count();
/// Requires loop form with constant extents.
void program_features(const ir::Program& program, const CacheCapacities& caches, Features& out);
/// Their names, in order, for people.
std::vector<std::string> program_feature_names();

}  // namespace nestwright
