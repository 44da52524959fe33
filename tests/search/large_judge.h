// Judges results as a runner does if the tensors are large (measure/check/large_data.h), for workloads of any size.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <list>
#include <span>
#include <string>
#include <vector>

#include "measure/check/elements.h"
#include "measure/check/large_output.h"
#include "measure/process/guarded_region.h"
#include "measure/run/tensor_file.h"
#include "search/task/check_data.h"

namespace nestwright {

class LargeJudge {
 public:
  /// Makes the data with all sets of inputs.
  explicit LargeJudge(const Workload& workload)
      : data_(make_strict_check_data(workload, {.seconds = 0})), file_(data_) {
    file_.append_wide();
  }

  const CheckData& data() const { return data_; }
  const TensorLayout& output() const { return file_.layout().back(); }
  bool has(InputSet set) const { return set == InputSet::kUniform || offset(output(), set) >= 0; }

  /// The inputs of a set, as they lie in the file.
  std::vector<std::vector<double>> inputs(InputSet set) const {
    std::vector<std::vector<double>> inputs;
    for (const TensorLayout& layout : file_.layout()) {
      if (layout.role != ir::Role::kInput) continue;
      const std::int64_t bytes = layout.elements * layout.type.bytes();
      const Placement placement = set == InputSet::kUniform ? Placement::kAtStart : Placement::kAtEnd;
      const std::int64_t at = set == InputSet::kUniform ? layout.second : offset(layout, set);
      std::vector<std::byte> memory(static_cast<std::size_t>(bytes));
      EXPECT_EQ(pread(file_.fd(), memory.data(), memory.size(), at + GuardedRegion::offset(bytes, placement)), bytes);
      std::vector<double>& values = inputs.emplace_back(static_cast<std::size_t>(layout.elements));
      ir::decode_elements(layout.type, memory.data(), 0, 1, values);
    }
    return inputs;
  }

  /// `result` as a kernel leaves it in memory: what is not a number was not written.
  std::vector<std::byte> in_memory(const std::vector<double>& result) const {
    const auto size = static_cast<std::size_t>(output().type.bytes());
    std::vector<std::byte> memory(result.size() * size, std::byte{0xff});
    for (std::size_t i = 0; i < result.size(); ++i) {
      if (result[i] == result[i]) encode_elements(output().type, {&result[i], 1}, &memory[i * size]);
    }
    return memory;
  }

  /// What is wrong with a result in memory; empty if nothing is.
  std::string judge(InputSet set, const std::vector<std::byte>& memory, Evidence& evidence) const {
    const LargeLayout& large = *output().large;
    const LargeExpectation expectation(large, output().elements, doubles(large.places, large.samples),
                                       doubles(offset(output(), set), large.doubles()));
    return explain_large_mismatch(2, output().type, memory.data(), expectation, evidence, run_in_turn);
  }
  std::string judge(InputSet set, const std::vector<double>& result) const {
    Evidence evidence;
    return judge(set, in_memory(result), evidence);
  }

 private:
  static std::int64_t offset(const TensorLayout& layout, InputSet set) {
    return set == InputSet::kUniform ? layout.first : set == InputSet::kIntegers ? layout.integers : layout.wide;
  }

  /// Doubles of the file, which live as long as this.
  std::span<const double> doubles(std::int64_t at, std::int64_t count) const {
    std::vector<double>& values = kept_.emplace_back(static_cast<std::size_t>(count));
    const auto bytes = static_cast<ssize_t>(values.size() * sizeof(double));
    EXPECT_EQ(pread(file_.fd(), values.data(), values.size() * sizeof(double), at), bytes);
    return values;
  }

  CheckData data_;
  TensorFile file_;
  mutable std::list<std::vector<double>> kept_;
};

}  // namespace nestwright
