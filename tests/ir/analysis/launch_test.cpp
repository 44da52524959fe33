// Launches: grid and block sizes, arguments in order, and the layout of shared memory.
#include "ir/gpu/launch.h"

#include <gmock/gmock.h>

#include "nestwright/error.h"
#include "nestwright/program.h"

namespace nestwright::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

/// Two launches in a loop over t: the first stores partial sums of rows of X to the workspace, the second stores Y.
struct Launches {
  Var m{"m"}, n{"n"}, ld{"ld"}, t{"t"};
  Buffer X{"X", kFloat32, {m, n}, Scope::kGlobal, {ld, Expr(1)}}, unused{"U", kFloat32, {n}}, Y{"Y", kFloat32, {n}};
  Buffer sums{"sums", kFloat32, {8}}, other{"other", kFloat32, {8}};
  Program program;

  Launches() {
    const Var b("b"), i("i"), j("j"), y("y");
    program.name = "f";
    program.parameters = {{X}, {unused}, {Y, Role::kOutput}};
    program.symbols = {m, n, ld};
    program.host = make_for(t, 0, m, LoopKind::kSerial,
                            make_allocate(other, make_allocate(sums, block({make_launch(0), make_launch(1)}))));
    const Stmt partial = make_store(sums, {b}, make_load(X, {t, b}));
    program.kernels.push_back({"f_kernel0", make_for(b, 0, 8, LoopKind::kBlockX, partial)});
    const Stmt total = make_store(Y, {j + i}, make_load(sums, {Expr(0)}));
    program.kernels.push_back({"f_kernel1", make_for(i, 0, (n + 31) / 32, LoopKind::kBlockY,
                                                     make_for(j, 0, 32, LoopKind::kThreadX,
                                                              make_for(y, 0, 2, LoopKind::kVirtualThread, total)))});
  }
};

std::vector<std::string> texts(const std::array<Expr, 3>& sizes) {
  return {to_string(sizes[0]), to_string(sizes[1]), to_string(sizes[2])};
}

TEST(Launch, SizesAreThoseOfTheBoundLoops) {
  const Launches launches;
  const LaunchShape first = launch_shape(launches.program.kernels[0]);
  EXPECT_THAT(texts(first.grid), ElementsAre("8", "1", "1"));
  EXPECT_THAT(texts(first.block), ElementsAre("1", "1", "1"));
  const LaunchShape second = launch_shape(launches.program.kernels[1]);
  EXPECT_THAT(texts(second.grid), ElementsAre("1", "(n + 31)/32", "1"));
  EXPECT_THAT(texts(second.block), ElementsAre("32", "1", "1")) << "virtual threads are none";
}

TEST(Launch, ArgumentsAreWhatAKernelUses) {
  const Launches launches;
  const KernelArguments first = kernel_arguments(launches.program, 0);
  EXPECT_THAT(first.parameters, ElementsAre(0));
  EXPECT_THAT(first.workspaces, ElementsAre(launches.sums));
  EXPECT_THAT(first.scalars, ElementsAre(launches.ld, launches.t)) << "a stride, and the loop of the host";
  const KernelArguments second = kernel_arguments(launches.program, 1);
  EXPECT_THAT(second.parameters, ElementsAre(2));
  EXPECT_THAT(second.workspaces, ElementsAre(launches.sums));
  EXPECT_THAT(second.scalars, ElementsAre(launches.n)) << "the extent of the blocks";
}

TEST(Launch, WithoutHostStatementsThereAreParametersOnly) {
  Launches launches;
  launches.program.host = make_launch(0);
  const Var i("i");
  launches.program.kernels[0].body =
      make_for(i, 0, 4, LoopKind::kThreadX, make_store(launches.Y, {i}, make_load(launches.unused, {i})));
  const KernelArguments arguments = kernel_arguments(launches.program, 0);
  EXPECT_THAT(arguments.parameters, ElementsAre(1, 2));
  EXPECT_THAT(arguments.workspaces, IsEmpty());
  EXPECT_THAT(arguments.scalars, IsEmpty());
}

TEST(Launch, ABoundLoopThatBeginsElsewhereIsAMistakeOfTheLowering) {
  const Launches launches;
  const Kernel shifted{"f", make_for(Var("i"), 1, 4, LoopKind::kThreadX, make_store(launches.Y, {Expr(0)}, 1.0))};
  EXPECT_THAT([&] { launch_shape(shifted); },
              ThrowsMessage<InternalError>("internal error: loop i is bound and does not begin at 0"));
}

TEST(Launch, SharedMemoryIsLaidOutInOrderAndDynamicWhereItIsLarge) {
  const Buffer out("out", kFloat32, {1}), a("a", kInt8, {33}, Scope::kShared, {}, 1),
      b("b", kFloat32, {10}, Scope::kShared, {}, 64), c("c", kFloat32, {3}, Scope::kShared, {}, 4),
      local("local", kFloat32, {8}, Scope::kLocal);
  const Stmt store = make_store(out, {0}, make_float(1, kFloat32));
  const Kernel small{"k", make_allocate(a, make_allocate(local, make_allocate(b, make_allocate(c, store))))};
  const SharedLayout layout = shared_layout(small);
  EXPECT_EQ(layout.offsets, (std::vector<std::pair<Buffer, std::int64_t>>{{a, 0}, {b, 64}, {c, 112}}));
  EXPECT_EQ(layout.bytes, 124);
  EXPECT_EQ(layout.dynamic_bytes(), 0);

  const auto dynamic = [&](std::int64_t bytes) {
    const Buffer tile("tile", kInt8, {bytes}, Scope::kShared);
    return shared_layout({"k", make_allocate(tile, store)}).dynamic_bytes();
  };
  EXPECT_EQ(dynamic(49152), 0);
  EXPECT_EQ(dynamic(49153), 49153);
  EXPECT_EQ(shared_layout({"k", store}).bytes, 0);
}

}  // namespace
}  // namespace nestwright::ir
