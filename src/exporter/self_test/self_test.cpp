#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <vector>

#include "exporter/self_test/self_test_calls.h"
#include "exporter/self_test/self_test_data.h"
#include "exporter/source/sources.h"
#include "templates/framework/template/operator_data.h"

namespace nestwright {
namespace {

constexpr const char* kFixedPart = R"(
/* Elements before and after each tensor that must not change, nor, being not-a-number, matter. */
enum { kMargin = 64 };

static void* memory_for(size_t bytes) {
  void* memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (memory == 0) {
    printf("out of memory\n");
    exit(1);
  }
  return memset(memory, 0xff, (bytes + 63) / 64 * 64); /* not-a-number: what is not written is seen */
}

static int all_ones(const void* bytes, size_t count) {
  const unsigned char* p = bytes;
  for (size_t i = 0; i < count; ++i) {
    if (p[i] != 0xff) return 0;
  }
  return 1;
}
)";

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

/// Detects elements that were not written, if no result can have those bits.
constexpr const char* kWrittenTest = R"(  for (long i = 0; right && i < {1}_elements; ++i) {{
    if (all_ones(&result[{1}_place(i)], sizeof *result)) {{
      printf("{0}: element %ld of {2} was not written, or is made of what lies outside the inputs\n", i);
      right = 0;
    }}
  }}
  long untouched = 0;
  for (long i = 0; i < {1}_span; ++i) untouched += all_ones(&result[i], sizeof *result);
  if (right && untouched != {1}_span - {1}_elements) {{
    printf("{0}: wrote between the rows of {2}\n");
    right = 0;
  }}
)";

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
  if (!tensor.dtype().is_int()) written = fmt::format(kWrittenTest, e.name, parameter, tensor.name());
  return fmt::format(
      R"(
static const long {parameter}_elements = {elements};
/* What it takes in memory, with what lies between its rows. */
static const long {parameter}_span = {span};
static const struct expected {parameter}_expected[] = {{
{rows}}};
static const long {parameter}_checked = {checked};

/* Where an element lies. */
static long {parameter}_place(long element) {{
{place}}}

static int {parameter}_is_right(const {type}* result, double* worst) {{
  int right = 1;
{written}  for (long i = 0; right && i < {parameter}_checked; ++i) {{
    const struct expected* const expected = &{parameter}_expected[i];
    const double got = {got}, error = fabs(got - expected->value);
    if (got == expected->value || (isnan(got) && isnan(expected->value))) continue;
    if (!(error <= expected->bound)) {{
      printf("{name}: element %ld of {tensor} is %.9g, expected %.9g\n", expected->element, got, expected->value);
      right = 0;
    }} else if (error > *worst * expected->bound) {{
      *worst = error / expected->bound;
    }}
  }}
  return right;
}}
)",
      fmt::arg("name", e.name), fmt::arg("parameter", parameter), fmt::arg("tensor", tensor.name()),
      fmt::arg("elements", elements_of(tensor)), fmt::arg("span", tensor.buffer()->elements()),
      fmt::arg("rows", rows_of(data.expected)), fmt::arg("checked", data.expected.size()),
      fmt::arg("place", place_source(tensor.buffer())), fmt::arg("type", c_type(tensor.dtype())),
      fmt::arg("got", c_value(tensor.dtype(), fmt::format("result[{}_place(expected->element)]", parameter))),
      fmt::arg("written", written));
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
  return fmt::format(
      R"(/* Calls {name} on random inputs{where}, and holds results against those of a
 * reference in double, which are below. Build and run:
 *   {build} */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "{name}.h"
{includes}{fixed}
/* An element by its number in row-major order: its value in double, and the largest error that is right. */
struct expected {{
  long element;
  double value, bound;
}};
{functions}{outputs}{helpers}
static int check({parameters}) {{
{before}  int right = 1;
{prepare}  const int code = {call};
  if (code != 0) {{
    printf("{name}: returned %d%s\n", code, code == 1 ? ": {unable}" : "");
    right = 0;
  }}
{after}{tests}{release}  return right;
}}

int main(void) {{
{start}{filled}  double worst = 0;
  const int turns[] = {{{turns}}};
  int right = {null_call} == 3;
  if (!right) printf("{name}: took null {nulls}\n");
  for (int i = 0; right && i < 3; ++i) right = check({arguments});
  const long elements = {elements}, checked = {checked};
  if (right) printf("{name}: %ld of %ld elements checked, all right, largest error %.3g of its bound\n", checked, elements, worst);
{end}{frees}  return right ? 0 : 1;
}}
)",
      fmt::arg("name", e.name), fmt::arg("where", calls.where), fmt::arg("build", calls.build),
      fmt::arg("includes", calls.includes), fmt::arg("fixed", kFixedPart),
      fmt::arg("functions", c_functions_for(filled + outputs)), fmt::arg("outputs", outputs),
      fmt::arg("helpers", calls.helpers), fmt::arg("parameters", fmt::format("{}", fmt::join(check_parameters, ", "))),
      fmt::arg("before", calls.before), fmt::arg("prepare", calls.prepare), fmt::arg("call", calls.call),
      fmt::arg("unable", calls.unable), fmt::arg("after", calls.after), fmt::arg("tests", tests),
      fmt::arg("release", calls.release), fmt::arg("start", calls.start), fmt::arg("filled", filled),
      fmt::arg("turns", calls.turns), fmt::arg("null_call", calls.null_call), fmt::arg("nulls", calls.nulls),
      fmt::arg("arguments", fmt::format("{}", fmt::join(check_arguments, ", "))), fmt::arg("elements", elements),
      fmt::arg("checked", checked), fmt::arg("end", calls.end), fmt::arg("frees", frees));
}

}  // namespace nestwright
