#include "search/task/runnable.h"

#include <gtest/gtest.h>

#include "nestwright/error.h"
#include "nestwright/registry.h"

namespace nestwright {
namespace {

double copies_of(const std::string& text) {
  const Workload workload = parse_workload(text);
  return tuning_bytes(workload) / workload.op->define(workload).bytes;
}

TEST(Runnable, LargeTensorsWithSampledReferencesTakeThreeTimesTheirMemory) {
  EXPECT_NEAR(copies_of("matmul m=8388608 n=128 k=64"), 3, 0.1);
  EXPECT_NEAR(copies_of("matmul m=64 n=64 k=64"), 6, 0.01) << "references of all elements are held as doubles";
}

TEST(Runnable, AQuarterOfTheMemoryIsEnough) {
  const Task task{parse_workload("matmul m=8388608 n=128 k=64"), Target::parse("host")};
  Machine machine = Machine::host();
  machine.memory_bytes = std::int64_t{24} << 30;
  EXPECT_NO_THROW(require_runnable(task, machine));
  machine.memory_bytes = std::int64_t{12} << 30;
  EXPECT_THROW(require_runnable(task, machine), UsageError);
}

}  // namespace
}  // namespace nestwright
