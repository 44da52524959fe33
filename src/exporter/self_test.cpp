#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "exporter/c_expression.h"
#include "exporter/self_test_calls.h"
#include "exporter/sources.h"
#include "support/error.h"

namespace nestwright {
namespace {

/// Terms that the plain loops of a self-test add up at most: a second or so. Of larger outputs a sample is held against
/// them.
constexpr double kMostTerms = 0x1p28;

/// Which elements are computed again: 0, step, 2 step, ... modulo all of them. A step without a common divisor meets
/// every row, column and tail.
struct Sample {
  std::int64_t count, step;
};

Sample sample_of(std::int64_t elements, double terms_each) {
  const auto most = static_cast<std::int64_t>(kMostTerms / std::max(terms_each, 1.0));
  const std::int64_t count = std::clamp<std::int64_t>(most, 1, elements);
  std::int64_t step = elements / count;
  while (std::gcd(step, elements) != 1) ++step;
  return {count, step};
}

constexpr const char* kFixedPart = R"(
/* Elements before and after each tensor that must not change, nor, being not-a-number, matter. */
enum { kMargin = 64 };

static unsigned long long state = 88172645463325252ull;

/* In [-1, 1); xorshift after Marsaglia. */
static double uniform(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) * 0x1p-52 - 1;
}

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

/// A random element: of bytes all are as likely.
std::string c_random(ir::Type type) {
  if (type == kBFloat16) return "to_bfloat16(uniform())";
  if (type == kFloat16) return "to_float16(uniform())";
  if (type == kUInt8) return "(unsigned char)(128 * uniform() + 128)";
  return type.is_int() ? fmt::format("({})floor(128 * uniform())", c_type(type))
                       : fmt::format("({})uniform()", c_type(type));
}

/// An element of a result as a double.
std::string c_value(ir::Type type, const std::string& element) {
  if (type == kBFloat16) return fmt::format("of_bfloat16({})", element);
  return type == kFloat16 ? fmt::format("of_float16({})", element) : "(double)" + element;
}

const char* c_epsilon_of(ir::Type type) {
  if (type == kFloat16) return "0x1p-10";
  return type == kFloat64 ? "DBL_EPSILON" : "FLT_EPSILON";
}

/// What is not written is seen where no result can have those bits.
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

/// The body of place_of.
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
  if (static_cast<int>(e.definition->args.size()) != e.definition->inputs + 1) {
    throw UsageError("the self-test can express operators with one output only");
  }
  const Tensor& output = e.definition->args.back();
  std::int64_t elements = 1;
  for (const Expr& extent : output.shape()) elements *= *ir::as_const_int(extent);
  const Sample sample = sample_of(elements, c_terms(output.op()));

