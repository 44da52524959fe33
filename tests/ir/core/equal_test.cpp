#include "ir/traversal/equal.h"

#include <gtest/gtest.h>

namespace nestwright::ir {
namespace {

TEST(Equal, ComparesUpToBoundNames) {
  const Buffer a("A", kFloat32, {8, 8}), c("C", kFloat32, {8});
  const Var i("i"), j("j"), k("k");
  const auto loop = [&](const Var& v, int extent) {
    return make_for(v, 0, extent, LoopKind::kSerial, make_store(c, {v}, make_load(a, {v, i})));
  };
  EXPECT_TRUE(equal(loop(j, 8), loop(k, 8)));
  EXPECT_FALSE(equal(loop(j, 8), loop(k, 7)));
  EXPECT_FALSE(equal(loop(j, 8), loop(i, 8))) << "i is free in one and bound in the other";
  EXPECT_TRUE(equal(Expr(k) + 1, Expr(k) + 1));
  EXPECT_FALSE(equal(Expr(k) + 1, Expr(j) + 1));
  EXPECT_FALSE(equal(make_float(0.0, kFloat32), make_float(-0.0, kFloat32)));
}

TEST(Equal, ProgramsMatchTheirParametersInOrder) {
  const auto program = [](const char* name, int extent, bool swap) {
    const Buffer a(std::string(name) + "a", kFloat32, {extent}), b(std::string(name) + "b", kFloat32, {extent});
    const Var i(name);
    Program p;
    p.name = "copy";
    p.parameters = {{a, Role::kInput}, {b, Role::kOutput}};
    p.host = make_launch(0);
    p.kernels = {{"k", make_for(i, 0, extent, LoopKind::kSerial, make_store(swap ? a : b, {i}, make_load(a, {i})))}};
    return p;
  };
  EXPECT_TRUE(equal(program("x", 8, false), program("y", 8, false)));
  EXPECT_FALSE(equal(program("x", 8, false), program("y", 9, false)));
  EXPECT_FALSE(equal(program("x", 8, false), program("y", 8, true)));
  Program reshaped = program("x", 8, false);
  reshaped.parameters.front().shape = {2, 4};
  EXPECT_FALSE(equal(program("x", 8, false), reshaped)) << "other calls are accepted";
}

}  // namespace
}  // namespace nestwright::ir
