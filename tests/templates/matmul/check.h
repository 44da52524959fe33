// Checks a program, or a configuration of a template of matmul, lowered and expanded, against the reference in the
// interpreter.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "tests/support/soak.h"
#include "tests/templates/matmul/cases.h"

namespace nestwright::testing_matmul {

/// Calls `run` with memory for each argument of a workload of any operator, the inputs filled from `data`, and compares
/// the output with the reference of `data`.
inline void expect_computed(const Workload& w, const std::string& what, const CheckedInputs& data,
                            const std::function<void(std::span<const ir::Memory>)>& run) {
  const HostTensors& in = data.inputs;
  const Definition definition = w.op->define(w);
  std::vector<std::vector<std::byte>> tensors;
  for (std::size_t i = 0; i < in.size(); ++i) tensors.push_back(bytes_of(definition.args[i].dtype(), in[i]));
  const ir::Type type = definition.args.back().dtype();
  constexpr std::byte kPoison{0x55};
  const std::size_t elements = elements_of(definition.args.back());
  const std::vector<std::byte> poisoned(elements * static_cast<std::size_t>(type.bytes()), kPoison);
  std::vector<std::byte>& c = tensors.emplace_back(poisoned);
  const std::vector<ir::Memory> memory(tensors.begin(), tensors.end());
  ASSERT_NO_THROW(run(memory)) << what;
  const Reference& reference = data.reference;
  for (std::size_t i = 0; i < elements; ++i) {
    const double value = element_of(type, c, i);
    if (std::isnan(reference.expected[0][i])) {
      ASSERT_EQ(value, element_of(type, poisoned, i)) << what << ": wrote element " << i << " between the rows";
      continue;
    }
    ASSERT_LE(std::abs(value - reference.expected[0][i]), reference.bound[0][i])
        << what << ": element " << i << " is " << value << ", not " << reference.expected[0][i];
  }
}

/// The same on inputs in [-1, 1].
inline void expect_computed(const Workload& w, const std::string& what,
                            const std::function<void(std::span<const ir::Memory>)>& run) {
  HostTensors in = inputs(w);
  Reference reference = w.op->reference(w, in);
  expect_computed(w, what, {std::move(in), std::move(reference)}, run);
}

/// The same for a program in the interpreter. `seed` determines the order in which threads run.
inline void expect_reference(const ir::Program& program, const Workload& w, const std::string& what,
                             std::uint64_t seed = 1) {
  expect_computed(w, what,
                  [&](std::span<const ir::Memory> memory) { ir::interpret(program, memory, {}, {.seed = seed}); });
}

/// Expects both forms to verify after each pass and to agree with the reference.
inline void check_config(const Template& source, const Workload& w, const Target& t, const Config& config) {
  const std::string what = source.name + " of " + w.str() + " @ " + t.str() + ": " + config.str();
  try {
    const Instance instance = instantiate(source, w, t, config);
    const ir::Program loops =
        lower(instance.schedule, instance.definition.args, t, w.op->name, {.after_pass = {}, .verify = true});
    EXPECT_THAT(ir::verify(loops, ir::Form::kLoop), ::testing::IsEmpty()) << what;
    expect_reference(loops, w, what);
    const ir::Program vectors = expand(loops, t, {.after_pass = {}, .verify = true});
    EXPECT_THAT(ir::verify(vectors, ir::Form::kVector), ::testing::IsEmpty()) << what;
    expect_reference(vectors, w, what);
  } catch (const Error& error) {
    ADD_FAILURE() << what << ": " << error.what();
  }
}

}  // namespace nestwright::testing_matmul
