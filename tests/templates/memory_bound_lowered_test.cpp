// Whatever the configuration, the lowered programs of memory-bound operators compute the reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "nestwright/registry.h"
#include "tests/support/soak.h"
#include "tests/templates/memory_bound_cases.h"

namespace nestwright {
namespace {

/// Runs the program on the interpreter and holds the result against the reference.
template <class T>
void expect_reference(const ir::Program& program, const HostTensors& in, const Reference& reference,
                      const std::string& what) {
  std::vector<std::vector<T>> tensors;
  for (const auto& input : in) tensors.emplace_back(input.begin(), input.end());
  tensors.emplace_back(reference.expected[0].size(), T(12345));
  std::vector<ir::Memory> memory;
  for (auto& tensor : tensors) memory.push_back(std::as_writable_bytes(std::span(tensor)));
  ASSERT_NO_THROW(ir::interpret(program, memory)) << what;
  for (std::size_t i = 0; i < tensors.back().size(); ++i) {
    ASSERT_LE(std::abs(static_cast<double>(tensors.back()[i]) - reference.expected[0][i]), reference.bound[0][i])
        << what << ": element " << i << " is " << tensors.back()[i] << ", not " << reference.expected[0][i];
  }
}

/// Both forms verify after each pass and compute the reference.
void check_config(const Template& t, const Workload& w, const Target& target, const Config& config) {
  const std::string what = w.str() + " @ " + target.str() + ": " + config.str();
  try {
    const Instance instance = instantiate(t, w, target, config);
    const HostTensors in = testing_memory::inputs(instance.definition);
    const Reference reference = w.op->reference(w, in);
    const ir::Program loops =
        lower(instance.schedule, instance.definition.args, target, w.op->name, {.after_pass = {}, .verify = true});
    for (const ir::Program& program : {loops, expand(loops, target, {.after_pass = {}, .verify = true})}) {
      if (w.type("dtype") == kFloat32) {
        expect_reference<float>(program, in, reference, what);
      } else {
        expect_reference<double>(program, in, reference, what);
      }
    }
  } catch (const Error& error) {
    ADD_FAILURE() << what << ": " << error.what();
  }
}

class MemoryBoundLowered : public ::testing::TestWithParam<std::string> {};

TEST_P(MemoryBoundLowered, SeedsAndSamplesComputeTheReference) {
  const Workload w = parse_workload(GetParam());
  std::mt19937_64 random(std::hash<std::string>()(GetParam()) + static_cast<std::uint64_t>(testing::soak()));
  std::size_t turn = random();
  for (const Target& target : testing_memory::targets()) {
    for (const Template* t : templates_for(*w.op, DeviceKind::kCpu)) {
      const std::vector<Config> seeds = t->seeds(w, target);
      check_config(*t, w, target, seeds[++turn % seeds.size()]);
      const ConfigSpace space = discover_space(*t, w, target);
      for (int sample = 0; sample < 2 * testing::soak(); ++sample) {
        const auto config = space.sample(random);
        ASSERT_TRUE(config);
        check_config(*t, w, target, *config);
        if (HasFailure()) return;
      }
    }
  }
}

// Random inputs are in [-1, 1]: formulas of several pieces have their seams and their ends elsewhere.
TEST(MemoryBoundLowered, ActivationsComputeTheReferenceFarFromZero) {
  for (const char* function : {"gelu", "gelu_tanh"}) {
    const Workload w = parse_workload("elementwise function=" + std::string(function) + " shape=2401");
    HostTensors in(1);
    for (int i = 0; i < 2401; ++i) in[0].push_back((i - 1200) / 64.0);
    in[0][0] = -1e30;
    in[0].back() = 1e30;
    for (double& x : in[0]) x = static_cast<float>(x);
    const Reference reference = w.op->reference(w, in);
    for (const Target& target : testing_memory::targets()) {
      const Template& t = *templates_for(*w.op, DeviceKind::kCpu).front();
      const Instance instance = instantiate(t, w, target, t.seeds(w, target).front());
      const ir::Program program =
          expand(lower(instance.schedule, instance.definition.args, target, w.op->name), target);
      expect_reference<float>(program, in, reference, w.str() + " @ " + target.str());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Workloads, MemoryBoundLowered, ::testing::ValuesIn(testing_memory::workloads()),
                         [](const auto& p) { return "number" + std::to_string(p.index); });

}  // namespace
}  // namespace nestwright
