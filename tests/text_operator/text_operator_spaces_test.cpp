// The space of an expression has what makes the expression fast: work for each thread, operands in the order in which
// they are read, vectors without idle or scattered lanes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "ir/traversal/rewrite.h"
#include "nestwright/lower.h"
#include "nestwright/text_operator.h"
#include "templates/framework/space/completion.h"

namespace nestwright {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;

Target two_threads() { return Target::parse("cpu,isa=avx512,threads=2"); }

const Template& generated(const Workload& workload) { return *workload.op->find_template("generated.cpu"); }

/// The labels of a knob in all sketches, or its numbers.
std::set<std::string> candidates(const std::string& text, const std::string& knob) {
  const Workload workload = workload_of(text);
  std::set<std::string> found;
  const ConfigSpace space = discover_space(generated(workload), workload, two_threads());
  for (const Branch& branch : space.branches()) {
    const Knob* const of_it = find_knob(branch, knob);
    if (of_it == nullptr) continue;
    found.insert(of_it->labels.begin(), of_it->labels.end());
    if (!of_it->labels.empty()) continue;
    for (const KnobValue& value : of_it->candidates) found.insert(std::to_string(value.front()));
  }
  return found;
}

ir::Program first_seed(const std::string& text, const char* name = "generated.cpu",
                       const Target& target = two_threads()) {
  const Workload workload = workload_of(text);
  const Template& source = *workload.op->find_template(name);
  const Instance made = instantiate(source, workload, target, seeds_of(source, workload, target).front());
  return lower(made.schedule, made.definition.args, target, "seed");
}

/// Whether a loop reads what it stores.
bool reduces(const ir::Stmt& loop) {
  return ir::any_stmt(loop, [&](const ir::Stmt& s) {
    const auto* const store = s.as<ir::Store>();
    return store != nullptr && ir::any_expr(loop, [&](const ir::Expr& e) {
             const auto* const load = e.as<ir::Load>();
             return load != nullptr && load->buffer == store->buffer;
           });
  });
}

/// Parallel loops of several iterations in which something is reduced.
int shared_reductions(const ir::Program& loops) {
  int count = 0;
  ir::for_each_stmt(loops.kernels.front().body, [&](const ir::Stmt& s) {
    const auto* const loop = s.as<ir::For>();
    if (loop == nullptr || loop->kind != ir::LoopKind::kParallel || ir::is_const_int(loop->extent, 1)) return;
    if (reduces(loop->body)) ++count;
  });
  return count;
}

/// The tensors that a program allocates in global memory.
std::string stored_tensors(const ir::Program& loops) {
  std::string names;
  const auto add = [&](const ir::Stmt& s) {
    const auto* const allocation = s.as<ir::Allocate>();
    if (allocation == nullptr || allocation->buffer->scope != ir::Scope::kGlobal) return;
    names += (names.empty() ? "" : " ") + allocation->buffer->name;
  };
  ir::for_each_stmt(loops.host, add);
  for (const ir::Kernel& kernel : loops.kernels) ir::for_each_stmt(kernel.body, add);
  return names;
}

TEST(SpacesOfTexts, FuseWhatFollowsASumForOneImageAsForSeveral) {
  for (const char* text :
       {"T[n, o, y, x] = sum(c, W[o, c] * X[n, c, y, x]); Y[n, o, y, x] = max(T[n, o, y, x] + B[o], 0.0) n=1 o=64 c=64 "
        "y=14 x=14",
        "M[n, c] = sum(y, x, X[n, c, y, x]); Y[n, c, y, x] = X[n, c, y, x] - M[n, c]/49.0 n=1 c=64 y=7 x=7"}) {
    EXPECT_EQ(stored_tensors(first_seed(text)), "") << text;
    EXPECT_EQ(stored_tensors(first_seed(text, "generated.gpu", Target::parse("cuda,arch=sm_80"))), "") << text;
  }
}

TEST(SpacesOfTexts, ShareTheReductionsOfASingleImage) {
  const char* const group_norm =
      "M[n, g] = sum(c, y, x, X[n, 8*g + c, y, x]); Y[n, k, y, x] = X[n, k, y, x] - M[n, k/8]/25088.0; "
      "X: float32[1, 64, 56, 56] k=64 g=8 c=8";
  EXPECT_GE(shared_reductions(first_seed(group_norm)), 1);
}

TEST(SpacesOfTexts, ShareReductionsThatHaveNoEvenBlocks) {
  EXPECT_THAT(candidates("S[] = sum(i, X[i]) i=1000003", "S.blocks"), Contains("2"));
  EXPECT_THAT(candidates("S[] = sum(i, X[i]) i=1048576", "S.blocks"), Not(Contains("10")));
  EXPECT_THAT(candidates("S[] = sum(i, X[i]) i=101", "S.blocks"), IsEmpty()) << "blocks would be short";
}

TEST(SpacesOfTexts, ShareTheColumnsOfAnArgmax) {
  EXPECT_GE(shared_reductions(first_seed("Y[j] = argmax(k, X[k, j]) j=100000 k=64")), 1);
}

TEST(SpacesOfTexts, PackWhatIsComputedAndWhatIsReadTwice) {
  EXPECT_THAT(candidates("Q[i, d] = sum(c, X[i, c]*V[c, d]); K[j, d] = sum(c, X[j, c]*W[c, d]); "
                         "S[i, j] = sum(d, Q[i, d]*K[j, d]) i=512 j=512 d=64 c=768",
                         "S.pack_vectors"),
              Contains("block"));
  const std::set<std::string> of_gram =
      candidates("G[i, j] = sum(k, X[i, k]*X[j, k]) i=512 j=512 k=512", "G.pack_vectors");
  EXPECT_THAT(of_gram, Contains("whole"));
  EXPECT_THAT(of_gram, Not(Contains("block"))) << "one copy serves both reads";
}

TEST(SpacesOfTexts, ComputeASelectOfDataInsideOfTheReduction) {
  const ir::Program loops =
      first_seed("L[i] = select(abs(A[i]) < 1.0, 0.5*A[i]*A[i], abs(A[i]) - 0.5); S[] = sum(i, L[i]) i=4194304");
  EXPECT_FALSE(ir::any_stmt(loops.kernels.front().body, [](const ir::Stmt& s) {
    const auto* const store = s.as<ir::Store>();
    return store != nullptr && store->buffer->name == "L";
  }));
}

TEST(SpacesOfTexts, StoreASineThatIsReadTwice) {
  EXPECT_THAT(candidates("C[i] = cos(P[i]); A[i] = X[i]*C[i]; B[i] = Z[i]*C[i] i=1000", "C.values"),
              Contains("stored"));
}

TEST(SpacesOfTexts, HaveVectorsWithinTheGroupsOfAConvolution) {
  const std::string text =
      "Y[n, y, x, o] = sum(r, s, c, X[n, y + r, x + s, o/4*4 + c]*W[r, s, c, o]); "
      "X: float32[1, 58, 58, 128]; W: float32[3, 3, 4, 128]";
  EXPECT_THAT(candidates(text, "Y.vector_lanes"), Contains("4")) << "the four filters of a group";
}

// A tile of columns stays in the caches from its maxima to the quotients.
TEST(SpacesOfTexts, TakeTilesOfColumnsForASoftmaxAlongTheChannels) {
  const std::string text =
      "M[n, x] = max(c, X[n, c, x]); E[n, c, x] = exp(X[n, c, x] - M[n, x]); S[n, x] = sum(c, E[n, c, x]); "
      "Y[n, c, x] = E[n, c, x] / S[n, x] n=2 c=64 x=1024";
  EXPECT_THAT(candidates(text, "Y.order"), Contains("columns"));
  const ir::Program loops = first_seed(text);
  std::set<std::string> whole;
  ir::for_each_stmt(loops.kernels[0].body, [&](const ir::Stmt& s) {
    const auto* const made = s.as<ir::Allocate>();
    if (made != nullptr && made->buffer->elements() > 64 * 128) whole.insert(made->buffer->name);
  });
  EXPECT_THAT(whole, IsEmpty()) << "stages are stored for a tile of columns";
  EXPECT_THAT(candidates("S[n, c] = sum(x, X[n, c, x]); Y[n, c, x] = X[n, c, x] / S[n, c] n=2 c=64 x=1024", "Y.order"),
              IsEmpty())
      << "rows are reduced, not columns";
}

}  // namespace
}  // namespace nestwright
