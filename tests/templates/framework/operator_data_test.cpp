// Operators whose functions return too few or too many tensors, elements or ranges are refused by name.
#include "templates/framework/template/operator_data.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "nestwright/error.h"
#include "nestwright/registry.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

/// Y[i] = A[i] + B[i] for i < 8; its functions return what is complete.
Operator sum_operator() {
  return {.name = "mine",
          .parameters = {{"n", "the number of elements"}},
          .define =
              [](const Workload& w) {
                const Expr n(w.size("n"));
                const Tensor a = placeholder({n}, kFloat32, "A"), b = placeholder({n}, kFloat32, "B");
                return Definition{.args = {a, b, compute({n}, [&](Expr i) { return a(i) + b(i); }, "Y")}, .inputs = 2};
              },
          .reference = [](const Workload&, const HostTensors& in) { return one_result(in[0].size()); },
          .integer_inputs = [](const Workload&) { return HostTensors(2, std::vector<double>(8)); },
          .wide_inputs = [](const Workload&,
                            const CheckedInputs&) { return CheckedInputs{HostTensors(2, std::vector<double>(8)), {}}; },
          .ranges = [](const Workload&) { return std::vector<std::optional<DataRange>>(2); }};
}

/// Takes all data of the operator after it is changed; returns the message of the refusal, or "accepted".
std::string refusal(const std::function<void(Operator&)>& change) {
  Operator op = sum_operator();
  change(op);
  return message<UsageError>([&] {
    const Workload workload = parse_workload("mine n=8", std::make_shared<const Operator>(op));
    const Definition definition = op.define(workload);
    input_ranges(workload, definition);
    const HostTensors uniform(2, std::vector<double>(8));
    const Reference reference = reference_data(workload, definition, uniform);
    integer_input_data(workload, definition);
    wide_input_data(workload, definition, {uniform, reference});
  });
}

std::string misfit(const std::string& function, const std::string& advice) {
  return "what the function '" + function + "' of the operator 'mine' returns does not fit mine n=8: return " + advice;
}

Definition with_inputs(const Workload& w, int inputs) {
  Definition definition = sum_operator().define(w);
  definition.inputs = inputs;
  return definition;
}

TEST(OperatorData, TakesWhatIsCompleteAndWhatIsAbsent) {
  EXPECT_EQ(refusal([](Operator&) {}), "accepted");
  EXPECT_EQ(refusal([](Operator& op) {
              op.integer_inputs = nullptr;
              op.wide_inputs = nullptr;
              op.ranges = nullptr;
            }),
            "accepted");
  EXPECT_EQ(refusal([](Operator& op) {
              op.integer_inputs = [](const Workload&) { return HostTensors(); };
              op.wide_inputs = [](const Workload&, const CheckedInputs&) { return CheckedInputs(); };
            }),
            "accepted");
}

TEST(OperatorData, RefusesMoreInputsThanTensors) {
  for (const int inputs : {-1, 4}) {
    EXPECT_EQ(
        refusal([&](Operator& op) { op.define = [inputs](const Workload& w) { return with_inputs(w, inputs); }; }),
        "the function 'define' of the operator 'mine' returns " + std::to_string(inputs) +
            " inputs among 3 tensors for mine n=8: list the inputs, then the outputs, and say how many are inputs");
  }
}

TEST(OperatorData, RefusesRangesThatAreNotAsManyAsTheInputs) {
  for (const std::size_t ranges : {0, 1, 3}) {
    EXPECT_EQ(refusal([&](Operator& op) {
                op.ranges = [ranges](const Workload&) { return std::vector<std::optional<DataRange>>(ranges); };
              }),
              misfit("ranges", "a range for each input (2, not " + std::to_string(ranges) + ")"));
  }
}

TEST(OperatorData, RefusesAReferenceThatIsIncomplete) {
  const std::vector<double> all(8), few(7);
  const std::pair<Reference, std::string> cases[] = {
      {{{}, {}}, "expected values for each output (1, not 0)"},
      {{{all, all}, {all, all}}, "expected values for each output (1, not 2)"},
      {{{all}, {}}, "bounds for each output (1, not 0)"},
      {{{few}, {all}}, "an expected value for each element of 'Y' (8, not 7)"},
      {{{all}, {{}}}, "a bound for each element of 'Y' (8, not 0)"},
  };
  for (const auto& [reference, advice] : cases) {
    EXPECT_EQ(
        refusal([&](Operator& op) { op.reference = [&](const Workload&, const HostTensors&) { return reference; }; }),
        misfit("reference", advice));
  }
}

TEST(OperatorData, ConstantsAreWhatIsOrCouldBePrepared) {
  const auto constants = [](const char* text) { return constant_operands(parse_workload(text)); };
  EXPECT_EQ(constants("matmul m=8 n=8 k=8 prepared=b"), std::vector<std::size_t>{1});
  EXPECT_EQ(constants("matmul m=8 n=8 k=8 prepared=a"), std::vector<std::size_t>{0});
  EXPECT_EQ(constants("matmul m=8 n=8 k=8"), std::vector<std::size_t>{1});
  EXPECT_EQ(constants("conv2d n=1 c=8 h=8 w=8 k=8 r=3 s=3"), std::vector<std::size_t>{1});
  EXPECT_TRUE(constants("softmax rows=8 columns=8").empty());
}

TEST(OperatorData, RefusesWholeAndWideInputsThatAreIncomplete) {
  const std::vector<double> all(8), few(7);
  const std::pair<HostTensors, std::string> cases[] = {
      {{all}, "a tensor for each input (2, not 1)"},
      {{all, few}, "a value for each element of 'B' (8, not 7)"},
  };
  for (const auto& [inputs, advice] : cases) {
    EXPECT_EQ(refusal([&](Operator& op) { op.integer_inputs = [&](const Workload&) { return inputs; }; }),
              misfit("integer_inputs", advice));
    EXPECT_EQ(refusal([&](Operator& op) {
                op.wide_inputs = [&](const Workload&, const CheckedInputs&) { return CheckedInputs{inputs, {}}; };
              }),
              misfit("wide_inputs", advice));
  }
  EXPECT_EQ(refusal([&](Operator& op) {
              op.wide_inputs = [&](const Workload&, const CheckedInputs&) {
                return CheckedInputs{{all, all}, {{all}, {few}}};
              };
            }),
            misfit("wide_inputs", "a bound for each element of 'Y' (8, not 7)"));
}

}  // namespace
}  // namespace nestwright
