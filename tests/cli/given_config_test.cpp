// The template that a configuration written by hand belongs to.
#include "cli/commands/given_config.h"

#include <gtest/gtest.h>

#include <memory>

#include "nestwright/error.h"
#include "nestwright/registry.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

Task one_thread(const std::string& workload) {
  return {parse_workload(workload), Target::parse("cpu,isa=avx2,threads=1")};
}

/// The template and the configuration that are taken, or the refusal.
std::string given(const Task& task, const std::string& config, const std::string& only = "") {
  std::string taken;
  const std::string refusal = message<UsageError>([&] {
    const Lookup found = cli::given_config(task, config, only);
    taken = found.source->name + ": " + found.config.str();
  });
  return taken.empty() ? refusal : taken;
}

/// A template with x, which is at most `most`, y and, if it is `longer`, z.
Template synthetic(const std::string& name, const std::vector<std::int64_t>& candidates, std::int64_t most,
                   bool longer) {
  return {name,
          1,
          {DeviceKind::kCpu},
          [=](Tuning& t, const Workload&, const Definition& d, const Target&) {
            const KnobExpr x = t.define_knob("x", candidates);
            t.require(x <= most, "x is too large");
            t.define_knob("y", {1, 2});
            if (longer) t.define_knob("z", {1, 2});
            return create_schedule(d.args[2]);
          },
          {}};
}

/// A product with made-up templates.
Task synthetic_task() {
  Task task = one_thread("matmul m=8 n=8 k=8");
  Operator op = *task.workload.op;
  op.templates = {synthetic("made.long", {1, 2, 4, 16}, 16, true), synthetic("made.first", {1, 2, 8}, 2, false),
                  synthetic("made.second", {2, 4, 8, 32}, 8, false)};
  task.workload.op = std::make_shared<const Operator>(std::move(op));
  return task;
}

TEST(GivenConfig, APartBelongsToTheFirstTemplateInWhichItIsPossible) {
  const Task task = synthetic_task();
  EXPECT_EQ(given(task, "x=2"), "made.long: x=2 y=1 z=1");
  EXPECT_EQ(given(task, "x=8"), "made.second: x=8 y=1") << "a constraint of made.first excludes it";
}

TEST(GivenConfig, AWholeConfigurationBelongsToTheTemplateThatHasExactlyItsKnobs) {
  const Task task = synthetic_task();
  EXPECT_EQ(given(task, "x=1 y=2"), "made.first: x=1 y=2");
  EXPECT_EQ(given(task, "x=4 y=2"), "made.second: x=4 y=2");
  EXPECT_EQ(given(task, "x=8 y=2"), "made.second: x=8 y=2") << "a constraint of made.first excludes it";
  EXPECT_EQ(given(task, "x=1 y=2 z=1"), "made.long: x=1 y=2 z=1");
  EXPECT_EQ(given(task, "x=16 y=2"), "made.long: x=16 y=2 z=1") << "no other one has the value";
}

TEST(GivenConfig, AWholeConfigurationOfSeveralTemplatesIsRefused) {
  const Task task = synthetic_task();
  EXPECT_EQ(given(task, "x=2 y=2"),
            "several templates have this configuration: choose one of made.first, made.second by --template");
  EXPECT_EQ(given(task, "x=2 y=2", "made.second"), "made.second: x=2 y=2");
}

TEST(GivenConfig, ARefusalNamesTheTemplate) {
  const Task task = synthetic_task();
  EXPECT_EQ(given(task, "x=3"),
            "template made.long: x=3 is not a candidate of the knob 'x'; its candidates are 1, 2, 4, 16");
  EXPECT_EQ(given(task, "rows=3"), "template made.long: there is no knob 'rows'; the knobs are x, y, z");
  EXPECT_EQ(given(task, "x=32 y=1"),
            "template made.second: the configuration is not valid for matmul m=8 n=8 k=8: x=32: x is too large");
  EXPECT_EQ(given(one_thread("matmul m=512 n=1 k=512"), "unroll_k=16"),
            "template matmul.gemv: unroll_k=16 is not a candidate of the knob 'unroll_k'; its candidates are 1, 2, 4");
}

TEST(GivenConfig, AnOptionIsGivenByItsName) {
  EXPECT_EQ(
      given(one_thread("matmul m=512 n=512 k=512"), "pack_b=2"),
      "template matmul.cpu: pack_b=2 is not a candidate of the knob 'pack_b'; its candidates are no, block, whole");
}

TEST(GivenConfig, AValueThatTheFirstTemplateLacksIsOneOfALaterTemplate) {
  const Task task = one_thread("matmul m=512 n=1 k=512");
  const Lookup found = cli::given_config(task, "unroll_k=8", "");
  EXPECT_EQ(found.source->name, "matmul.cpu");
  EXPECT_EQ(found.config.find("unroll_k")->value, KnobValue{8});
}

TEST(GivenConfig, AConfigurationThatIsPastedIsNeverTakenForOneOfAnotherTemplate) {
  // matmul.dot and matmul.cpu have the same knobs, and matmul.convert has one more.
  for (const char* dtype : {"int8", "bfloat16"}) {
    const Task task{parse_workload(std::string("matmul m=64 n=64 k=64 dtype=") + dtype),
                    Target::parse("cpu,isa=avx512,threads=2,features=avx512_vnni+avx512_bf16")};
    for (const Template* t : templates_for(task.workload, task.target)) {
      const std::string config = look_up(task, nullptr, t->name).config.str();
      const std::string own = t->name + ": " + config, found = given(task, config);
      EXPECT_EQ(given(task, config, t->name), own);
      if (found == own) continue;
      EXPECT_TRUE(found.starts_with("several templates have this configuration: choose one of ")) << dtype << found;
      EXPECT_NE(found.find(t->name), std::string::npos) << dtype << found;
    }
  }
}

}  // namespace
}  // namespace nestwright
