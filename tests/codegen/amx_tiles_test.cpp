// Products on tile registers: the code for a CPU with AMX, which runs if this machine has it; and refusals.
#include <gmock/gmock.h>

#include <regex>
#include <set>

#include "nestwright/expr.h"
#include "nestwright/registry.h"
#include "target/description/cpu_features.h"
#include "target/description/tile_permission.h"
#include "template_cases.h"
#include "tests/support/message.h"

namespace nestwright::testing {
namespace {

using ::testing::HasSubstr;

Target amx_target(int threads = 1) {
  Target target = target_of(CpuIsa::kAvx512);
  target.llvm_cpu = "sapphirerapids";
  target.features = features_of_cpu(target.llvm_cpu);
  target.threads = threads;
  return target;
}

int count(const std::string& text, const std::string& word) {
  int found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

/// The tile instructions of the assembly, in its order.
std::vector<std::string> tile_instructions(const std::string& assembly) {
  static const std::regex line(R"(\s+(ldtilecfg|tilerelease|tilezero|tileload|tilestore|tdp\w+)\S*\s*(.*))");
  std::vector<std::string> found;
  std::istringstream lines(assembly);
  for (std::string text; std::getline(lines, text);) {
    std::smatch parts;
    if (std::regex_match(text, parts, line)) found.push_back(parts[1].str() + " " + parts[2].str());
  }
  return found;
}

CompiledObject compiled(const Candidate& c) {
  CompileOptions options;
  options.keep_assembly = true;
  return compile(lowered(c), c.target, options);
}

Candidate two_by_two(const std::string& workload, const Target& target) {
  const Template& amx = *builtin_registry().find_template("matmul.amx");
  const Workload parsed = parse_workload(workload);
  Candidate c{&amx, parsed, target, amx.seeds(parsed, target).front()};
  c.config.set("tiles_m", {2});
  c.config.set("tiles_n", {2});
  return c;
}

TEST(Tiles, AProductIsLoadsAndProductsOfNumberedTiles) {
  const CompiledObject object = compiled(two_by_two("matmul m=64 n=64 k=128 dtype=bfloat16", amx_target()));
  const std::vector<std::string> code = tile_instructions(object.assembly);
  std::vector<std::string> names;
  for (const std::string& line : code) names.push_back(line.substr(0, line.find(' ')));
  EXPECT_THAT(
      names, ::testing::ElementsAre("ldtilecfg", "tilezero", "tilezero", "tilezero", "tilezero", "tileload", "tileload",
                                    "tileload", "tileload", "tdpbf16ps", "tdpbf16ps", "tdpbf16ps", "tdpbf16ps",
                                    "tilestore", "tilestore", "tilestore", "tilestore", "tilerelease"));
  EXPECT_EQ(std::vector(code.begin() + 9, code.begin() + 13),
            (std::vector<std::string>{"tdpbf16ps %tmm6, %tmm4, %tmm0", "tdpbf16ps %tmm7, %tmm4, %tmm1",
                                      "tdpbf16ps %tmm6, %tmm5, %tmm2", "tdpbf16ps %tmm7, %tmm5, %tmm3"}));
  EXPECT_EQ(object.extensions, (std::vector<std::string>{"amx_tile", "amx_bf16"}));
}

TEST(Tiles, BytesHaveProductsOfTheirOwn) {
  EXPECT_THAT(compiled(two_by_two("matmul m=32 n=32 k=128 dtype=int8", amx_target())).assembly, HasSubstr("tdpbssd"));
  const CompiledObject object = compiled(two_by_two("matmul m=32 n=32 k=128 dtype=uint8", amx_target()));
  EXPECT_THAT(object.assembly, HasSubstr("tdpbusd"));
  EXPECT_EQ(object.extensions, (std::vector<std::string>{"amx_tile", "amx_int8"}));
}

TEST(Tiles, EachThreadHasItsShapes) {
  Candidate c = two_by_two("matmul m=64 n=256 k=128 dtype=bfloat16", amx_target(2));
  c.config.set("parallel", {}, "n");
  c.config.set("block_n", {2});
  const std::string assembly = compiled(c).assembly;
  EXPECT_EQ(count(assembly, "ldtilecfg"), 1) << "in the task's function alone";
  EXPECT_EQ(count(assembly, "tilerelease"), 1);
}

TEST(Tiles, TheRestOfAMatrixIsSmallerTiles) {
  const std::string assembly = compiled(two_by_two("matmul m=72 n=40 k=128 dtype=bfloat16", amx_target())).assembly;
  EXPECT_GT(count(assembly, "ldtilecfg"), 1) << "a block of other shapes sets its own";
  EXPECT_EQ(count(assembly, "tilerelease"), 1);
}

TEST(Tiles, ProductsHaveThreeOfTheEight) {
  std::mt19937_64 random(3);
  const Template& amx = *builtin_registry().find_template("matmul.amx");
  for (const char* shape : {"m=96 n=80 k=256", "m=50 n=70 k=100", "m=1 n=33 k=500", "m=200 n=16 k=64 tb=1"}) {
    for (const char* type : {"bfloat16", "int8", "uint8"}) {
      const Workload workload = parse_workload(std::string("matmul ") + shape + " dtype=" + type);
      for (const Candidate& c : candidates(amx, workload, amx_target(2), 2, 3 * soak(), random)) {
        int products = 0;
        for (const std::string& line : tile_instructions(compiled(c).assembly)) {
          if (line.find("tdp") == std::string::npos) continue;
          ++products;
          EXPECT_THAT(line, ::testing::ContainsRegex("tdp[a-z0-9]+[ \t]+%tmm[0-7], %tmm[0-7], %tmm[0-7]")) << c.str();
        }
        EXPECT_GT(products, 0) << c.str();
      }
    }
  }
}

TEST(Tiles, MoreThanEightAreRefused) {
  Candidate c = two_by_two("matmul m=128 n=128 k=128 dtype=bfloat16", amx_target());
  c.config.set("tiles_m", {3});
  c.config.set("tiles_n", {3});
  EXPECT_EQ(message<LowerError>([&] { compiled(c); }),
            "buffer C.tile is kept in tile registers, but needs 9 of them where 8 of 8 are free: use fewer or smaller "
            "tiles");
}

TEST(Tiles, ATargetWithoutThemIsRefused) {
  const Candidate c = two_by_two("matmul m=32 n=32 k=64 dtype=bfloat16", amx_target());
  Target target = c.target;
  target.features = {};
  target.l1d_bytes = 32 << 10;
  const std::string text = message<LowerError>([&] { compile(lowered(c), target); });
  EXPECT_EQ(text, "the program keeps buffers in tile registers, which " + target.str() + " does not have");
}

TEST(Tiles, WhatIsNoTileInstructionIsRefused) {
  const Target target = amx_target();
  const Tensor a = placeholder({16, 16}, kFloat32, "A");
  const Tensor twice = compute({16, 16}, [&](Expr i, Expr j) { return a(i, j) * 2; }, "T");
  const Tensor c = compute({16, 16}, [&](Expr i, Expr j) { return twice(i, j); }, "C");
  Schedule s = create_schedule(c);
  const auto [outer, inner] = s[c].split(s[c].axis(0), factor(16));
  s[twice].set_scope(ir::Scope::kTile).compute_at(s[c], outer);
  EXPECT_EQ(message<LowerError>([&] { compile(lower(s, {a, c}, target, "f"), target); }),
            "buffer T is kept in tile registers, but is filled with A[i, j]*2.0, which no instruction computes");
}

TEST(Tiles, ComputeTheReferenceWhereThisCpuHasThem) {
  if (!request_tile_permission()) GTEST_SKIP() << "this CPU has no AMX, or the operating system refuses it";
  Target target = Target::host();
  std::mt19937_64 random = random_for("tiles run");
  const Template& amx = *builtin_registry().find_template("matmul.amx");
  const std::shared_ptr<ParallelPool> pool = make_pool(PoolKind::kSpin, target.threads);
  for (const char* shape : {"m=96 n=80 k=256", "m=50 n=70 k=100", "m=1 n=33 k=500", "m=200 n=16 k=64 tb=1"}) {
    for (const char* type : {"bfloat16", "int8", "uint8"}) {
      const Workload workload = parse_workload(std::string("matmul ") + shape + " dtype=" + type);
      if (!amx.why_not(workload, target).empty()) continue;
      const Definition definition = builtin_registry().find_operator("matmul")->define(workload);
      const HostTensors inputs = random_inputs(definition, random);
      const Reference reference = builtin_registry().find_operator("matmul")->reference(workload, inputs);
      for (const Candidate& c : candidates(amx, workload, target, 2, 5, random)) {
        std::vector<Array> arrays = arrays_for(definition, inputs);
        ASSERT_EQ(run_compiled(link(compile(lowered(c), target), pool), arrays), 0) << c.str();
        EXPECT_EQ(wrong_output(definition, arrays, reference), "") << c.str();
      }
    }
  }
}

TEST(Tiles, CodeForThemIsNotLoadedWithoutPermission) {
  if (request_tile_permission()) GTEST_SKIP() << "this process may use tiles";
  const CompiledObject object = compiled(two_by_two("matmul m=32 n=32 k=64 dtype=bfloat16", amx_target()));
  EXPECT_EQ(
      message<CompileError>([&] { load_object(object); }),
      "kernel kernel uses tile registers, which this machine does not have or the operating system refuses: use a "
      "target without amx_bf16 and amx_int8");
}

}  // namespace
}  // namespace nestwright::testing
