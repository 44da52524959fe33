// Sums, extrema and distances over more steps than a loop may have lanes, in packed operands: every template has all of
// its branches, and kernels that are proved sound and right.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "nestwright/registry.h"
#include "templates/framework/space/completion.h"
#include "templates/framework/space/discover.h"
#include "tests/text_operator/wrong_on.h"

namespace nestwright {
namespace {

const std::vector<std::string>& long_sums() {
  static const std::vector<std::string> texts{
      "matmul m=64 n=64 k=65537 tb=1",
      "matmul m=64 n=64 k=65537 ta=1 tb=1",
      "matmul m=12 n=10 k=160000",
      "matmul m=12 n=10 k=160000 batch=2 tb=1",
      "matmul m=64 n=64 k=65537 tb=1 dtype=float64",
      "matmul m=64 n=64 k=65537 tb=1 dtype=float16",
      "matmul m=64 n=64 k=65537 tb=1 dtype=int8",
      "matmul m=64 n=64 k=65537 tb=1 prepared=b",
      "matmul m=1 n=64 k=65537 tb=1 prepared=b",
      "matmul m=64 n=65537 k=64 ta=1",
      "conv2d n=1 c=70001 h=6 w=6 k=8 r=3 s=3 pad=1",
      "conv2d n=1 c=8 h=6 w=6 k=70001 r=3 s=3 pad=1",
      "transpose rows=70001 columns=70003",
      "reduce function=sum shape=64x65537 axes=1",
      "reduce function=sum shape=65537x64 axes=0",
      "softmax rows=4 columns=65537",
      "scan function=sum steps=65537 columns=64",
      "scan function=sum steps=64 columns=65537",
      "Y[i, l] = sum(k, j, A[i, k, j] * B[k, j, l]) i=12 k=400 j=400 l=10",
      "Y[i, l] = sum(k, j, A[i, k, j] * B[l, k, j]) i=12 k=400 j=401 l=10",
      "Y[i, l] = max(k, A[i, k] + B[l, k]) i=64 k=65537 l=64",
      "D[a, b] = sum(t, (U[a, t] - V[b, t]) * (U[a, t] - V[b, t])) a=64 b=64 t=65537",
      "C[i, j] = sum(k, X[i, k] * X[j, k]) i=16 j=16 k=100003",
      "Y[o, x] = sum(c, t, X[c, x + t] * W[o, c, t]) o=16 c=2 x=100 t=70001",
  };
  return texts;
}

Workload workload_or_text(const std::string& text) {
  return text.find('[') == std::string::npos ? parse_workload(text) : workload_of(text);
}

TEST(LongSums, EveryBranchHasALegalSchedule) {
  for (const char* name : {"cpu,isa=avx2,threads=2", "cpu,isa=avx512,threads=2", "cuda,arch=sm_80", "opencl"}) {
    const Target target = Target::parse(name);
    for (const std::string& text : long_sums()) {
      const Workload workload = workload_or_text(text);
      for (const Template* source : templates_for(workload, target)) {
        const ConfigSpace space = discover_space(*source, workload, target);
        EXPECT_EQ(left_out_text(*source, space.left_out()), "") << text << " on " << name;
        EXPECT_FALSE(space.branches().empty()) << text << " on " << name;
      }
    }
  }
}

TEST(LongSums, SeedsAreProvedToBeSound) {
  const Target target = Target::parse("cpu,isa=avx2,threads=2");
  for (const std::string& text : long_sums()) {
    const Workload workload = workload_or_text(text);
    for (const Template* source : templates_for(workload, target)) {
      const std::vector<Config> seeds = seeds_of(*source, workload, target);
      if (seeds.empty()) continue;
      const Instance made = instantiate(*source, workload, target, seeds.front());
      EXPECT_NO_THROW(lower(made.schedule, made.definition.args, target, "long_sum", {.verify = true}))
          << source->name << " for " << text << ": " << seeds.front().str();
    }
  }
}

TEST(LongSums, AreRight) {
  Target target = Target::host();
  target.threads = 2;
  for (const char* text : {"C[i, j] = sum(k, A[i, k] * B[j, k]) i=2 j=17 k=65537",
                           "D[a, b] = sum(t, (U[a, t] - V[b, t]) * (U[a, t] - V[b, t])) a=2 b=16 t=65543",
                           "Y[i, l] = max(k, A[i, k] + B[l, k]) i=2 k=65537 l=16"}) {
    const Workload workload = workload_of(text);
    const CheckData data = make_strict_check_data(workload);
    for (const Template* source : templates_for(workload, target)) {
      const std::vector<Config> seeds = seeds_of(*source, workload, target);
      if (seeds.empty()) continue;
      const Instance made = instantiate(*source, workload, target, seeds.front());
      const ir::Program loops = lower(made.schedule, made.definition.args, target, "long_sum");
      EXPECT_EQ(wrong_on(data, loops, target, workload.op->define(workload).args), "")
          << source->name << " for " << text << ": " << seeds.front().str();
    }
  }
}

}  // namespace
}  // namespace nestwright
