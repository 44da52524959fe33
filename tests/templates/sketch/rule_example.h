// The example in the head of a rule's file: an expression, a partial configuration, and a golden file with the loops.
// Thread rule: pure functions.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "nestwright/tensor.h"
#include "tests/support/golden.h"
#include "tests/templates/sketch/expressions.h"

namespace nestwright::testing_sketch {

struct RuleExample {
  const char* rule;
  const char* config;                            ///< some of its knobs; the others are completed
  std::function<std::vector<Tensor>()> tensors;  ///< the arguments, of which the last one is the output
  std::vector<std::size_t> constant_inputs = {};
};

/// A workload whose operator computes the last of `args` from the others.
inline Workload workload_of_arguments(std::vector<Tensor> args, std::vector<std::size_t> constant_inputs = {}) {
  const Tensor output = args.back();
  args.pop_back();
  return workload_of(std::move(args), {output}, std::move(constant_inputs));
}

/// The steps of a scan that add rows of a matrix up.
inline std::vector<Tensor> running_sums() {
  const Tensor x = placeholder({5, 64}, kFloat32, "X"), state = placeholder({5, 64}, kFloat32, "state");
  const Tensor init = compute({1, 64}, [&](Expr, Expr j) { return x(0, j); }, "init");
  const Tensor update = compute({5, 64}, [&](Expr t, Expr j) { return state(t - 1, j) + x(t, j); }, "update");
  return {x, scan(init, update, state, {x}, "Y")};
}

/// Rows less their largest elements.
inline std::vector<Tensor> centred_rows() {
  const Tensor a = placeholder({6, 64}, kFloat32, "A");
  const IterVar k = reduce_axis(64, "k");
  const Tensor m = compute({6}, [&](Expr i) { return max(a(i, k), k); }, "m");
  return {a, compute({6, 64}, [&](Expr i, Expr j) { return a(i, j) - m(i); }, "C")};
}

inline std::vector<Tensor> sums_of_rows() {
  const Tensor a = placeholder({24, 64}, kFloat32, "A");
  const IterVar k = reduce_axis(64, "k");
  return {a, compute({24}, [&](Expr i) { return sum(a(i, k), k); }, "y")};
}

inline std::vector<Tensor> transposed() {
  const Tensor a = placeholder({48, 32}, kFloat32, "A"), b = placeholder({48}, kFloat32, "B");
  return {a, b, compute({32, 48}, [&](Expr i, Expr j) { return a(j, i) + b(j); }, "C")};
}

/// Expects the loops in the file of the rule's name in `folder`, which opens with the configuration.
inline void expect_loops_on_file(const Template& t, const RuleExample& example, const Target& target,
                                 const std::string& folder) {
  const Workload workload = workload_of_arguments(example.tensors(), example.constant_inputs);
  const Config config = complete_given(t, workload, discover_space(t, workload, target), seeds_of(t, workload, target),
                                       Config::parse(example.config));
  const Instance instance = instantiate(t, workload, target, config);
  const ir::Program program =
      lower(instance.schedule, instance.definition.args, target, example.rule, {.after_pass = {}, .verify = true});
  testing::expect_golden(config.str() + "\n" + ir::to_string(program), folder + example.rule + ".txt");
}

/// Expects a file with an example for each of the rules.
inline void expect_examples_on_file(const std::vector<std::string>& rules, const std::string& folder) {
  EXPECT_FALSE(rules.empty());
  for (const std::string& rule : rules) {
    EXPECT_TRUE(std::filesystem::exists(NESTWRIGHT_SOURCE_DIR "/" + folder + rule + ".txt"))
        << "the rule " << rule << " has no example";
  }
}

}  // namespace nestwright::testing_sketch
