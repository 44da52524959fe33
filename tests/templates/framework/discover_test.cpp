// Discovery and application, with templates made up for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>

#include "nestwright/error.h"
#include "nestwright/registry.h"
#include "templates/framework/space/completion.h"
#include "templates/framework/space/discover.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

const Workload& workload() {
  static const Workload w = parse_workload("matmul m=64 n=48 k=32");
  return w;
}

/// Knobs behind one choice, and behind a choice behind that.
Schedule branching(Tuning& t, const Workload&, const Definition& d, const Target&) {
  Schedule s = create_schedule(d.args[2]);
  const KnobExpr always = t.define_knob("always", {1, 2});
  if (t.choose("outer", {"off", "on"}) == "on") {
    const KnobExpr when_on = t.define_knob("when_on", {1, 2, 3});
    if (t.choose("inner", {"a", "b", "c"}) == "b") {
      const auto tile = t.define_split("tile", 48, {.parts = 2, .max_factor = 16});
      auto [o, i] = s[d.args[2]].split(s[d.args[2]].axis(1), factor(tile[1]));
      if (t.define_annotate("inside", {"nothing", "unroll"}) == "unroll") s[d.args[2]].unroll(i);
    }
    t.require(always <= when_on, "always is above");
  }
  return s;
}

const Template kBranching{"test.branching", 1, {DeviceKind::kCpu}, branching, {}};

TEST(Discover, OneConfigurationIsCheckedInItsOwnBranch) {
  const ConfigSpace all = discover_space(kBranching, workload(), Target());
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(all.size()); ++i) {
    const Config config = all.at(i);
    const ConfigSpace own = discover_branch(kBranching, workload(), Target(), config);
    EXPECT_EQ(own.branches().size(), 1u);
    EXPECT_EQ(own.resolve(config), all.resolve(config));
    EXPECT_EQ(own.is_valid(config), all.is_valid(config)) << config.str();
  }
  Config unknown;
  unknown.set("outer", {0}, "sideways");
  EXPECT_THROW(discover_branch(kBranching, workload(), Target(), unknown), UsageError);
  EXPECT_THROW(discover_branch(kBranching, workload(), Target(), {}), UsageError);
}

TEST(Discover, FindsKnobsBehindChoices) {
  const ConfigSpace space = discover_space(kBranching, workload(), Target());
  ASSERT_EQ(space.branches().size(), 4u);
  std::vector<std::string> shapes;
  for (const Branch& branch : space.branches()) {
    std::string names;
    for (const Knob& knob : branch.knobs)
      names += knob.name + (knob.labels.size() == 1 ? "=" + knob.labels[0] : "") + " ";
    shapes.push_back(names);
  }
  EXPECT_THAT(shapes, ::testing::ElementsAre("outer=off always ", "outer=on inner=a always when_on ",
                                             "outer=on inner=b always when_on tile inside ",
                                             "outer=on inner=c always when_on "));
  // 48 = 1, 2, 3, 4, 6, 8, 12, 16 inner; always <= when_on leaves 5 of 6.
  EXPECT_EQ(space.count_valid().points, 2 + 5 + 5 * 8 * 2 + 5);
}

TEST(Instantiate, AppliesWhatTheConfigurationSays) {
  const Config config = Config::parse("outer=on inner=b always=1 when_on=2 tile=[4,12] inside=unroll");
  const Instance instance = instantiate(kBranching, workload(), Target(), config);
  EXPECT_THAT(instance.schedule.trace().str(), ::testing::HasSubstr("factor=12"));
  EXPECT_THAT(instance.schedule.trace().str(), ::testing::HasSubstr("unroll"));
}

TEST(Instantiate, EveryPointOfTheSpaceIsApplied) {
  const ConfigSpace space = discover_space(kBranching, workload(), Target());
  std::map<std::string, std::string> schedules;  // by what the schedule depends on
  std::set<std::string> different;
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(space.size()); ++i) {
    const Config config = space.at(i);
    const ConfigEntry *const tile = config.find("tile"), *const inside = config.find("inside");
    const std::string applied =
        tile == nullptr ? "none" : std::to_string(tile->value.at(1)) + (inside != nullptr ? inside->label : "");
    const std::string schedule = instantiate(kBranching, workload(), Target(), config).schedule.trace().str();
    EXPECT_EQ(schedules.emplace(applied, schedule).first->second, schedule) << config.str();
    different.insert(schedule);
  }
  EXPECT_EQ(different.size(), schedules.size()) << "each is applied";
  EXPECT_EQ(different.size(), 1U + 8 * 2);
}

