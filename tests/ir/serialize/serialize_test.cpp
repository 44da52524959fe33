#include "ir/serialize/serialize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "ir/serialize/format.h"
#include "ir/traversal/equal.h"
#include "nestwright/error.h"
#include "nestwright/program.h"
#include "support/base/sanitizer.h"
#include "tests/ir/programs.h"
#include "tests/support/golden.h"
#include "tests/support/message.h"

namespace nestwright::ir {
namespace {

using ::testing::HasSubstr;

// A program with every kind of node, some of them shared.
Program everything() {
  const Var n("n"), stride("stride"), i("i"), t("t", kFloat32), x("x", kInt32);
  const Expr size = n + 3;
  const Buffer a("A", kFloat32, {size, 4}, Scope::kGlobal, {stride, 1}, 32), c("C", kBFloat16, {size}),
      d("D", kInt8, {6});
  const Buffer s("s", kUInt8, {16}, Scope::kShared), w("w", kFloat16, {2}, Scope::kLocal);
  const Expr lanes = make_ramp(i * 4, 1, 4);
  const Expr vector = make_load(a, {lanes, 2}, lanes < make_broadcast(n, 4));
  const Expr shared = make_cast(kFloat32.with_lanes(4), vector);
  const Expr sum = make_call(Intrinsic::kFma, {shared, shared, vector}, kFloat32.with_lanes(4));
  const Stmt body = block({
      make_store(c, {lanes}, cast(kBFloat16.with_lanes(4), sum), make_bool(true, 4), true),
      make_let(t, select(!(Expr(i) < 2), at(a, {i, 0}), 1.5),
               make_store(w, {1}, cast(kFloat16, Expr(t) - make_float(-0.0, kFloat32)))),
      make_if(likely(Expr(i) >= 1 && Expr(i) != 5), make_barrier(), make_prefetch(a, {i, 0}, true, 1)),
      make_commit_copies(2),
      make_barrier(2),
      make_if(Expr(i) == 3, make_store(s, {0}, make_int(255, kUInt8))),
      make_tensor_instruction({.op = TensorOp::kWarpgroupMultiply,
                               .operands = {{s, Expr(i) * 2}, {{}, Expr(40)}},
                               .type = kBFloat16,
                               .columns = 16,
                               .transposes_b = true,
                               .body = make_store(s, {1}, make_int(7, kUInt8))}),
      make_tensor_instruction({.op = TensorOp::kTileRelease}),
      make_let(x, make_int(-7, kInt32), make_store(w, {0}, cast(kFloat16, Expr(x) % make_int(3, kInt32)))),
  });
  Program program =
      program_of({{a}, {c, Role::kOutput}, {d, Role::kInput, -1, false, {{2, 3}}}},
                 make_allocate(s, make_for(i, 1, n / 2, LoopKind::kThreadY, make_allocate(w, body)), 128, true, n * 64),
                 {n, stride});
  program.workspace = {4096, 1 << 20, n * stride, n * 64};
  program.kernels.push_back({"empty", {}});
  return program;
}

const std::string kHead = std::string(format::kMagic) + static_cast<char>(format::kVersion);

TEST(Serialize, RoundTripsEveryNode) {
  for (const Program& program : {everything(), TiledMatmul().program()}) {
    const std::string bytes = serialize(program);
    const Program back = deserialize(bytes);
    EXPECT_TRUE(equal(program, back));
    EXPECT_EQ(to_string(program), to_string(back));
    EXPECT_EQ(serialize(back), bytes);
  }
}

TEST(Serialize, KeepsWhatPrintingDoesNotShow) {
  const Program program = everything(), back = deserialize(serialize(program));
  EXPECT_EQ(back.workspace.shared_bytes, 4096);
  EXPECT_EQ(back.workspace.per_thread_bytes, 1 << 20);
  EXPECT_EQ(back.parameters[0].buffer->alignment, 32);
  EXPECT_EQ(back.parameters[1].role, Role::kOutput);
  const auto* allocation = back.kernels[0].body.as<Allocate>();
  ASSERT_NE(allocation, nullptr);
  EXPECT_EQ(allocation->offset, 128);
  EXPECT_TRUE(allocation->per_thread);
  EXPECT_EQ(to_string(allocation->symbolic_offset), "n*64");
  EXPECT_EQ(to_string(back.workspace.symbolic_shared_bytes), "n*stride");
  EXPECT_EQ(to_string(back.workspace.symbolic_per_thread_bytes), "n*64");
  EXPECT_FALSE(back.kernels[1].body.defined());
}

TEST(Serialize, AShapeWithoutDimensionsIsAShape) {
  const Buffer a("A", kFloat32, {1}), b("B", kFloat32, {1});
  const Program program = program_of({{a, Role::kInput, -1, false, std::vector<std::int64_t>{}}, {b}},
                                     make_store(b, {0}, make_float(1, kFloat32)));
  const Program back = deserialize(serialize(program));
  ASSERT_TRUE(back.parameters[0].shape.has_value());
  EXPECT_TRUE(back.parameters[0].shape->empty());
  EXPECT_FALSE(back.parameters[1].shape.has_value());
}

TEST(Serialize, FuzzersStartFromProgramsOfThisVersion) {
  testing::expect_golden(serialize(everything()), "tests/fuzz/corpus/program/everything");
  testing::expect_golden(serialize(TiledMatmul().program()), "tests/fuzz/corpus/program/tiled_matmul");
}

TEST(Serialize, KeepsSharedNodesShared) {
  const Program back = deserialize(serialize(everything()));
  const Buffer &a = back.parameters[0].buffer, &c = back.parameters[1].buffer;
  EXPECT_TRUE(a->shape[0].same_as(c->shape[0]));
  const auto* size = a->shape[0].as<Binary>();
  ASSERT_NE(size, nullptr);
  EXPECT_TRUE(size->a.as<VarRef>()->var == back.symbols[0]);
}

TEST(Serialize, KeepsFloatsToTheBit) {
  const Buffer c("C", kFloat64, {4});
  for (const double value : {0.1, -0.0, 1e-310, std::numeric_limits<double>::infinity()}) {
    const Program back =
        deserialize(serialize(program_of({{c, Role::kOutput}}, make_store(c, {0}, make_float(value, kFloat64)))));
    const double read = back.kernels[0].body.as<Store>()->value.as<FloatImm>()->value;
    EXPECT_EQ(std::memcmp(&read, &value, sizeof value), 0) << value;
  }
}

TEST(Serialize, IsCompact) { EXPECT_LT(serialize(TiledMatmul().program()).size(), 900u); }

std::string refusal(const std::string& bytes) {
  return message<UsageError>([&] { deserialize(bytes); });
}

TEST(Serialize, RefusesWhatItDoesNotKnow) {
  std::string bytes = serialize(TiledMatmul().program());
  EXPECT_THAT(refusal(""), HasSubstr("does not start with \"NWIR\""));
  EXPECT_THAT(refusal("ELF, if anything"), HasSubstr("does not start with \"NWIR\""));
  EXPECT_THAT(refusal(bytes + "!"), HasSubstr("1 bytes follow its end"));
  EXPECT_THAT(refusal(bytes.substr(0, 40)), HasSubstr("malformed program: "));
  bytes[4] = format::kVersion + 1;
  EXPECT_THAT(refusal(bytes), HasSubstr("it has version 16, this reader knows version 15"));
}

TEST(Serialize, RefusesDanglingReferences) {
  // One record: the negation (tag 6) of an expression that was never defined.
  EXPECT_THAT(refusal(kHead + "\x01\x06\x01"), HasSubstr("a dangling reference to an expression"));
  EXPECT_THAT(refusal(kHead + std::string("\x01\x06\x00", 3)), HasSubstr("a reference to an expression is missing"));
  EXPECT_THAT(refusal(kHead + "\x7f"), HasSubstr("127 records are announced where 0 bytes are left"));
  Program program = TiledMatmul().program();
  program.host = make_launch(3);
  EXPECT_THAT(refusal(serialize(program)), HasSubstr("it launches kernel 3 of 1"));
}

TEST(Serialize, RefusesWhatWouldExhaustTheStack) {
  Expr deep = Var("x", kBool);
  for (int i = 0; i < 5000; ++i) deep = make_not(deep);
  const Buffer c("C", kBool, {1});
  EXPECT_THROW(serialize(program_of({{c, Role::kOutput}}, make_store(c, {0}, deep))), UsageError);

  // The same by hand: a literal (tag 2: bool, one bit, one lane, value 1), then 5000 negations of the latest.
  std::string bytes = kHead + "\x89\x27" + std::string("\x02\x04\x01\x01\x02", 5);
  for (int i = 0; i < 5000; ++i) bytes += "\x06\x01";
  EXPECT_THAT(refusal(bytes + std::string(64, '\0')), HasSubstr("nested too deep"));
}

TEST(Serialize, RefusesWhatUnfoldsWithoutEnd) {
  Expr wide = Var("x");
  for (int i = 0; i < 64; ++i) wide = make_binary(BinaryOp::kAdd, wide, wide);
  const Buffer c("C", kInt64, {1});
  EXPECT_THAT(refusal(serialize(program_of({{c, Role::kOutput}}, make_store(c, {0}, wide)))),
              HasSubstr("shares too much"));
}

TEST(Serialize, EveryTruncationIsRefused) {
  const std::string bytes = serialize(everything());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(deserialize(std::string_view(bytes).substr(0, size)), UsageError) << size;
}

TEST(Serialize, NoDamageCrashesTheReader) {
  std::mt19937_64 random(7);
  int refused = 0, accepted = 0;
  for (const std::string& bytes : {serialize(everything()), serialize(TiledMatmul().program())}) {
    for (int round = 0; round < 4000; ++round) {
      std::string damaged = bytes;
      const std::uint64_t flips = 1 + random() % 4;
      for (std::uint64_t f = 0; f < flips; ++f)
        damaged[5 + random() % (damaged.size() - 5)] = static_cast<char>(random());
      try {
        const Program program = deserialize(damaged);
        ++accepted;
        const std::string again = serialize(program);
        EXPECT_EQ(serialize(deserialize(again)), again);
      } catch (const UsageError&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(accepted, 100);  // damaged names and constants are accepted: the test gets past the first check
}

TEST(Serialize, IsQuick) {
  const Program program = TiledMatmul().program();
  auto fastest = std::chrono::steady_clock::duration::max();
  for (int round = 0; round < 100; ++round) {
    const auto start = std::chrono::steady_clock::now();
    deserialize(serialize(program));
    fastest = std::min(fastest, std::chrono::steady_clock::now() - start);
  }
  RecordProperty("ns", std::to_string(std::chrono::nanoseconds(fastest).count()));
  // About 50 us: the bound catches only gross regressions.
  EXPECT_LT(fastest, std::chrono::milliseconds(kIsSanitized ? 50 : 5));
}

}  // namespace
}  // namespace nestwright::ir
