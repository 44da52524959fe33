#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "exporter/c_expression.h"
#include "exporter/sources.h"

namespace nestwright {

std::string self_test_source(const Exported& e) {
  std::string declarations, filling, releases;
  std::vector<std::string> names;
  CArrays arrays;
  for (std::size_t i = 0; i < e.definition->args.size(); ++i) {
    const Tensor& tensor = e.definition->args[i];
    const std::string type = c_type(tensor.dtype());
    const std::int64_t elements = tensor.buffer()->elements();
    arrays[tensor.buffer()] = tensor.name();
    names.push_back(tensor.name());
    declarations += fmt::format("  {0}* {1} = malloc({2} * sizeof({0}));\n", type, tensor.name(), elements);
    if (static_cast<int>(i) < e.definition->inputs) {
      filling += fmt::format("  for (long i = 0; i < {}; ++i) {}[i] = ({})uniform();\n", elements, tensor.name(), type);
    } else {
      filling += fmt::format("  memset({}, 0xff, {} * sizeof({})); /* not-a-number: what is not written is seen */\n",
                             tensor.name(), elements, type);
    }
    releases += fmt::format("  free({});\n", tensor.name());
  }
  const Tensor& output = e.definition->args.back();
  const std::int64_t elements = output.buffer()->elements();
  const char* epsilon = output.dtype() == kFloat32 ? "FLT_EPSILON" : "DBL_EPSILON";
  return fmt::format(R"(/* Calls {0} on random inputs and holds the result against plain loops in double. Build and run:
 *   cc -O2 {0}_selftest.c lib{0}.a -lm -lpthread -o {0}_selftest && ./{0}_selftest
 * An element may differ by 8 sqrt(K) eps times the sum of its terms' absolute values, K = {1}. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "{0}.h"

static unsigned long long state = 88172645463325252ull;

/* In [-1, 1); xorshift after Marsaglia. */
static double uniform(void) {{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) * 0x1p-52 - 1;
}}

static void reference({2}, double* expected, double* magnitude) {{
{3}}}

int main(void) {{
{4}  double* expected = malloc({5} * sizeof(double));
  double* magnitude = malloc({5} * sizeof(double));
{6}
  const int code = {0}({7});
  if (code != 0) {{
    printf("{0}: returned %d\n", code);
    return 1;
  }}
  reference({7}, expected, magnitude);
  double worst = 0;
  for (long i = 0; i < {5}; ++i) {{
    const double bound = 8 * sqrt({1}.0) * {8} * magnitude[i];
    const double error = fabs((double){9}[i] - expected[i]);
    if (!(error <= bound)) {{
      printf("{0}: element %ld is %.9g, expected %.9g\n", i, (double){9}[i], expected[i]);
      return 1;
    }}
    if (bound > 0 && error / bound > worst) worst = error / bound;
  }}
  printf("{0}: all {5} elements right, largest error %.3g of its bound\n", worst);
  {0}_release();
{10}  free(expected);
  free(magnitude);
  return 0;
}}
)",
                     e.name, reduction_length(output.op()), c_parameters(e),
                     c_reference(output.op(), arrays, "expected", "magnitude"), declarations, elements, filling,
                     fmt::join(names, ", "), epsilon, output.name(), releases);
}

}  // namespace nestwright
