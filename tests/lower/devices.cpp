#include "devices.h"

#include <gmock/gmock.h>

#include "ir/traversal/rewrite.h"
#include "nestwright/error.h"
#include "nestwright/program.h"
#include "run_program.h"

namespace nestwright::testing {
namespace {

/// Removes barrier number `which`.
class Remover : public ir::Mutator {
 public:
  explicit Remover(int which) : which_(which) {}
  using Mutator::mutate;
  ir::Stmt mutate(const ir::Stmt& s) override {
    if (s.defined() && s.as<ir::Barrier>() != nullptr && which_-- == 0) return {};
    return mutate_children(s);
  }

 private:
  int which_;
};

}  // namespace

Target device_target(DeviceKind device) {
  Target target;
  target.device = device;
  return target;
}

int count_barriers(const ir::Stmt& s) {
  int count = 0;
  ir::for_each_stmt(s, [&](const ir::Stmt& inner) { count += inner.as<ir::Barrier>() != nullptr ? 1 : 0; });
  return count;
}

void expect_every_barrier_needed(const ir::Program& program, int barriers) {
  ASSERT_EQ(program.kernels.size(), 1u);
  ASSERT_EQ(count_barriers(program.kernels[0].body), barriers);
  for (int which = 0; which < barriers; ++which) {
    ir::Program without = program;
    without.kernels[0].body = Remover(which).mutate(without.kernels[0].body);
    ASSERT_EQ(count_barriers(without.kernels[0].body), barriers - 1);
    EXPECT_THAT(ir::verify(without, ir::Form::kLoop), ::testing::Not(::testing::IsEmpty())) << which;
    try {
      run_program(without);
      ADD_FAILURE() << "barrier " << which << " was not missed";
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), ::testing::AnyOf(::testing::HasSubstr("race in the threadIdx."),
                                             ::testing::HasSubstr("while its copy is in flight")))
          << which;
    }
  }
}

}  // namespace nestwright::testing
