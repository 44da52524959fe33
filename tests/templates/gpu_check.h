// Checks a configuration of a GPU template, lowered and expanded, against the reference in the interpreter: the threads
// of a block run in a random order between barriers, with the race detector.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "tests/templates/matmul/check.h"

namespace nestwright::testing_gpu {

/// Expects both forms to verify after each pass and to agree with the reference. `seed` determines the order in which
/// threads run.
inline void check_config(const Template& t, const Workload& w, const Target& target, const Config& config,
                         std::uint64_t seed) {
  const std::string what = t.name + " of " + w.str() + " @ " + target.str() + ": " + config.str();
  try {
    const Instance instance = instantiate(t, w, target, config);
    const ir::Program loops =
        lower(instance.schedule, instance.definition.args, target, w.op->name, {.after_pass = {}, .verify = true});
    EXPECT_THAT(ir::verify(loops, ir::Form::kLoop), ::testing::IsEmpty()) << what;
    testing_matmul::expect_reference(loops, w, what, seed);
    testing_matmul::expect_reference(expand(loops, target, {.after_pass = {}, .verify = true}), w, what, seed + 1);
  } catch (const Error& error) {
    ADD_FAILURE() << what << ": " << error.what();
  }
}

}  // namespace nestwright::testing_gpu
