// What the templates of texts compute is right on all inputs that check it: the default of each template, and another
// configuration of its space.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "ir/traversal/rewrite.h"
#include "tests/text_operator/right_candidates.h"

namespace nestwright {
namespace {

class Candidates : public ::testing::TestWithParam<const char*> {};

TEST_P(Candidates, AreRightOnAllInputs) {
  Target target = Target::host();
  target.threads = 2;
  std::mt19937_64 random(3);
  expect_right_candidates(workload_of(GetParam()), target, random);
}

/// Expects right results of seeds and samples that compute what the second product reads, as `chain` says, for a block
/// of rows at a time.
void expect_right_chains(const std::string& text, const std::string& chain) {
  Target target = Target::host();
  target.threads = 2;
  std::mt19937_64 random(5);
  const Workload workload = workload_of(text);
  const Template& generated = *workload.op->find_template("generated.cpu");
  const ConfigSpace space = discover_space(generated, workload, target);
  const CheckData data = make_strict_check_data(workload);
  const std::vector<Tensor> args = workload.op->define(workload).args;
  std::vector<Config> configs = seeds_of(generated, workload, target);
  EXPECT_THAT(configs.front().str(), ::testing::HasSubstr(chain));
  configs.resize(1);
  while (configs.size() < 3) {
    const std::optional<Config> config = space.sample(random);
    if (config && config->str().find(chain) != std::string::npos) configs.push_back(*config);
  }
  for (const Config& config : configs) {
    const Instance made = instantiate(generated, workload, target, config);
    const ir::Program loops = lower(made.schedule, made.definition.args, target, "chain", {.verify = true});
    EXPECT_EQ(wrong_on(data, loops, target, args), "") << config.str();
  }
}

// Attention, whose scores are computed for a block of rows at a time: rows that blocks and tiles divide or not.
TEST(Candidates, AttentionInBlocksIsRight) {
  for (const char* sizes : {" h=3 i=24 j=24 d=8 c=16", " h=2 i=19 j=37 d=5 c=18", " h=1 i=16 j=40 d=16 c=16"}) {
    expect_right_chains(
        std::string("T[h,i,j]=sum(d,Q[i,h,d]*K[j,h,d]); S[h,i,j]=T[h,i,j]/4.0+B[j]; M[h,i]=max(j,S[h,i,j]);"
                    "E[h,i,j]=exp(S[h,i,j]-M[h,i]); N[h,i]=sum(j,E[h,i,j]); P[h,i,j]=E[h,i,j]/N[h,i];"
                    "Y[i,h,c]=sum(j,P[h,i,j]*V[j,h,c])") +
            sizes,
        "P.at=chain");
  }
}

TEST(Candidates, TwoLayersInBlocksAreRight) {
  expect_right_chains(
      "T[i,j]=sum(k,X[i,k]*W[k,j]); R[i,j]=max(T[i,j]+B[j],0); Y[i,c]=sum(j,R[i,j]*V[j,c]) "
      "i=22 j=35 k=9 c=18",
      "R.at=chain");
}

// Sums of planes, of which several distant ones are reduced at a time: the results are one axis inside of the kernel.
TEST(Candidates, RowStreamsOfMergedAxesArePassedAsTheTextSays) {
  const Workload workload = workload_of("M[n, c] = sum(y, x, X[n, c, y, x]) n=4 c=8 y=16 x=16");
  const CheckData data = make_strict_check_data(workload);
  Target target = Target::host();
  target.threads = 2;
  target.l2_bytes = 4096;
  const Template& generated = *workload.op->find_template("generated.cpu");
  const Config seed = seeds_of(generated, workload, target).front();
  EXPECT_TRUE(seed.str().starts_with("streams=eight")) << seed.str();
  const Instance made = instantiate(generated, workload, target, seed);
  const ir::Program loops = lower(made.schedule, made.definition.args, target, "sums");
  EXPECT_EQ(wrong_on(data, loops, target, workload.op->define(workload).args), "");
}

// The stages of a chain of stencils are not inlined into one another, since a point would then be computed 3 times for
// each reader, and 9 times for two.
TEST(Candidates, AStencilThatIsReadOftenIsStored) {
  const Workload workload = workload_of(
      "T[a] = exp(X[a]) + X[a + 1]; U[b] = T[b] + T[b + 1] + T[b + 2]; Y[i] = U[i] + U[i + 1] + U[i + 2] "
      "a=204 b=202 i=200");
  const Target target = Target::parse("cpu,isa=avx512,threads=2");
  const Template& generated = *workload.op->find_template("generated.cpu");
  const Instance made = instantiate(generated, workload, target, seeds_of(generated, workload, target).front());
  const ir::Program loops = lower(made.schedule, made.definition.args, target, "stencils");
  int exponentials = 0;
  ir::for_each_expr(loops.kernels.front().body, [&](const ir::Expr& e) {
    const auto* call = e.as<ir::Call>();
    exponentials += call != nullptr && call->intrinsic == ir::Intrinsic::kExp ? 1 : 0;
  });
  EXPECT_LE(exponentials, 2) << "in the loop and in its tail";
}

// A softmax whose rows, stored twice, exceed a block's shared memory by little.
TEST(CandidatesOfDevices, RowsThatDoNotFitIntoABlockHaveAKernelOfTheirOwn) {
  const Target target = Target::parse("opencl");
  for (const char* sizes : {" i=64 j=4096", " i=64 j=4000", " i=64 j=8192", " i=64 j=2048"}) {
    const Workload workload =
        workload_of(std::string("U[i, j] = tanh(X[i, j]); M[i] = max(j, U[i, j]); E[i, j] = exp(U[i, j] - M[i]); "
                                "S[i] = sum(j, E[i, j]); Y[i, j] = E[i, j] / S[i]") +
                    sizes);
    for (const Template* source : templates_for(workload, target)) {
      std::vector<Config> seeds;
      ASSERT_NO_THROW(seeds = seeds_of(*source, workload, target)) << sizes;
      EXPECT_FALSE(seeds.empty());
      EXPECT_TRUE(discover_space(*source, workload, target).is_valid(seeds.front())) << sizes;
    }
  }
}

// Neighbouring threads of the form with a thread for each result would read elements a row apart.
TEST(CandidatesOfDevices, ABlockReadsARowOfAMatrixThatIsReadOnce) {
  const Target target = Target::parse("opencl");
  for (const char* text : {"y[i] = sum(k, float32(A[i, k]) * s[i] * x[k]); A: int8 i=400 k=300",
                           "S[h, j] = sum(d, Q[h, d] * K[h, j, d]) h=4 j=128 d=64"}) {
    const Workload workload = workload_of(text);
    const Template& generated = *workload.op->find_template("generated.gpu");
    const std::vector<Config> seeds = seeds_of(generated, workload, target);
    ASSERT_FALSE(seeds.empty());
    const ConfigEntry* const form = seeds.front().find(std::string(text, 1) + ".form");
    ASSERT_NE(form, nullptr) << seeds.front().str();
    EXPECT_EQ(form->label, "rows");
  }
}

// Machines that run the tests may lack AMX: expand() verifies the instructions that are selected for it on any.
TEST(CandidatesOfOtherCpus, ExpandForOneWithAmx) {
  const Target target = Target::parse("cpu,isa=avx512,threads=2,llvm_cpu=sapphirerapids");
  std::mt19937_64 random(4);
  for (const char* text :
       {"C[i, j] = sum(k, int32(A[i, k]) * int32(B[k, j])); A: uint8; B: int8 i=17 j=19 k=30",
        "C[i, j] = sum(k, float32(A[i, k]) * float32(B[k, j])); A: bfloat16; B: bfloat16 i=40 j=33 k=130"}) {
    const Workload workload = workload_of(text);
    int with_amx = 0;
    for (const Template* source : templates_for(workload, target)) {
      with_amx += source->name == "matmul.amx";
      const ConfigSpace space = discover_space(*source, workload, target);
      for (const std::optional<Config>& config :
           {std::optional(seeds_of(*source, workload, target).front()), space.sample(random)}) {
        if (!config) continue;
        const Instance made = instantiate(*source, workload, target, *config);
        const ir::Program loops = lower(made.schedule, made.definition.args, target, "candidate", {.verify = true});
        EXPECT_NO_THROW(expand(loops, target, {.verify = true})) << source->name << ": " << config->str();
      }
    }
    EXPECT_EQ(with_amx, 1) << text;
  }
}

// Of all templates of matmul, whatever the machine that runs the tests has.
TEST(CandidatesOfProducts, ArePassedInTheShapesOfTheText) {
  std::set<std::string> templates;
  for (const char* target_text :
       {"cpu,isa=avx512,threads=2,llvm_cpu=sapphirerapids", "opencl", "cuda,arch=sm_80", "cuda,arch=sm_90"}) {
    const Target target = Target::parse(target_text);
    for (const char* text :
         {"s[] = sum(k, x[k] * y[k]) k=4000", "Y[s, h, o] = sum(k, X[s, h, k] * W[k, o]) s=2 h=4 o=16 k=20000",
          "Y[b, c, i, j] = sum(k, X[b, c, i, k] * Z[b, c, k, j]) b=2 c=3 i=9 j=21 k=14",
          "Y[s, h, o] = sum(c, d, W[o, c, d] * X[s, h, c, d]) s=50 h=3 o=64 c=4 d=16",
          "Y[s, h, o] = sum(c, float32(X[s, h, c]) * float32(W[c, o])); X: bfloat16; W: bfloat16 s=32 h=4 o=64 c=64",
          "Y[s, h, o] = sum(c, int32(X[s, h, c]) * int32(W[c, o])); X: int8; W: int8 s=32 h=4 o=64 c=64"}) {
      const Workload workload = workload_of(text);
      const Definition definition = workload.op->define(workload);
      for (const Template* source : templates_for(workload, target)) {
        const Instance made = instantiate(*source, workload, target, seeds_of(*source, workload, target).front());
        const ir::Program loops = lower(made.schedule, made.definition.args, target, "candidate");
        for (std::size_t i = 0; i < definition.args.size(); ++i) {
          const ir::Parameter& parameter = loops.parameters[i];
          EXPECT_EQ(parameter.shape.value_or(ir::constants_of(parameter.buffer->shape)),
                    ir::constants_of(definition.args[i].shape()))
              << source->name << " of " << text;
        }
        templates.insert(source->name);
      }
    }
  }
  EXPECT_EQ(templates, (std::set<std::string>{"generated.cpu", "generated.gpu", "matmul.amx", "matmul.convert",
                                              "matmul.cpu", "matmul.dot", "matmul.gemv", "matmul.gpu", "matmul.mma",
                                              "matmul.split_k", "matmul.wgmma"}));
}

INSTANTIATE_TEST_SUITE_P(
    Texts, Candidates,
    ::testing::Values(
        "M[n, g] = sum(c, y, x, X[n, 4*g + c, y, x]); Y[n, k, y, x] = X[n, k, y, x] - M[n, k/4]/140.0; "
        "X: float32[1, 8, 5, 7] k=8 g=2 c=4",
        "M[n, x] = max(c, X[n, c, x]); E[n, c, x] = exp(X[n, c, x] - M[n, x]); S[n, x] = sum(c, E[n, c, x]); "
        "Y[n, c, x] = E[n, c, x] / S[n, x] n=2 c=7 x=83",
        "A[x] = sum(c, X[c, x]); D[c, x] = X[c, x] - A[x]/9; V[x] = sum(c, D[c, x]*D[c, x]); "
        "Y[c, x] = D[c, x]*rsqrt(V[x] + 1e-5)*g[c] c=9 x=160",
        "M[b, x] = max(c, X[c, b, x]); Y[c, b, x] = X[c, b, x] - M[b, x] c=100 b=2 x=4", "S[] = sum(i, X[i]) i=4099",
        "y[j] = sum(k, A[k, j]) k=1009 j=16", "Y[j] = argmax(k, X[k, j]) j=203 k=9",
        "Q[i, d] = sum(c, X[i, c]*V[c, d]); K[j, d] = sum(c, X[j, c]*W[c, d]); S[i, j] = sum(d, Q[i, d]*K[j, d]) "
        "i=21 j=37 d=24 c=30",
        "D[i, j] = sum(k, (X[i, k] - X[j, k])*(X[i, k] - X[j, k])) i=37 j=37 k=20",
        "G[i, j] = sum(k, X[i, k]*X[j, k]) i=45 j=45 k=33",
        "Y[n] = sum(k, X[k]*((float32((Q[n, k/2] >> uint8(k%2*4)) & 15) - 8.0)*S[n, k/32])); Q: uint8[9, 64] k=128",
        "D[n, k] = (float32(select(k%2 == 0, Q[n, k/2] & 15, Q[n, k/2] >> 4)) - 8.0)*S[n, k/32]; "
        "Y[m, n] = sum(k, X[m, k]*D[n, k]); Q: uint8[19, 64] k=128 n=19 m=3",
        "Y[m, n] = sum(k, X[m, k]*(float32((Q[n, k/32, k%16] >> uint8(k/16%2*4)) & 15) - "
        "float32((Z[n, k/64] >> uint8(k/32%2*4)) & 15))*S[n, k/32]); Q: uint8[19, 4, 16]; Z: uint8[19, 2] k=128 n=19 "
        "m=17",
        "L[i] = select(abs(A[i]) < 1.0, 0.5*A[i]*A[i], abs(A[i]) - 0.5); S[] = sum(i, L[i]) i=1000",
        "Y[n, y, x, o] = sum(r, s, c, X[n, y + r, x + s, o/4*4 + c]*W[r, s, c, o]); X: float32[1, 8, 9, 24]; "
        "W: float32[3, 3, 4, 24]",
        "Y[o, x] = sum(c, r, X[c, x - r + 2]*W[o, c, r]); X: float32[5, 40]; W: float32[6, 5, 3] x=38",
        "C[i, j] = sum(k, B[k, j] * A[k, i]) i=33 j=40 k=67", "y[i] = sum(k, A[i, k] * x[k]) i=61 k=257",
        "Y[n, c, y, x] = sum(d, r, s, X[n, d, 2*y + r - 1, 2*x + s - 1]?0 * W[c, d, r, s]);"
        "X: float32[1, 5, 14, 14]; W: float32[6, 5, 3, 3] y=7 x=7",
        "Y[c, y, x] = max(r, s, X[c, 2*y + r - 1, 2*x + s - 1]?-inf); X: float32[5, 28, 28] y=14 x=14 r=3 s=3",
        "M[i] = max(j, X[i, j]); E[i, j] = exp(X[i, j] - M[i]); S[i] = sum(j, E[i, j]); Y[i, j] = E[i, j] / S[i] "
        "i=24 j=150",
        "S[i] = sum(j, X[i, j]*X[i, j]); Y[i, j] = X[i, j] * rsqrt(S[i]/50 + 1e-6) * G[j] i=40 j=50",
        "M[i] = max(j, X[i, j]); P[i] = argmax(j, X[i, j]) i=37 j=100",
        "C[i, j] = sum(k, float32(A[i, k]) * float32(B[k, j])); A: bfloat16; B: float16 i=17 j=19 k=130",
        "C[i, j] = sum(k, int32(A[i, k]) * int32(B[k, j])); A: uint8; B: int8 i=17 j=19 k=30",
        "Y[i] = ((X[i] & 12) | 3) ^ (X[i] << 2); X: int16 i=1001",
        "Y[i] = float32(A[i] - B[i]) * C[i]; A: uint32; B: uint32 i=1000",
        "Y[i] = float32(uint32(A[i]) + 1) * C[i]; A: int8 i=1000",
        "Y[i] = sin(X[i]) * cos(X[i]) + trunc(X[i] * 10); X: in [-3, 3] i=500",
        "Y[i] = scale(X[i], N[i]); N: in [-9, 9] i=500",
        "Y[i, j] = T[I[i], j] * 2; I: int32 in [0, 9]; T: float32[10, 24] i=30",
        "M[i] = argmax(k, X[i, k]); Y[i] = T[M[i]] i=37 k=20",
        "Y[i] = T[int64(floor(clamp(X[i], -0.5, 9.5))) + 1] i=99",
        "T[i] = A[i] * B[i]; P[i] = T[i] + 2; Q[i] = T[i] - A[i] i=501", "s[] = sum(i, j, X[i, j]) i=31 j=97",
        "Y[i] = prod(k, X[i, k] + 1.5) i=50 k=20", "Y[i] = X[i] > 0.25 && !(M[i]); M: bool i=333",
        "C[i, j] = sum(k, A[i, k] * B[k, j]) i=1 j=1 k=1",
        // Axes of one point last; channels outermost; windows and sums of rows with what follows them; tuples in
        // columns.
        "s[] = sum(i, z, X[i, z]) i=4001 z=1", "Y[i, z] = exp(X[i, z]) i=501 z=1",
        "s[] = sum(c, y, x, X[c, y, x]) c=3 y=64 x=33",
        "Y[n, k, y, x] = sum(c, r, s, X[n, c, y + r, x + s] * W[k, c, r, s]) n=1 k=24 y=1 x=1 c=60 r=1 s=1",
        "S[c, y, x] = sum(r, s, X[c, y + r, x + s]); Y[c, y, x] = S[c, y, x]*0.111 c=3 y=20 x=37 r=3 s=3",
        "P[i, j] = sum(k, X[j, k, i]); Y[i, j] = P[i, j] * 2 i=40 j=9 k=13",
        "I[y, x] = argmax(c, S[c, y, x]) c=21 y=7 x=40", "y[j] = sum(i, w[i] * X[i, j] * X[i, j]) i=1000 j=16",
        "y[j] = sum(i, X[i, j] * a[]) i=300 j=70", "T[b, d, s] = K[b, s, d] b=3 s=40 d=20",
        "W[n, k] = float32(Q[n, k]) * S[n]; y[n] = sum(k, W[n, k] * x[k]); Q: int8 n=40 k=90",
        "C[i, j] = sum(k, A[i, k] * S[j] * W[j, k] + V[j, k]) i=20 j=35 k=40",
        // Reads of one tensor that differ by constants, of a sum, across rows and in a chain.
        "S[p] = sum(k, A[p, k]); Y[i, j] = B[i, j] * (S[i] + S[i + 1]); A: float32[37, 40] i=36 j=50",
        "C[i, j] = A[0, j, i] + A[1, j, i]; A: float32[2, 35, 41]",
        "T[a] = X[a] + X[a + 1] + X[a + 2]; U[b] = T[b] + T[b + 1] + T[b + 2]; V[c] = U[c] + U[c + 1] + U[c + 2]; "
        "Y[i] = V[i] + V[i + 1] + V[i + 2] a=206 b=204 c=202 i=200",
        "E[a] = exp(X[a]); Y[i] = E[i] + E[i + 1] a=302 i=301",
        "T[i, j] = sum(k, A[i, k] * B[k, j]); Y[a, j] = T[a, j] * 2 i=11 a=7 j=40 k=24",
        // Products whose matrices have other dimensions than the text's tensors.
        "y[i] = sum(k, A[i, k] * x[k]) i=67 k=50", "y[j] = sum(k, x[k] * A[k, j]) j=67 k=500",
        "Y[s, h, o] = sum(c, d, W[o, c, d] * X[s, h, c, d]) s=5 h=3 o=20 c=4 d=9",
        "Y[s, h, o] = sum(c, float32(X[s, h, c]) * float32(W[c, o])); X: bfloat16; W: bfloat16 s=5 h=3 o=40 c=36",
        "Y[s, h, o] = sum(c, int32(X[s, h, c]) * int32(W[c, o])); X: int8; W: int8 s=5 h=3 o=40 c=36",
        "Y[b, c, i, j] = sum(k, X[b, c, i, k] * Z[b, c, k, j]) b=2 c=3 i=9 j=21 k=14",
        "s[] = sum(k, x[k] * y[k]) k=4000",
        // Axes that become one: planes, rows of all images, both axes of a sum.
        "O[n, o, y, x] = sum(c, r, s, X[n, c, y + r, x + s] * W[o, c, r, s]) n=2 o=24 c=20 y=7 x=7 r=1 s=1",
        "Y[b, s, j] = sum(k, X[b, s, k] * W[k, j]) b=3 s=13 j=40 k=24",
        "M[n, c] = sum(y, x, X[n, c, y, x]); Y[n, c, y, x] = X[n, c, y, x] - M[n, c]/49.0 n=2 c=20 y=7 x=7",
        "Y[n, y, x, c] = max(X[n, y, x, c]*A[c] + B[c], 0.0) n=2 y=9 x=11 c=3",
        "Y[n, c, y, x] = max(r, s, X[n, c, 2*y + r, 2*x + s]) n=2 c=8 y=9 x=9 r=3 s=3"));

}  // namespace
}  // namespace nestwright
