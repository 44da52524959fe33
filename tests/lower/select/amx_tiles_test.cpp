// amx_tiles on a handwritten kernel. tests/codegen/amx_tiles_test.cpp tests refusals, and LLVM's code.
#include <gmock/gmock.h>

#include <numeric>

#include "lower/passes.h"
#include "nestwright/error.h"
#include "nestwright/expr_nodes.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "tests/lower/select/fragment_programs.h"
#include "tests/support/message.h"

namespace nestwright::testing {
namespace {

using namespace ir;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Stmt loop(const Var& var, std::int64_t extent, Stmt body) {
  return make_for(var, 0, Expr(extent), LoopKind::kSerial, std::move(body));
}

/// C[16, columns] of A[16, 16] and B[16, columns], in words of four bytes, as a kernel of plain loops.
Program product(std::int64_t columns = 16) {
  const Buffer a("A", kInt32, {16, 16}), b("B", kInt32, {16, columns}), c("C", kInt32, {16, columns});
  const Buffer sums("T", kInt32, {16, columns}, Scope::kTile), of_a("TA", kInt32, {16, 16}, Scope::kTile),
      of_b("TB", kInt32, {16, columns}, Scope::kTile);
  const auto copy = [](const Buffer& to, const Buffer& from, std::int64_t width) {
    const Var i("i"), j("j");
    return loop(i, 16, loop(j, width, make_store(to, {i, j}, make_load(from, {i, j}))));
  };
  const Var i("i"), j("j"), k("k"), zi("i"), zj("j");
  const Expr sum = dot(Intrinsic::kDotU8S8, make_load(sums, {i, j}), make_load(of_a, {i, k}), make_load(of_b, {k, j}));
  Stmt body =
      block({loop(zi, 16, loop(zj, columns, make_store(sums, {zi, zj}, make_int(0, kInt32)))), copy(of_a, a, 16),
             copy(of_b, b, columns), loop(i, 16, loop(k, 16, loop(j, columns, make_store(sums, {i, j}, sum)))),
             copy(c, sums, columns)});
  for (const Buffer& buffer : {of_b, of_a, sums}) body = make_allocate(buffer, body);
  Program program{"tiles", {{a, Role::kInput}, {b, Role::kInput}, {c, Role::kOutput}}, {}, {}, {}, {}, make_launch(0),
                  {}};
  program.kernels = {{"main", body}};
  return program;
}

Program select(const Program& program, const char* target = "cpu,isa=avx512,threads=1,llvm_cpu=sapphirerapids") {
  const Target cpu = Target::parse(target);
  PassContext context{.target = cpu};
  return passes::amx_tiles(program, context);
}

std::vector<std::int32_t> run(const Program& program) {
  std::vector<std::vector<std::int32_t>> data;
  std::vector<Memory> memory;
  for (const Parameter& parameter : program.parameters) {
    data.emplace_back(static_cast<std::size_t>(parameter.buffer->elements()));
    std::iota(data.back().begin(), data.back().end(), 0x01fe0302);
  }
  for (auto& values : data) memory.push_back(std::as_writable_bytes(std::span(values)));
  interpret(program, memory, {}, {});
  return data.back();
}

TEST(AmxTiles, EachNestIsOneInstruction) {
  const std::string text = to_string(select(product()));
  for (const char* line : {"tile_configure 16, 64, 16, 64, 16, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0\n", "tile_zero 0:\n",
                           "tile_load 1, &A[0], 64:\n", "tile_load 2, &B[0], 64:\n", "tile_multiply 0, 1, 2:\n",
                           "tile_store 0, &C[0], 64:\n", "tile_release\n", "tile TA: int32[16, 16] at 1\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(AmxTiles, TheInterpreterExecutesThem) {
  for (const std::int64_t columns : {16, 7}) EXPECT_EQ(run(select(product(columns))), run(product(columns)));
}

TEST(AmxTiles, TheVerifierComparesOperandsWithWhatTheBodyAccesses) {
  const Program program = select(product());
  ASSERT_THAT(verify(program, Form::kVector), IsEmpty());
  EXPECT_THAT(verify(program, Form::kDeviceVector), Contains(HasSubstr("the target has no such instruction")));
  for (const TensorOp op : {TensorOp::kTileZero, TensorOp::kTileLoad, TensorOp::kTileStore, TensorOp::kTileMultiply}) {
    EXPECT_THAT(verify(with_wrong_operand(program, op, 0), Form::kVector),
                Contains(HasSubstr("operand 0 is not the tile that the body accesses")));
  }
  for (const TensorOp op : {TensorOp::kTileLoad, TensorOp::kTileStore}) {
    EXPECT_THAT(verify(with_wrong_operand(program, op, 1), Form::kVector),
                Contains(HasSubstr("operand 1 is not where the body accesses memory")));
    EXPECT_THAT(verify(with_wrong_operand(program, op, 2), Form::kVector),
                Contains(HasSubstr("operand 2 is not the distance of the rows that the body accesses")));
  }
  const Program of_other_type =
      with_changed(program, TensorOp::kTileMultiply, [](TensorInstruction& product) { product.type = kInt8; });
  EXPECT_THAT(verify(of_other_type, Form::kVector),
              Contains(HasSubstr("the type is not the one that the body multiplies")));
}

TEST(AmxTiles, TheVerifierComparesShapesWithTheConfiguration) {
  const Program program = select(product(7));
  ASSERT_THAT(verify(program, Form::kVector), IsEmpty());
  for (const std::size_t operand : {0, 1, 2, 3, 4, 5}) {
    EXPECT_THAT(verify(with_wrong_operand(program, TensorOp::kTileConfigure, operand), Form::kVector),
                Contains(HasSubstr("is a tile of another shape than the one that is configured")))
        << operand;
  }
  EXPECT_THAT(verify(with_changed(program, TensorOp::kTileConfigure, {}), Form::kVector),
              Contains(HasSubstr("operand 0 is a tile that is not configured")));
}

// Each thread configures its own tiles, and a release ends the configuration.
TEST(AmxTiles, TheVerifierFollowsTheConfigurationOfAThread) {
  const Program program = select(product());
  const Stmt& body = program.kernels[0].body;
  const auto verified = [&](Stmt changed) {
    Program other = program;
    other.kernels[0].body = std::move(changed);
    return verify(other, Form::kVector);
  };
  const std::vector<Stmt>& stmts = body.as<Block>()->stmts;  // configure, the product, release
  ASSERT_EQ(stmts.size(), 3u) << to_string(program);
  const auto in_loop = [](LoopKind kind, const Stmt& inner) { return make_for(Var("i"), 0, 2, kind, inner); };
  const auto not_configured = Contains(HasSubstr("a tile that is not configured"));
  EXPECT_THAT(verified(block({stmts[0], in_loop(LoopKind::kSerial, stmts[1]), stmts[2]})), Not(not_configured));
  EXPECT_THAT(verified(block({stmts[0], in_loop(LoopKind::kParallel, stmts[1]), stmts[2]})), not_configured);
  EXPECT_THAT(verified(block({stmts[0], stmts[2], stmts[1]})), not_configured);
  EXPECT_THAT(verified(in_loop(LoopKind::kSerial, block({stmts[1], stmts[0]}))), not_configured);
  EXPECT_THAT(verified(block({make_if(make_load(program.parameters[0].buffer, {0, 0}) > 0, stmts[0]), stmts[1]})),
              not_configured);
}

// A program that was read from a file may have any body.
TEST(AmxTiles, TheVerifierReportsABodyWithoutTiles) {
  const Buffer c("C", kInt32, {16});
  Program program{"tiles", {{c, Role::kOutput}}, {}, {}, {}, {}, make_launch(0), {}};
  for (const TensorOp op : {TensorOp::kTileZero, TensorOp::kTileLoad, TensorOp::kTileStore, TensorOp::kTileMultiply}) {
    const std::size_t operands = op == TensorOp::kTileZero ? 1 : 3;
    program.kernels = {{"main", make_tensor_instruction({.op = op,
                                                         .operands = std::vector<Operand>(operands, {{}, Expr(0)}),
                                                         .body = make_store(c, {0}, make_int(7, kInt32))})}};
    EXPECT_THAT(verify(program, Form::kVector), Contains(HasSubstr("tile"))) << tensor_op_name(op);
  }
}

TEST(AmxTiles, ATargetWithoutThemIsRefused) {
  EXPECT_EQ(message<LowerError>([] { select(product(), "cpu,isa=avx2,threads=1"); }),
            "the program keeps buffers in tile registers, which " + Target::parse("cpu,isa=avx2,threads=1").str() +
                " does not have");
}

}  // namespace
}  // namespace nestwright::testing
