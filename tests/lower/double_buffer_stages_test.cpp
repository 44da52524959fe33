// double_buffer with more than two stages: the copies in flight, the barriers that wait for them, and mistakes that the
// verifier and the interpreter report.
#include <gmock/gmock.h>

#include <array>
#include <functional>

#include "blocked_product.h"
#include "nestwright/error.h"
#include "nestwright/program.h"
#include "run_program.h"
#include "tests/support/soak.h"

namespace nestwright::testing {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// T[i] = A[i] + 1, C[i] = T[i] * T[i], with T computed in tiles of C.
struct Chain {
  Chain(const Expr& length, std::int64_t stages, const Tail& tail = Tail::guard())
      : A(placeholder({length}, kFloat32, "A")),
        T(compute(
            {length}, [&](Expr i) { return A(i) + 1.0; }, "T")),
        C(compute(
            {length}, [&](Expr i) { return T(i) * T(i); }, "C")),
        s(create_schedule(C)) {
    s[T].compute_at(s[C], s[C].split(s[C].axis(0), factor(8), tail).first).double_buffer(stages);
  }
  Args args() const { return {A, C}; }
  ir::Program program() const { return lower(s, args(), Target(), "f", {.after_pass = {}, .verify = true}); }
  std::string text() const { return ir::to_string(program().kernels[0].body); }

  Tensor A, T, C;
  Schedule s;
};

TEST(Stages, AreFilledSoManyIterationsAhead) {
  const Chain chain(48, 3);
  EXPECT_EQ(chain.text(),
            "global T: float32[3, 8]\n"
            "for i in 0..8:\n"
            "  T[0, i] = A[i] + 1.0\n"
            "for i_1 in 0..8:\n"
            "  T[1, i_1] = A[i_1 + 8] + 1.0\n"
            "for i.outer in 0..6:\n"
            "  if likely(i.outer < 4):\n"
            "    for i_2 in 0..8:\n"
            "      T[(i.outer + 2)%3, i_2] = A[i.outer*8 + i_2 + 16] + 1.0\n"
            "  for i.inner in 0..8:\n"
            "    C[i.outer*8 + i.inner] = T[i.outer%3, i.inner]*T[i.outer%3, i.inner]\n");
}

TEST(Stages, AnyExtentAndTail) {
  for (const std::int64_t stages : {3, 4, 8}) {
    for (const int length : {1, 8, 9, 16, 17, 24, 31, 38, 70}) {
      for (const Tail& tail : {Tail::guard(), Tail::partition()}) {
        const Chain chain(length, stages, tail);
        EXPECT_EQ(run_program(chain.program()), run_unscheduled(chain.C, chain.args())) << length << "\n"
                                                                                        << chain.text();
      }
    }
    const Chain segments(58, stages, Tail::compose({8, 5}));
    EXPECT_EQ(run_program(segments.program()), run_unscheduled(segments.C, segments.args())) << segments.text();
    const Chain symbolic(var("n"), stages);
    for (const std::int64_t length : {1, 5, 8, 9, 16, 23, 40, 90}) {
      EXPECT_EQ(run_program(symbolic.program(), 1, {length}), run_unscheduled(symbolic.C, symbolic.args(), {length}));
    }
  }
}

TEST(Stages, NoMoreSlotsThanIterations) {
  EXPECT_THAT(Chain(24, 8).text(), HasSubstr("global T: float32[3, 8]\n"));
  EXPECT_THAT(Chain(16, 8).text(), HasSubstr("global T: float32[2, 8]\n"));
  EXPECT_THAT(Chain(8, 8).text(), HasSubstr("global T: float32[8]\n"));
}

// --- Threads --------------------------------------------------------------------------------------------------------

ir::Program blocked(std::int64_t stages, std::int64_t depth = 18, DeviceKind device = DeviceKind::kCuda) {
  return Blocked(stages, depth).program(device_target(device));
}

TEST(StagesInSharedMemory, ABarrierLeavesTheLaterGroupsInFlight) {
  for (const std::int64_t stages : {3, 4, 5}) {
    const ir::Program program = blocked(stages, 30);
    const std::string text = ir::to_string(program);
    EXPECT_EQ(barriers_in_loop(program.kernels[0].body, "k.outer"), 1) << text;
    EXPECT_EQ(count_barriers(program.kernels[0].body), 2) << text;
    const std::string waits = "barrier, copies in flight " + std::to_string(stages - 2) + "\n";
    EXPECT_NE(text.find(waits), text.rfind(waits)) << text;
    EXPECT_THAT(text, HasSubstr("commit copies\n"));
    EXPECT_THAT(ir::verify(program, ir::Form::kLoop), IsEmpty()) << text;
  }
  EXPECT_THAT(ir::to_string(blocked(2)), Not(HasSubstr("copies")));
}

TEST(StagesInSharedMemory, AnyNumberOfIterations) {
  constexpr std::array<std::int64_t, 8> kDepths{2, 9, 3, 13, 5, 30, 6, 7};
  const CaseRange range = cases_of_run(static_cast<int>(kDepths.size()), 4);
  for (int i = range.first; i < range.end; ++i) {
    for (const std::int64_t stages : {3, 4, 8}) {
      const Blocked b(stages, kDepths[static_cast<std::size_t>(i)]);
      for (const DeviceKind device : {DeviceKind::kCuda, DeviceKind::kOpenCl}) {
        const ir::Program program = b.program(device_target(device));
        EXPECT_EQ(run_program(program, 2), run_unscheduled(b.C, b.args())) << ir::to_string(program);
        const ir::Program vectors = expand(program, device_target(device), {.after_pass = {}, .verify = true});
        EXPECT_EQ(run_program(vectors, 1), run_unscheduled(b.C, b.args())) << ir::to_string(vectors);
      }
    }
  }
}

TEST(StagesInSharedMemory, WithoutCopiesOfItsOwnTheDeviceHasNoGroups) {
  EXPECT_THAT(ir::to_string(blocked(3, 18, DeviceKind::kOpenCl)), Not(HasSubstr("copies")));
}

TEST(StagesInSharedMemory, OfEachOperandItsOwn) {
  for (const auto& [of_a, of_b] : {std::pair{3, 5}, std::pair{5, 3}, std::pair{2, 4}, std::pair{4, 1}}) {
    for (const std::int64_t depth : {5, 9, 30}) {
      const Blocked b(of_a, of_b, depth);
      const ir::Program program = b.program(device_target());
      EXPECT_EQ(run_program(program, 3), run_unscheduled(b.C, b.args())) << ir::to_string(program);
    }
  }
}

TEST(StagesInSharedMemory, EveryBarrierIsNeeded) { expect_every_barrier_needed(blocked(3), 2); }

// --- Mistakes -------------------------------------------------------------------------------------------------------

class Changed : public ir::Mutator {
 public:
  using Change = std::function<std::optional<ir::Stmt>(const ir::Stmt&)>;
  explicit Changed(Change change) : change_(std::move(change)) {}
  using Mutator::mutate;
  ir::Stmt mutate(const ir::Stmt& s) override {
    if (!s.defined()) return s;
    if (const std::optional<ir::Stmt> changed = change_(s)) return *changed;
    return mutate_children(s);
  }

