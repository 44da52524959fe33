// Whatever the configuration, what the GPU templates of the registry make computes the reference: on the interpreter,
// the threads of a block in a random order between barriers, with its race detector.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nestwright/registry.h"
#include "tests/templates/all_templates.h"
#include "tests/templates/gpu_cases.h"
#include "tests/templates/gpu_check.h"

namespace nestwright {
namespace {

class GpuLowered : public ::testing::TestWithParam<std::string> {};

TEST_P(GpuLowered, SeedsAndSamplesComputeTheReference) {
  const Workload w = parse_workload(GetParam());
  std::mt19937_64 random(std::hash<std::string>()(GetParam()));
  for (const Target& target : {testing_gpu::cuda(), testing_gpu::opencl()}) {
    for (const Template* t : templates_for(w, target)) {
      const std::vector<Config> seeds = t->seeds(w, target);
      testing_gpu::check_config(*t, w, target, seeds.front(), random());
      testing_gpu::check_config(*t, w, target, seeds[random() % seeds.size()], random());
      const ConfigSpace space = discover_space(*t, w, target);
      for (int sample = 0; sample < testing_gpu::samples_of(w.op->name) && !HasFailure(); ++sample) {
        const auto config = space.sample(random);
        ASSERT_TRUE(config);
        testing_gpu::check_config(*t, w, target, *config, random());
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Workloads, GpuLowered, ::testing::ValuesIn(testing_gpu::workloads()),
                         [](const auto& p) { return "number" + std::to_string(p.index); });

TEST(GpuTemplates, EachServesOneOfTheWorkloads) {
  std::set<std::string> served;
  for (const std::string& text : testing_gpu::workloads()) {
    for (const Target& target : {testing_gpu::cuda(), testing_gpu::opencl()}) {
      for (const Template* t : templates_for(parse_workload(text), target)) served.insert(t->name + target.str());
    }
  }
  for (const Template* each : all_templates()) {
    const Template& t = *each;
    for (const Target& target : {testing_gpu::cuda(), testing_gpu::opencl()}) {
      if (!t.is_for(target.device)) continue;
      EXPECT_EQ(served.count(t.name + target.str()), 1u) << t.name << ": add a workload of it to gpu_cases.h";
    }
  }
}

TEST(GpuTemplates, SeedsAreValidAndDifferent) {
  for (const std::string& text : testing_gpu::workloads()) {
    const Workload w = parse_workload(text);
    for (const Target& target : {testing_gpu::cuda(), testing_gpu::opencl()}) {
      for (const Template* t : templates_for(w, target)) {
        const ConfigSpace space = discover_space(*t, w, target);
        const std::vector<Config> seeds = t->seeds(w, target);
        ASSERT_THAT(seeds, ::testing::Not(::testing::IsEmpty())) << t->name;
        std::set<std::string> texts;
        for (const Config& seed : seeds) {
          EXPECT_EQ(space.why_invalid(seed), "") << w.str() << ": " << seed.str();
          EXPECT_EQ(space.resolve(Config::parse(seed.str())), seed);
          texts.insert(seed.str());
        }
        EXPECT_EQ(texts.size(), seeds.size());
      }
    }
  }
}

}  // namespace
}  // namespace nestwright
