// Checks kernels of the templates of a text on all inputs that check it.
// Thread rule: one thread at a time.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "templates/framework/space/completion.h"
#include "tests/text_operator/wrong_on.h"

namespace nestwright {

/// Expects that the default of each template that serves the workload, and `samples` random configurations of its
/// space, compute the right results. Returns the names of these templates.
inline std::set<std::string> expect_right_candidates(const Workload& workload, const Target& target,
                                                     std::mt19937_64& random, int samples = 1) {
  std::set<std::string> names;
  const CheckData data = make_strict_check_data(workload);
  EXPECT_EQ(wrong_on(data, workload.str()), "") << "the expression without a schedule";
  const std::vector<Tensor> args = workload.op->define(workload).args;
  for (const Template* source : templates_for(workload, target)) {
    names.insert(source->name);
    const std::vector<Config> seeds = seeds_of(*source, workload, target);
    const ConfigSpace space = discover_space(*source, workload, target);
    std::vector<std::optional<Config>> configs;
    for (int i = 0; i < samples; ++i) configs.push_back(space.sample(random));
    if (!seeds.empty()) configs.emplace_back(seeds.front());  // matmul.split_k has none for little work
    for (const std::optional<Config>& config : configs) {
      if (!config) continue;
      const Instance made = instantiate(*source, workload, target, *config);
      const ir::Program loops = lower(made.schedule, made.definition.args, target, "candidate", {.verify = true});
      EXPECT_NO_THROW(expand(loops, target, {.verify = true})) << source->name << ": " << config->str();
      EXPECT_EQ(wrong_on(data, loops, target, args), "")
          << workload.str() << "\n  " << source->name << ": " << config->str();
    }
  }
  return names;
}

}  // namespace nestwright