TEST(Instantiate, RefusesMissingUnknownAndIllegalKnobs) {
  const auto refusal = [](const std::string& text) -> std::string {
    return message<UsageError>([&] { instantiate(kBranching, workload(), Target(), Config::parse(text)); });
  };
  EXPECT_EQ(refusal("outer=off"), "the configuration for template test.branching lacks the knob 'always'");
  EXPECT_EQ(refusal("outer=off always=3"), "always=3 for template test.branching is not one of 1, 2");
  EXPECT_EQ(refusal("outer=maybe always=1"), "outer=maybe for template test.branching is not one of off, on");
  EXPECT_EQ(refusal("outer=off always=1 when_on=2"),
            "template test.branching has no knob 'when_on' under these choices; its knobs are always, outer");
  EXPECT_EQ(refusal("outer=on inner=b always=1 when_on=1 tile=[5,12] inside=nothing"),
            "tile=[5,12] for template test.branching is no split of 48 into 2 parts");
  EXPECT_EQ(refusal("outer=0 always=1"), "accepted");
}

/// A template of two branches; the one with how=bad has no legal schedule.
Schedule schedule_with_bad_branch(Tuning& t, const Workload&, const Definition& d, const Target&) {
  Schedule s = create_schedule(d.args[2]);
  const bool is_bad = t.choose("how", {"bad", "good"}) == "bad";
  t.define_knob("x", {1, 2});
  if (is_bad) s[d.args[2]].vectorize(s[d.args[2]].reduce_axis(0));
  return s;
}

TEST(Discover, LeavesOutABranchWithoutALegalSchedule) {
  const Template broken{"test.broken", 1, {DeviceKind::kCpu}, schedule_with_bad_branch, {}};
  const ConfigSpace space = discover_space(broken, workload(), Target());
  ASSERT_EQ(space.branches().size(), 1u);
  EXPECT_EQ(space.at(0).str(), "how=good x=1");
  ASSERT_EQ(space.left_out().size(), 1u);
  EXPECT_EQ(space.left_out()[0].choices, "how=bad");
  EXPECT_THAT(space.left_out()[0].reason, ::testing::HasSubstr("vectorize of k"));
  EXPECT_THAT(message<UsageError>([&] { discover_branch(broken, workload(), Target(), Config::parse("how=bad x=1")); }),
              ::testing::StartsWith("template test.broken has no legal schedule with how=bad: vectorize of k"));
  EXPECT_EQ(complete_config(broken, workload(), Target(), Config::parse("how=bad")), std::nullopt);
  EXPECT_EQ(seeds_of(broken, workload(), Target()).front().str(), "how=good x=1");
}

TEST(Discover, WithoutALegalScheduleTheSpaceIsEmpty) {
  const Template failing{"test.failing",
                         1,
                         {DeviceKind::kCpu},
                         [](Tuning& t, const Workload&, const Definition&, const Target&) -> Schedule {
                           t.choose("how", {"one", "two"});
                           throw std::out_of_range("no such axis");
                         },
                         {}};
  const ConfigSpace space = discover_space(failing, workload(), Target());
  EXPECT_EQ(space.count_valid().points, 0);
  EXPECT_EQ(left_out_text(failing, space.left_out()),
            "template test.failing has no legal schedule with how=one: no such axis (and 1 more)");
  EXPECT_THAT(seeds_of(failing, workload(), Target()), ::testing::IsEmpty());
}

/// A template of `choices` choices of two options each, and of one more with `options`.
Template many_choices(int choices, int options) {
  return {"test.many",
          1,
          {DeviceKind::kCpu},
          [choices, options](Tuning& t, const Workload&, const Definition& d, const Target&) {
            for (int i = 0; i < choices; ++i) t.choose("choice" + std::to_string(i), {"no", "yes"});
            std::vector<std::string> names;
            for (int i = 0; i < options; ++i) names.push_back("option" + std::to_string(i));
            t.choose("last", names);
            return create_schedule(d.args[2]);
          },
          {}};
}

