#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <vector>

#include "exporter/self_test/self_test_calls.h"
#include "exporter/self_test/self_test_data.h"
#include "exporter/source/c_text.h"
#include "exporter/source/sources.h"
#include "templates/framework/template/operator_data.h"

namespace nestwright {
namespace {

/// Returns a C literal of any double, including NaN and infinities.
std::string c_number(double value) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value < 0 ? "-INFINITY" : "INFINITY";
  return fmt::format("{:a}", value);
}

std::int64_t elements_of(const Tensor& tensor) {
  std::int64_t elements = 1;
  for (const Expr& extent : tensor.shape()) elements *= *ir::as_const_int(extent);
  return elements;
}

std::string rows_of(const std::vector<ExpectedElement>& expected) {
  std::string rows;
  for (const ExpectedElement& e : expected) {
    rows += fmt::format("  {{{}, {}, {}}},\n", e.element, c_number(e.value), c_number(e.bound));
  }
  return rows;
}

/// Returns the body of the function that converts the number of an element to its place.
std::string place_source(const ir::Buffer& output) {
  if (output->strides.empty()) return "  return element;\n";
  std::string source = "  long place = 0;\n";
  for (int d = output->rank(); d-- > 0;) {
    source += fmt::format("  place += element % {0} * {1};\n  element /= {0};\n",
                          *ir::as_const_int(output->shape[static_cast<std::size_t>(d)]),
                          *ir::as_const_int(output->stride(d)));
  }
  return source + "  return place;\n";
}

/// Returns the constants of an output, and the function that checks it.
std::string output_source(const Exported& e, std::size_t argument, const SelfTestData& data) {
  const Tensor& tensor = e.definition->args[argument];
  const std::string& parameter = e.parameters[argument];
  std::string written;
  if (!tensor.dtype().is_int()) {  // else a result may have the bits of elements that were not written
    written =
        c_text("self_test/written_elements", {{"NAME", e.name}, {"PARAMETER", parameter}, {"TENSOR", tensor.name()}});
  }
  return "\n" + c_text("self_test/output_check",
                       {{"NAME", e.name},
                        {"PARAMETER", parameter},
                        {"TENSOR", tensor.name()},
                        {"ELEMENTS", std::to_string(elements_of(tensor))},
                        {"SPAN", std::to_string(tensor.buffer()->elements())},
                        {"ROWS", rows_of(data.expected)},
                        {"CHECKED", std::to_string(data.expected.size())},
                        {"PLACE", place_source(tensor.buffer())},
                        {"TYPE", c_type(tensor.dtype())},
                        {"GOT", c_value(tensor.dtype(), fmt::format("result[{}_place(expected->element)]", parameter))},
                        {"WRITTEN", written}});
}

}  // namespace

std::string self_test_source(const Exported& e) {
  const std::vector<SelfTestData> data = make_self_test_data(e.task->workload, *e.definition);
  std::string filled, frees, outputs, tests, elements = "0", checked = "0";
  std::vector<std::string> check_parameters, check_arguments;
  const SelfTestCalls calls = self_test_calls(e);
  check_parameters.push_back(calls.turn);
  check_arguments.emplace_back("turns[i]");
  const std::vector<std::optional<DataRange>> ranges = input_ranges(e.task->workload, *e.definition);
  const auto inputs = static_cast<std::size_t>(e.definition->inputs);
  for (std::size_t i = 0; i < e.definition->args.size(); ++i) {
    const Tensor& tensor = e.definition->args[i];
    const std::string& name = e.parameters[i];
    if (i >= inputs) {
      outputs += output_source(e, i, data[i - inputs]);
      tests += fmt::format("  right = right && {0}_is_right({0}_at, worst);\n", name);
      elements += fmt::format(" + {}_elements", name);
      checked += fmt::format(" + {}_checked", name);
      continue;
    }
    check_parameters.push_back(fmt::format("const {}* {}", c_type(tensor.dtype()), name));
    check_arguments.push_back(name);
    filled +=
        fmt::format("  {0}* {1} = memory_for({2} * sizeof({0}));\n  for (long i = 0; i < {2}; ++i) {1}[i] = {3};\n",
                    c_type(tensor.dtype()), name, tensor.buffer()->elements(), c_draw(tensor.dtype(), ranges[i]));
    frees += fmt::format("  free({});\n", name);
  }
  check_parameters.emplace_back("double* worst");
  check_arguments.emplace_back("&worst");
  return c_text("self_test/self_test", {{"NAME", e.name},
                                        {"WHERE", calls.where},
                                        {"BUILD", calls.build},
                                        {"INCLUDES", calls.includes},
                                        {"FIXED", "\n" + c_text("self_test/self_test_functions")},
                                        {"FUNCTIONS", c_functions_for(filled + outputs)},
                                        {"OUTPUTS", outputs},
                                        {"HELPERS", calls.helpers},
                                        {"PARAMETERS", fmt::format("{}", fmt::join(check_parameters, ", "))},
                                        {"BEFORE", calls.before},
                                        {"PREPARE", calls.prepare},
                                        {"CALL", calls.call},
                                        {"UNABLE", calls.unable},
                                        {"AFTER", calls.after},
                                        {"TESTS", tests},
                                        {"RELEASE", calls.release},
                                        {"START", calls.start},
                                        {"FILLED", filled},
                                        {"TURNS", calls.turns},
                                        {"NULL_CALL", calls.null_call},
                                        {"NULLS", calls.nulls},
                                        {"ARGUMENTS", fmt::format("{}", fmt::join(check_arguments, ", "))},
                                        {"ELEMENTS", elements},
                                        {"CHECKED", checked},
                                        {"END", calls.end},
                                        {"FREES", frees}});
}

}  // namespace nestwright