  std::string filled, frees;
  std::vector<std::string> input_parameters, input_names;
  CNames names{.type = output.dtype()};
  for (const Tensor& tensor : e.definition->args) {
    if (tensor == output) break;
    const std::string& name = tensor.name();
    names.arrays[tensor.buffer()] = name;
    input_parameters.push_back(fmt::format("const {}* {}", c_type(tensor.dtype()), name));
    input_names.push_back(name);
    filled +=
        fmt::format("  {0}* {1} = memory_for({2} * sizeof({0}));\n  for (long i = 0; i < {2}; ++i) {1}[i] = {3};\n",
                    c_type(tensor.dtype()), name, tensor.buffer()->elements(), c_random(tensor.dtype()));
    frees += fmt::format("  free({});\n", name);
  }
  const std::string parameters = fmt::format("{}", fmt::join(input_parameters, ", "));
  const std::string functions =
      c_functions(output.op(), names, parameters, fmt::format("{}", fmt::join(input_names, ", ")));
  const std::string got = c_value(output.dtype(), "result[place_of(i * kStep % kElements)]");
  std::string arithmetic = c_arithmetic_for(functions + filled + got);
  if (c_mentions(arithmetic + functions, "kEpsilon")) {
    arithmetic.insert(0, fmt::format("\n/* The rounding error of one operation, relative to its result. */\n"
                                     "static const double kEpsilon = {};\n",
                                     c_epsilon_of(output.dtype())));
  }
  const SelfTestCalls calls = self_test_calls(e);
  return fmt::format(
      R"(/* Calls {name} on random inputs{where}, and holds the results against
 * plain loops in double. Build and run:
 *   {build}
 * A sum of K terms may differ by 8 sqrt(K) eps times the sum of their absolute values; what else it is made of by its own
 * rounding. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "{name}.h"
{includes}
/* Elements that are computed again: 0, kStep, 2 kStep, ... modulo all. */
static const long kElements = {elements}, kChecked = {checked}, kStep = {step};
/* What the output takes in memory, with what lies between its rows. */
static const long kSpan = {span};
{fixed}
/* Where an element of the output lies. */
static long place_of(long element) {{
{place}}}
{arithmetic}{functions}{helpers}
static int check({turn}, {parameters}, const double* expected, const double* bound, double* worst) {{
{before}  int right = 1;
{prepare}  const int code = {call};
  if (code != 0) {{
    printf("{name}: returned %d%s\n", code, code == 1 ? ": {unable}" : "");
    right = 0;
  }}
{after}{written}  for (long i = 0; right && i < kChecked; ++i) {{
    const double got = {got}, error = fabs(got - expected[i]);
    if (got == expected[i] || (isnan(got) && isnan(expected[i]))) continue;
    if (!(error <= bound[i])) {{
      printf("{name}: element %ld is %.9g, expected %.9g\n", i * kStep % kElements, got, expected[i]);
      right = 0;
    }} else if (error > *worst * bound[i]) {{
      *worst = error / bound[i];
    }}
  }}
{release}  return right;
}}

int main(void) {{
{start}{filled}  double* expected = memory_for(kChecked * sizeof(double));
  double* bound = memory_for(kChecked * sizeof(double));
  for (long i = 0; i < kChecked; ++i) {{
    const struct number exact = element_of({inputs}, i * kStep % kElements);
    expected[i] = exact.value;
    bound[i] = exact.error;
  }}
  double worst = 0;
  const int turns[] = {{{turns}}};
  int right = {null_call} == 3;
  if (!right) printf("{name}: took null {nulls}\n");
  for (int i = 0; right && i < 3; ++i) right = check(turns[i], {inputs}, expected, bound, &worst);
  if (right) printf("{name}: %ld of %ld elements checked, all right, largest error %.3g of its bound\n", kChecked, kElements, worst);
{end}{frees}  free(expected);
  free(bound);
  return right ? 0 : 1;
}}
)",
      fmt::arg("name", e.name), fmt::arg("where", calls.where), fmt::arg("build", calls.build),
      fmt::arg("includes", calls.includes), fmt::arg("elements", elements), fmt::arg("checked", sample.count),
      fmt::arg("step", sample.step), fmt::arg("span", output.buffer()->elements()),
      fmt::arg("place", place_source(output.buffer())), fmt::arg("fixed", kFixedPart),
      fmt::arg("parameters", parameters), fmt::arg("arithmetic", arithmetic), fmt::arg("functions", functions),
      fmt::arg("helpers", calls.helpers), fmt::arg("turn", calls.turn), fmt::arg("before", calls.before),
      fmt::arg("prepare", calls.prepare), fmt::arg("call", calls.call), fmt::arg("unable", calls.unable),
      fmt::arg("after", calls.after), fmt::arg("written", output.dtype().is_int() ? "" : written_test(e.name)),
      fmt::arg("got", got), fmt::arg("release", calls.release), fmt::arg("start", calls.start),
      fmt::arg("filled", filled), fmt::arg("inputs", fmt::format("{}", fmt::join(input_names, ", "))),
      fmt::arg("turns", calls.turns), fmt::arg("null_call", calls.null_call), fmt::arg("nulls", calls.nulls),
      fmt::arg("end", calls.end), fmt::arg("frees", frees));
}

}  // namespace nestwright
