// dot_products: the instruction that a target has, and words that become one load.
#include <gmock/gmock.h>

#include "lower/passes.h"
#include "nestwright/expr_nodes.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"

namespace nestwright::testing {
namespace {

using namespace ir;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kAvx2 = "cpu,isa=avx2,threads=1";
constexpr const char* kAvx512 = "cpu,isa=avx512,threads=1,features=none";
constexpr const char* kVnni = "cpu,isa=avx512,threads=1,features=avx512_vnni+avx512_bf16";

Program program_of(const Expr& value) {
  const Buffer c("C", value.type().element(), {64});
  Program program{"words", {{c, Role::kOutput}}, {}, {}, {}, {}, make_launch(0), {}};
  const Expr at = value.lanes() > 1 ? make_ramp(Expr(0), Expr(1), value.lanes()) : Expr(0);
  program.kernels = {{"main", make_store(c, {at}, value)}};
  return program;
}

std::string selected(const Expr& value, const char* target) {
  const Target cpu = Target::parse(target);
  PassContext context{.target = cpu};
  return to_string(passes::dot_products(program_of(value), context).kernels[0].body);
}

Expr words(int lanes, Type type = kInt32) { return make_broadcast(make_const(3, type), lanes); }
Expr dot_of(Intrinsic how, int lanes) {
  return dot(how, words(lanes, how == Intrinsic::kDotBF16 ? kFloat32 : kInt32), words(lanes), words(lanes));
}

TEST(DotProducts, HaveTheInstructionOfTheTarget) {
  using enum Intrinsic;
  for (const int lanes : {4, 8, 16}) {
    EXPECT_THAT(selected(dot_of(kDotU8S8, lanes), kVnni), HasSubstr(" vpdpbusd("));
    EXPECT_THAT(selected(dot_of(kDotS16, lanes), kVnni), HasSubstr(" vpdpwssd("));
    EXPECT_THAT(selected(dot_of(kDotBF16, lanes), kVnni), HasSubstr(" vdpbf16ps("));
    EXPECT_THAT(selected(dot_of(kDotS8S8, lanes), kVnni), HasSubstr(" dot_s8s8("));
    EXPECT_THAT(selected(dot_of(kDotU8S8, lanes), kAvx512), HasSubstr(" dot_u8s8("));
    EXPECT_THAT(selected(dot_of(kDotS16, lanes), kAvx512), HasSubstr(" pmaddwd("));
  }
}

TEST(DotProducts, AreComputedPartByPartOnOtherVectors) {
  using enum Intrinsic;
  for (const int lanes : {1, 2, 3, 32}) {
    const Expr value = lanes == 1 ? dot(kDotU8S8, make_int(1, kInt32), make_int(2, kInt32), make_int(3, kInt32))
                                  : dot_of(kDotU8S8, lanes);
    EXPECT_THAT(selected(value, kVnni), HasSubstr("dot_u8s8(")) << lanes;
  }
  EXPECT_THAT(selected(dot_of(kDotS16, 8), kAvx2), HasSubstr(" pmaddwd("));
  EXPECT_THAT(selected(dot_of(kDotS16, 16), kAvx2), HasSubstr(" dot_s16("));
}

TEST(DotProducts, AdjacentPartsAreOneLoad) {
  const Buffer bytes("A", kInt8, {256}), halves("H", kInt16, {256});
  const Var i("i");
  const auto word = [&](const Buffer& of, std::int64_t step, std::int64_t lane_step, int lanes) {
    std::vector<Expr> parts;
    for (int part = 0; part < 4 / of->element.bytes(); ++part) {
      const Expr first = Expr(i) * 4 + Expr(part * step);
      parts.push_back(make_load(of, {lanes > 1 ? make_ramp(first, Expr(lane_step), lanes) : first}));
    }
    return join(parts);
  };
  EXPECT_THAT(selected(word(bytes, 1, 4, 8), kAvx512), HasSubstr(" load_bytes("));
  EXPECT_THAT(selected(word(halves, 1, 2, 8), kAvx512), HasSubstr(" load_halves("));
  EXPECT_THAT(selected(word(bytes, 1, 0, 1), kAvx512), HasSubstr(" load_bytes("));
  EXPECT_THAT(selected(word(bytes, 2, 8, 8), kAvx512), HasSubstr(" join_bytes("));
  EXPECT_THAT(selected(word(bytes, 1, 8, 8), kAvx512), Not(HasSubstr("load_bytes(")));
}

TEST(DotProducts, TheVerifierHoldsInstructionsToTheirWidthsAndForm) {
  const auto call = [](Intrinsic instruction, int lanes) {
    return make_call(instruction, {words(lanes), words(lanes), words(lanes)}, kInt32.with_lanes(lanes));
  };
  EXPECT_THAT(verify(program_of(call(Intrinsic::kVpdpbusd, 8)), Form::kVector), IsEmpty());
  EXPECT_THAT(verify(program_of(call(Intrinsic::kVpdpbusd, 3)), Form::kVector),
              Contains(HasSubstr("vpdpbusd has 3 lanes")));
  EXPECT_THAT(verify(program_of(call(Intrinsic::kPmaddwd, 8)), Form::kDeviceVector),
              Contains(HasSubstr("pmaddwd stands outside of the vector form of a CPU")));
  const Expr part = words(8);
  EXPECT_THAT(verify(program_of(make_call(Intrinsic::kLoadHalves, {part, part}, part.type())), Form::kVector),
              Contains(HasSubstr("the parts of load_halves are not adjacent")));
}

}  // namespace
}  // namespace nestwright::testing
