#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <vector>

#include "exporter/self_test_calls.h"
#include "exporter/self_test_data.h"
#include "exporter/sources.h"

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

std::string expected_source(const std::vector<ExpectedElement>& expected) {
  std::string rows;
  for (const ExpectedElement& e : expected) {
    rows += fmt::format("  {{{}, {}, {}}},\n", e.element, c_number(e.value), c_number(e.bound));
  }
  return fmt::format(R"(
/* Elements by their number in row-major order: their value in double, and the largest error that is right. */
static const struct expected {{
  long element;
  double value, bound;
}} kExpected[] = {{
{}}};
static const long kChecked = {};
)",
                     rows, expected.size());
}

/// Detects elements that were not written, if no result can have those bits.
std::string written_test(const std::string& name) {
  return fmt::format(R"(  for (long i = 0; right && i < kElements; ++i) {{
    if (all_ones(&result[place_of(i)], sizeof *result)) {{
      printf("{}: element %ld was not written, or is made of what lies outside the inputs\n", i);
      right = 0;
    }}
  }}
  long untouched = 0;
  for (long i = 0; i < kSpan; ++i) untouched += all_ones(&result[i], sizeof *result);
  if (right && untouched != kSpan - kElements) {{
    printf("{}: wrote between the rows of its output\\n");
    right = 0;
  }}
)",
                     name, name);
}

/// Integers are exact, so a sum detects wrong and unwritten elements among all.
std::string sum_test(const std::string& name, std::uint64_t sum) {
  return fmt::format(R"(  unsigned long long sum = 0;
  for (long i = 0; i < kElements; ++i) {{
    sum += (unsigned long long)(long long)result[place_of(i)] * (2 * (unsigned long long)i + 1);
  }}
  if (right && sum != {}ull) {{
    printf("{}: some element is wrong: their sum is %llu\n", sum);
    right = 0;
  }}
)",
                     sum, name);
}

/// Returns the body of place_of.
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

}  // namespace

std::string self_test_source(const Exported& e) {
  const SelfTestData data = make_self_test_data(e.task->workload, *e.definition);
  const Tensor& output = e.definition->args.back();
  std::int64_t elements = 1;
  for (const Expr& extent : output.shape()) elements *= *ir::as_const_int(extent);

  std::string filled, frees;
  std::vector<std::string> input_parameters, input_names;
  const std::vector<std::optional<DataRange>> ranges = input_ranges(e.task->workload, *e.definition);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const Tensor& tensor = e.definition->args[i];
    const std::string& name = tensor.name();
    input_parameters.push_back(fmt::format("const {}* {}", c_type(tensor.dtype()), name));
    input_names.push_back(name);
    filled +=
        fmt::format("  {0}* {1} = memory_for({2} * sizeof({0}));\n  for (long i = 0; i < {2}; ++i) {1}[i] = {3};\n",
                    c_type(tensor.dtype()), name, tensor.buffer()->elements(), c_draw(tensor.dtype(), ranges[i]));
    frees += fmt::format("  free({});\n", name);
  }
  const std::string got = c_value(output.dtype(), "result[place_of(expected->element)]");
  const SelfTestCalls calls = self_test_calls(e);
  return fmt::format(
      R"(/* Calls {name} on random inputs{where}, and holds results against those of a
 * reference in double, which are below. Build and run:
 *   {build} */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "{name}.h"
{includes}
static const long kElements = {elements};
/* What the output takes in memory, with what lies between its rows. */
static const long kSpan = {span};
{expected}{fixed}{functions}
/* Where an element of the output lies. */
static long place_of(long element) {{
{place}}}
{helpers}
static int check({turn}, {parameters}, double* worst) {{
{before}  int right = 1;
{prepare}  const int code = {call};
  if (code != 0) {{
    printf("{name}: returned %d%s\n", code, code == 1 ? ": {unable}" : "");
    right = 0;
  }}
{after}{written}  for (long i = 0; right && i < kChecked; ++i) {{
    const struct expected* const expected = &kExpected[i];
    const double got = {got}, error = fabs(got - expected->value);
    if (got == expected->value || (isnan(got) && isnan(expected->value))) continue;
    if (!(error <= expected->bound)) {{
      printf("{name}: element %ld is %.9g, expected %.9g\n", expected->element, got, expected->value);
      right = 0;
    }} else if (error > *worst * expected->bound) {{
      *worst = error / expected->bound;
    }}
  }}
{sum}{release}  return right;
}}

int main(void) {{
{start}{filled}  double worst = 0;
  const int turns[] = {{{turns}}};
  int right = {null_call} == 3;
  if (!right) printf("{name}: took null {nulls}\n");
  for (int i = 0; right && i < 3; ++i) right = check(turns[i], {inputs}, &worst);
  if (right) printf("{name}: %ld of %ld elements checked, all right, largest error %.3g of its bound\n", kChecked, kElements, worst);
{end}{frees}  return right ? 0 : 1;
}}
)",
      fmt::arg("name", e.name), fmt::arg("where", calls.where), fmt::arg("build", calls.build),
      fmt::arg("includes", calls.includes), fmt::arg("elements", elements),
      fmt::arg("span", output.buffer()->elements()), fmt::arg("expected", expected_source(data.expected)),
      fmt::arg("fixed", kFixedPart), fmt::arg("functions", c_functions_for(filled + got)),
      fmt::arg("place", place_source(output.buffer())),
      fmt::arg("parameters", fmt::format("{}", fmt::join(input_parameters, ", "))), fmt::arg("helpers", calls.helpers),
      fmt::arg("turn", calls.turn), fmt::arg("before", calls.before), fmt::arg("prepare", calls.prepare),
      fmt::arg("call", calls.call), fmt::arg("unable", calls.unable), fmt::arg("after", calls.after),
      fmt::arg("written", output.dtype().is_int() ? "" : written_test(e.name)),
      fmt::arg("sum", output.dtype().is_int() ? sum_test(e.name, data.sum) : ""), fmt::arg("got", got),
      fmt::arg("release", calls.release), fmt::arg("start", calls.start), fmt::arg("filled", filled),
      fmt::arg("inputs", fmt::format("{}", fmt::join(input_names, ", "))), fmt::arg("turns", calls.turns),
      fmt::arg("null_call", calls.null_call), fmt::arg("nulls", calls.nulls), fmt::arg("end", calls.end),
      fmt::arg("frees", frees));
}

}  // namespace nestwright
