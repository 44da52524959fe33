#include "lookup/provenance.h"

#include <gtest/gtest.h>

#include "codegen/fingerprint.h"
#include "lookup/task_key.h"
#include "nestwright/registry.h"

namespace nestwright {
namespace {

class HintReason : public ::testing::Test {
 protected:
  HintReason() {
    record_.task = task_key({parse_workload("matmul m=32 n=32 k=32"), Target::host()});
    record_.made_by = now_;
  }
  std::string hint() const { return hint_reason(record_, now_); }

  const RecordProvenance now_ = {"0123456789abcdef", "Linux 6.1.0", "0x2b", "madvise"};
  BestRecord record_;
};

TEST_F(HintReason, WhatWasMadeAsItWouldBeNowIsCurrent) { EXPECT_EQ(hint(), ""); }

TEST_F(HintReason, AnotherCodeGeneratorOrNoneIsAHint) {
  record_.made_by.code_generator = "fedcba9876543210";
  EXPECT_EQ(hint(), "compiled by another version of the code generator");
  record_.made_by.code_generator.clear();
  EXPECT_EQ(hint(), "compiled by another version of the code generator") << "older than schema version 7";
}

TEST_F(HintReason, AnotherPluginOrNoneIsAHint) {
  RecordProvenance now = now_;
  record_.made_by.plugins = {"rows 1.0 0123456789abcdef"};
  EXPECT_EQ(hint_reason(record_, now), "the plugin rows was 1.0 0123456789abcdef, and is not loaded");
  now.plugins = {"rows 1.1 fedcba9876543210"};
  EXPECT_EQ(hint_reason(record_, now), "the plugin rows was 1.0 0123456789abcdef, and is 1.1 fedcba9876543210");
  now.plugins = {"other 1.0 fedcba9876543210", "rows 1.0 0123456789abcdef"};
  EXPECT_EQ(hint_reason(record_, now), "") << "another plugin has no part in it";
  EXPECT_EQ(plugin_differences({"rows 1.0 0123456789abcdef"}, {"rows 1.0 0123456789abcdef", "clip 2 fedcba9876543210"}),
            std::vector<std::string>{"the plugin clip was 2 fedcba9876543210, and is not loaded"});
}

TEST_F(HintReason, AnotherCompilerIsAHint) {
  const std::string now = record_.task.backend;
  record_.task.backend = "LLVM 14.0.6";
  EXPECT_EQ(hint(), "compiled with LLVM 14.0.6, not " + now);
}

TEST_F(HintReason, AFormerNameOfTheProcessorIsAHint) {
  record_.task.target = "cpu,isa=avx512,threads=2,l1d=32768,l2=1048576,l3=33554432,llvm_cpu=znver4";
  record_.target_now = "cpu,isa=avx512,threads=2,l1d=32768,l2=1048576,l3=33554432,llvm_cpu=znver5";
  EXPECT_EQ(hint(), "compiled for znver4, not znver5");
}

TEST_F(HintReason, AnotherKernelMicrocodeOrModeOfPagesIsStale) {
  record_.made_by.kernel = "Linux 5.10.0";
  record_.made_by.microcode = "0x2a";
  record_.made_by.huge_pages = "always";
  EXPECT_EQ(
      hint(),
      "the kernel was Linux 5.10.0, and is Linux 6.1.0, the microcode was 0x2a, and is 0x2b, the mode of huge pages "
      "was always, and is madvise");
}

TEST_F(HintReason, WhatIsNotKnownIsNotHeldAgainstIt) {
  record_.made_by.kernel = record_.made_by.microcode = record_.made_by.huge_pages = "";
  EXPECT_EQ(hint(), "");
}

TEST_F(HintReason, AnotherMachineHasItsOwnKernel) {
  record_.match = MatchKind::kOtherMachine;
  record_.made_by.kernel = "Linux 5.10.0";
  EXPECT_EQ(hint(), "");
}

TEST_F(HintReason, TheOldRuleIsAHint) {
  record_.by_old_rule = true;
  EXPECT_EQ(hint(), "scored by an older rule");
}

TEST(CurrentProvenance, NamesTheCodeGenerator) {
  EXPECT_EQ(current_provenance(nullptr).code_generator, code_generator_fingerprint());
  EXPECT_EQ(current_provenance(nullptr).code_generator.size(), 16u);
}

}  // namespace
}  // namespace nestwright
