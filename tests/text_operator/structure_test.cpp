// Texts are searched with the templates that compute them by their structure, and their kernels are right: products and
// convolutions with what follows them.
#include <gmock/gmock.h>

#include "tests/templates/gpu_check.h"
#include "tests/text_operator/right_candidates.h"

namespace nestwright {
namespace {

using ::testing::Contains;
using ::testing::Not;

struct Case {
  const char* text;
  const char* wanted;  ///< a template
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.text; }

class Structures : public ::testing::TestWithParam<Case> {};

TEST_P(Structures, AreServedByRightKernels) {
  Target target = Target::host();
  target.threads = 2;
  std::mt19937_64 random(5);
  const std::set<std::string> names = expect_right_candidates(workload_of(GetParam().text), target, random, 3);
  EXPECT_THAT(names, Contains(GetParam().wanted));
}

INSTANTIATE_TEST_SUITE_P(
    Products, Structures,
    ::testing::Values(
        Case{"T[n, o, y, x] = sum(c, X[n, c, y, x] * W[o, c]); Y[n, o, y, x] = max(T[n, o, y, x] + b[o], 0); "
             "W: constant; b: constant n=1 o=37 y=7 x=9 c=40",
             "matmul.cpu"},
        Case{
            "T[n, o, y, x] = sum(c, r, s, X[n, c, y + r, x + s] * W[o, c, r, s]); "
            "Y[n, o, y, x] = max(R[n, o, y, x] + (T[n, o, y, x] + b[o]), 0); W: constant n=1 o=24 y=5 x=7 c=20 r=1 s=1",
            "matmul.cpu"},
        Case{"T[n, o, y, x] = sum(c, X[n, c, y, x] * W[o, c]); Y[n, o, y, x] = T[n, o, y, x] * s[0, o, 0, 0] + "
             "R[n, o, y, x]; W: constant n=3 o=20 y=5 x=7 c=24",
             "matmul.cpu"},
        Case{"T[n, g, o, y, x] = sum(c, X[n, 6*g + c, y, x] * W[9*g + o, c]); Y[a, g, o, y, x] = "
             "max(T[0, g, o, y, x] * S[0, g, o, 0, 0] + D[0, g, o, 0, 0] + E[0, g, o, y, x], 0); W: constant "
             "n=1 a=1 g=4 o=9 y=5 x=5 c=6",
             "matmul.cpu"},
        Case{"T[i, j] = sum(k, A[i, k] * B[k, j]); Y[i, j] = T[i, j] * clamp(T[i, j] + 3, 0, 6) / 6 i=19 j=40 k=33",
             "matmul.cpu"},
        Case{"T[i, j] = sum(k, A[i, k] * B[j, k]); U[i, j] = T[i, j] + b[j]; Y[i, j] = 0.5 * U[i, j] * (1 + "
             "erf(U[i, j] * 0.7071)); B: constant i=13 j=35 k=65",
             "matmul.cpu"},
        Case{"T[i, j] = sum(k, A[i, k] * B[j, k]); Y[i, j] = T[i, j] + b[j]; B: constant i=1 j=100 k=300",
             "matmul.gemv"},
        Case{"T[i, j] = sum(k, A[i, k] * B[k, j]); Y[i, j] = T[i, j] - b[i] i=12 j=40 k=800", "matmul.split_k"},
        Case{"T[b, h, i, j] = sum(k, A[b, h, i, k] * B[b, h, j, k]); Y[b, h, i, j] = T[b, h, i, j] * 0.125 + "
             "M[b, 0, i, j] b=2 h=3 i=9 j=21 k=16",
             "matmul.cpu"},
        Case{"T[b, i, j] = sum(k, A[i, k] * B[b, k, j]); Y[b, i, j] = tanh(T[b, i, j]) b=3 i=9 j=21 k=16",
             "matmul.cpu"},
        Case{"T[h, i, j] = sum(d, Q[i, h, d] * K[j, h, d]); Y[h, i, j] = T[h, i, j] / 8 h=3 i=13 j=37 d=24",
             "matmul.cpu"},
        Case{"S[b, h, i, j] = sum(d, Q[b, i, 24*h + d] * K[b, j, 24*h + d]) b=2 h=3 i=13 j=37 d=24", "matmul.cpu"},
        Case{"Y[h, i, d] = sum(j, P[h, i, j] * V[j, h, d]) h=3 i=13 j=37 d=24", "matmul.cpu"},
        Case{"T[b, h, i, j] = sum(k, A[b, i, k] * B[b, h, k, j]); Y[b, h, i, j] = max(T[b, h, i, j], R[i, h, j, b]) "
             "b=2 h=3 i=9 j=21 k=16",
             "matmul.cpu"},
        // Operands that a merged dimension has to be divided for; the index itself.
        Case{"T[o, y, x] = sum(c, X[c, y, x] * W[o, c]); Y[o, y, x] = T[o, y, x] * m[x] + r[o, y] + float32(y) "
             "o=20 y=5 x=7 c=24",
             "matmul.cpu"},
        Case{
            "T[i, j] = sum(k, A[i, k] * B[k, j]); Y[i, j] = select(i >= 3 && j < 20, T[i, j] + R[i - 3, j]?0, m[i/4]); "
            "R: float32[9, 20] i=12 j=33 k=24",
            "matmul.cpu"},
        Case{"T[i, j] = sum(k, A[i, k] * B[k, j]); Y[i, j] = T[i, j] > b[0] i=12 j=33 k=24", "matmul.cpu"},
        Case{"T[i, j] = sum(k, A[i, k] * B[k, j]); Y[i, j] = float16(T[i, j] * s[]) i=12 j=33 k=24", "matmul.cpu"},
        Case{"T[i, j] = sum(k, A[i, k] * B[k, j]); Y[i, j] = T[i, j] + b[j]; A: float64; B: float64; b: float64 "
             "i=12 j=33 k=24",
             "matmul.cpu"},
        Case{"O[n, o, y, x] = sum(c, W[o, c] * X[n, c, y, x]); W: constant n=2 o=24 c=20 y=7 x=7", "matmul.cpu"},
        Case{"T[i, j] = sum(k, A[i, k] * B[k, j]); Y[i, j] = max(T[i, j] + T[i, j] * b[j], 0); A: constant "
             "i=64 j=70 k=140",
             "matmul.cpu"}));

// Integers are exact: the sums are divided by their scale before anything is added. Residuals, scales, operations with
// several uses of the sum; few columns and filters, which leave no loops between the sums and what follows.
INSTANTIATE_TEST_SUITE_P(
    Convolutions, Structures,
    ::testing::Values(
        Case{"T[n, k, y, x] = sum(c, r, s, X[n, c, y + r - 1, x + s - 1]?0 * W[k, c, r, s]); Y[n, k, y, x] = "
             "max(T[n, k, y, x] + b[k], 0); X: float32[1, 17, 14, 13]; W: constant float32[21, 17, 3, 3]; b: constant "
             "y=14 x=13",
             "conv2d.winograd"},
        Case{"T[n, k, y, x] = sum(c, r, s, X[n, c, y + r, x + s] * W[k, c, r, s]); Y[n, k, y, x] = "
             "R[n, k, y, x] + (T[n, k, y, x] - b[k]); X: float32[2, 16, 6, 7]; W: float32[5, 16, 3, 3]",
             "conv2d.winograd"},
        Case{
            "T[k, y, x] = sum(c, r, s, W[k, c, r, s] * X[c, y + r - 1, x + s - 1]?0); Y[k, y, x] = "
            "T[k, y, x] * clamp(T[k, y, x] + 3, 0, 6) / 6; X: float32[16, 4, 4]; W: constant float32[16, 16, 3, 3] y=4 "
            "x=4",
            "conv2d.winograd"},
        Case{"T[n, k, y, x] = sum(c, r, s, X[n, c, y + r - 1, x + s - 1]?0 * W[k, c, r, s]); U[n, k, y, x] = "
             "T[n, k, y, x] * g[k] + b[k]; Y[n, k, y, x] = U[n, k, y, x] * sigmoid(U[n, k, y, x]) + R[0, k, y, x]; "
             "X: float32[1, 3, 9, 9]; W: float32[8, 3, 3, 3] y=9 x=9",
             "conv2d.winograd"},
        Case{"T[n, k, y, x] = sum(c, r, s, X[n, c, y + r - 1, x + s - 1]?0 * W[k, c, r, s]); "
             "X: float32[2, 20, 8, 8]; W: constant float32[24, 20, 3, 3] y=8 x=8",
             "conv2d.winograd"},
        Case{"T[n, k, y, x] = sum(c, r, s, X[n, c, y + r, x + s] * W[k, c, r, s]); Y[n, k, y, x] = "
             "T[n, k, y, x] + R[n, k, y, x]; X: float32[1, 16, 6, 6]; W: float32[1, 16, 3, 3]",
             "conv2d.winograd"}));

std::set<std::string> templates_of(const std::string& text) {
  std::set<std::string> names;
  const Workload workload = workload_of(text);
  for (const char* target : {"cpu,isa=avx512,threads=2", "cuda,arch=sm_80"}) {
    for (const Template* source : templates_for(workload, Target::parse(target))) names.insert(source->name);
  }
  return names;
}

TEST(Structures, AreServedByNoOtherTemplate) {
  const std::set<std::string> generated{"generated.cpu", "generated.gpu"};
  const std::string product = "T[i, j] = sum(k, A[i, k] * B[k, j]); ", sizes = " i=24 j=24 k=24";
  EXPECT_THAT(templates_of(product + "Y[i, j] = T[i, j] * 2" + sizes), Contains("matmul.gpu"));
  for (const std::string text :
       {"Y[i, j] = T[j, i]", "Y[i, j] = T[i, j] - T[i, 0]", "Y[i, j] = T[i, j - 1]?0", "Y[i, j] = T[i, j] + A[i, j]",
        "Y[i] = sum(j, T[i, j])", "Y[i, j] = T[i, j] * 2; Z[i, j] = T[i, j] + 1"}) {
    EXPECT_EQ(templates_of(product + text + sizes), generated) << text;
  }
  EXPECT_EQ(templates_of("T[i, j] = sum(k, float32(A[i, k]) * float32(B[k, j])); Y[i, j] = T[i, j] + 1; A: bfloat16; "
                         "B: bfloat16" +
                         sizes),
            generated)
      << "products of other types have no epilogue";

  const std::string shapes = "; X: float32[2, 16, 9, 9]; W: float32[16, 16, 3, 3]";
  const auto convolution = [&](const std::string& index, const std::string& after, const std::string& sizes) {
    return templates_of("T[n, k, y, x] = sum(c, r, s, X[n, c, " + index +
                        "]?0 * W[k, c, r, s]); Y[n, k, y, x] = " + after + shapes + sizes);
  };
  EXPECT_THAT(convolution("y + r - 1, x + s - 1", "T[n, k, y, x] + 1", " y=9 x=9"), Contains("conv2d.winograd"));
  EXPECT_EQ(convolution("2*y + r - 1, 2*x + s - 1", "T[n, k, y, x] + 1", " y=5 x=5"), generated) << "strides";
  EXPECT_EQ(convolution("y + 2*r - 2, x + 2*s - 2", "T[n, k, y, x] + 1", " y=9 x=9"), generated) << "dilations";
  EXPECT_EQ(convolution("y + r - 3, x + s - 3", "T[n, k, y, x] + 1", " y=13 x=13"), generated) << "large paddings";
  EXPECT_EQ(convolution("y + r - 1, x + s - 1", "T[n, k, x, y]", " y=9 x=9"), generated) << "transposed";
  EXPECT_EQ(convolution("y + r - 1, x + s - 1", "T[n, k, y, x] + X[n, k, y, x]", " y=9 x=9"), generated);
}

TEST(Structures, AreServedByRightKernelsOfDevices) {
  std::mt19937_64 random(6);
  for (const char* text :
       {"T[n, o, y, x] = sum(c, X[n, c, y, x] * W[o, c]); Y[n, o, y, x] = max(T[n, o, y, x] + b[o] + R[n, o, y, x], 0) "
        "n=1 o=17 y=5 x=7 c=12",
        "T[n, o, y, x] = sum(c, X[n, c, y, x] * W[o, c]); Y[n, o, y, x] = T[n, o, y, x] * s[0, o, 0, 0] n=2 o=9 y=3 "
        "x=7 "
        "c=12",
        "T[h, i, j] = sum(d, Q[i, h, d] * K[j, h, d]); Y[h, i, j] = T[h, i, j] / 8 h=3 i=13 j=11 d=16",
        "Y[h, i, d] = sum(j, P[h, i, j] * V[j, h, d]) h=3 i=13 j=12 d=16",
        "T[i, j] = sum(k, A[i, k] * B[k, j]); Y[i, j] = T[i, j] * clamp(T[i, j] + 3, 0, 6) / 6 i=10 j=9 k=300"}) {
    const Workload workload = workload_of(text);
    const Template& source = *workload.op->find_template("matmul.gpu");
    for (const char* name : {"cuda,arch=sm_80", "opencl"}) {
      const Target target = Target::parse(name);
      const ConfigSpace space = discover_space(source, workload, target);
      std::vector<std::optional<Config>> configs{seeds_of(source, workload, target).front()};
      for (int i = 0; i < 2; ++i) configs.push_back(space.sample(random));
      for (const std::optional<Config>& config : configs) {
        if (config) testing_gpu::check_config(source, workload, target, *config, random());
      }
    }
  }
}

// A constant operand is packed before the calls: it is no argument of them.
TEST(Structures, PrepareConstantOperands) {
  const Target target = Target::parse("cpu,isa=avx512,threads=2");
  const auto prepared = [&](const char* text, const char* name, const char* only) {
    const Workload workload = workload_of(text);
    const Template& source = *workload.op->find_template(name);
    std::mt19937_64 random(1);
    const ConfigSpace space = discover_space(source, workload, target);
    for (int tries = 0; tries < 200; ++tries) {
      const std::optional<Config> config = space.sample(random);
      if (!config || config->str().find(only) == std::string::npos) continue;
      const Instance made = instantiate(source, workload, target, *config);
      const ir::Program loops = lower(made.schedule, made.definition.args, target, "kernel");
      std::string constants;
      for (const ir::Parameter& parameter : loops.parameters) {
        if (parameter.is_constant) constants += parameter.buffer->name;
      }
      return constants;
    }
    return std::string("no such configuration");
  };
  EXPECT_EQ(prepared("T[i, j] = sum(k, A[i, k] * B[k, j]); Y[i, j] = T[i, j] + 1; A: constant i=64 j=70 k=140",
                     "matmul.cpu", "pack_a=prepared"),
            "A");
  EXPECT_EQ(prepared("T[i, j] = sum(k, A[i, k] * B[k, j]); Y[i, j] = T[i, j] + 1; B: constant i=64 j=70 k=140",
                     "matmul.cpu", "pack_b=prepared"),
            "B");
  EXPECT_EQ(prepared("T[k, y, x] = sum(c, r, s, W[k, c, r, s] * X[c, y + r, x + s]); Y[k, y, x] = T[k, y, x] + 1; "
                     "X: float32[16, 9, 9]; W: constant float32[16, 16, 3, 3]",
                     "conv2d.winograd", "tile=4x4"),
            "W");
}

}  // namespace
}  // namespace nestwright