 private:
  Change change_;
};

/// The verifier's and the interpreter's reports of a mistake; empty if there is none.
struct Seen {
  std::vector<std::string> violations;
  std::string fault;
};
Seen seen(ir::Program program, const Changed::Change& change) {
  const std::string before = ir::to_string(program);
  program.kernels[0].body = Changed(change).mutate(program.kernels[0].body);
  EXPECT_NE(ir::to_string(program), before);
  Seen result{ir::verify(program, ir::Form::kLoop), ""};
  try {
    run_program(program);
  } catch (const Error& e) {
    result.fault = e.what();
  }
  return result;
}

TEST(StagesInSharedMemory, ABarrierThatWaitsForOneGroupTooFewIsSeen) {
  for (const std::int64_t stages : {3, 4}) {
    const Seen wrong = seen(blocked(stages, 48), [](const ir::Stmt& s) -> std::optional<ir::Stmt> {
      const auto* barrier = s.as<ir::Barrier>();
      if (barrier == nullptr) return {};
      return ir::make_barrier(barrier->pending + 1);
    });
    EXPECT_THAT(wrong.violations, Contains(HasSubstr("may be read while its copy is in flight")));
    EXPECT_THAT(wrong.fault, HasSubstr("is read while its copy is in flight"));
  }
}

TEST(StagesInSharedMemory, AGroupThatIsNotCommittedEachTimeIsSeen) {
  // The groups of the last iterations are empty; without them a barrier waits for too few copies.
  const Seen wrong = seen(blocked(3, 18), [](const ir::Stmt& s) -> std::optional<ir::Stmt> {
    const auto* block = s.as<ir::Block>();
    if (block == nullptr || block->stmts.front().as<ir::IfThenElse>() == nullptr) return {};
    std::vector<ir::Stmt> stmts = block->stmts;
    const auto* branch = stmts[0].as<ir::IfThenElse>();
    if (stmts.size() < 3 || stmts[1].as<ir::CommitCopies>() == nullptr) return {};
    stmts[0] = ir::make_if(branch->condition, ir::block({branch->then_case, stmts[1]}));
    stmts.erase(stmts.begin() + 1);
    return ir::block(std::move(stmts));
  });
  EXPECT_THAT(wrong.violations, Contains(HasSubstr("may be read while its copy is in flight")));
  EXPECT_THAT(wrong.fault, HasSubstr("is read while its copy is in flight"));
}

/// Makes slots wrong by one, in stores if `of_fill`, else in loads.
class SlotOff : public ir::Mutator {
 public:
  SlotOff(bool of_fill, int by) : of_fill_(of_fill), by_(by) {}
  using Mutator::mutate;
  ir::Expr mutate(const ir::Expr& e) override {
    const auto* mod = e.defined() ? e.as<ir::Binary>() : nullptr;
    if (mod == nullptr || mod->op != ir::BinaryOp::kMod || is_sum(mod->a) != of_fill_) return mutate_children(e);
    return ir::make_binary(ir::BinaryOp::kMod, mod->a + by_, mod->b);
  }

 private:
  static bool is_sum(const ir::Expr& e) { return e.as<ir::Binary>() != nullptr; }
  bool of_fill_;
  int by_;
};

TEST(StagesInSharedMemory, ASlotThatIsOneOffIsSeen) {
  const Blocked right(3, 18);
  for (const bool of_fill : {false, true}) {
    for (const int by : {1, 2}) {
      ir::Program program = right.program(device_target());
      program.kernels[0].body = SlotOff(of_fill, by).mutate(program.kernels[0].body);
      EXPECT_NE(ir::to_string(program), ir::to_string(right.program(device_target())));
      EXPECT_THAT(ir::verify(program, ir::Form::kLoop), Not(IsEmpty())) << ir::to_string(program);
      EXPECT_THROW(run_program(program), Error) << ir::to_string(program);
    }
  }
}

}  // namespace
}  // namespace nestwright::testing