TEST(Discover, StopsAtTenThousandCombinationsOfChoices) {
  EXPECT_EQ(discover_space(many_choices(4, 625), workload(), Target()).branches().size(), 10'000);
  EXPECT_EQ(message<InternalError>([] { discover_space(many_choices(5, 313), workload(), Target()); }),
            "template test.many for matmul m=64 n=48 k=32 has more than 10,000 combinations of choices: make knobs of "
            "those that define no others");
}

TEST(Discover, RefusesAKnobThatIsDefinedTwice) {
  const Template twice{"test.twice",
                       1,
                       {DeviceKind::kCpu},
                       [](Tuning& t, const Workload&, const Definition& d, const Target&) {
                         t.define_knob("x", {1});
                         t.define_knob("x", {1});
                         return create_schedule(d.args[2]);
                       },
                       {}};
  const ConfigSpace space = discover_space(twice, workload(), Target());
  EXPECT_THAT(space.branches(), ::testing::IsEmpty());
  EXPECT_EQ(space.left_out().at(0).reason, "the knob 'x' is defined twice");
}

TEST(Guess, ComesCloseAndKeepsTheConstraints) {
  const auto config =
      complete_config(kBranching, workload(), Target(), Config::parse("outer=on inner=b tile=[5,10] always=2"));
  ASSERT_TRUE(config);
  EXPECT_EQ(config->str(), "outer=on inner=b always=2 when_on=2 tile=[4,12] inside=nothing");
}

/// Which of the constraints random candidates of a branch meet.
std::vector<bool> met(const Branch& branch) {
  std::mt19937_64 random(7);
  std::vector<bool> result;
  for (int i = 0; i < 64; ++i) {
    for (const Constraint& constraint : branch.constraints) {
      std::vector<KnobValue> values;
      for (const std::string& name : constraint.knobs) {
        const auto knob = std::find_if(branch.knobs.begin(), branch.knobs.end(),
                                       [&](const Knob& candidate) { return candidate.name == name; });
        values.push_back(knob->candidates[random() % knob->candidates.size()]);
      }
      result.push_back(constraint.holds(values));
    }
  }
  return result;
}

/// The same while the stack that functions had which have returned is full of `byte`.
[[gnu::noinline]] std::vector<bool> met_below(const Branch& branch, unsigned char byte) {
  unsigned char stack[1 << 18];
  std::memset(stack, byte, sizeof stack);
  asm volatile("" : : "r"(stack) : "memory");  // or it would not be written, as nobody reads it
  std::vector<bool> result = met(branch);
  asm volatile("" : : "r"(stack) : "memory");
  return result;
}

/// Constraints live longer than the discovery that they come from: they may refer to nothing of it.
TEST(Discover, ConstraintsOfEveryTemplateReadNoStackOfTheDiscovery) {
  const std::vector<std::string> workloads = {
      "matmul m=96 n=64 k=128",
      "matmul m=96 n=64 k=128 dtype=float16",
      "matmul m=96 n=64 k=128 dtype=int8",
      "matmul m=1 n=96 k=700",
      "softmax rows=64 columns=1000",
      "layer_norm rows=64 columns=1000",
      "transpose rows=640 columns=480",
      "elementwise function=gelu shape=64x1000",
      "broadcast function=add rows=64 columns=1000",
      "reduce function=sum shape=64x1000 axes=1",
      "conv2d n=1 c=128 h=28 w=28 k=128 r=3 s=3 pad=1",
      "depthwise_conv2d n=1 c=48 h=61 w=64 r=5 s=5 pad=2",
      "scan function=sum steps=50 columns=5000",
  };
  for (const char* target : {"cpu,isa=avx512,threads=2,llvm_cpu=sapphirerapids", "cuda,arch=sm_90", "opencl"}) {
    for (const std::string& text : workloads) {
      const Task task{parse_workload(text), Target::parse(target)};
      for (const Template& source : task.workload.op->templates) {
        if (!source.is_for(task.target.device)) continue;
        if (source.why_not && !source.why_not(task.workload, task.target).empty()) continue;
        const ConfigSpace space = discover_space(source, task.workload, task.target);
        EXPECT_EQ(left_out_text(source, space.left_out()), "") << text;
        for (const Branch& branch : space.branches()) {
          EXPECT_EQ(met_below(branch, 0), met_below(branch, 0xff)) << source.name << " for " << text;
        }
      }
    }
  }
}

}  // namespace
}  // namespace nestwright
