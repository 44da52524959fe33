#include "codegen/source/names.h"

#include <gtest/gtest.h>

namespace nestwright::codegen {
namespace {

TEST(Names, AreLegalAndReadAlike) {
  EXPECT_EQ(identifier("A"), "A");
  EXPECT_EQ(identifier("i.outer.j"), "i_outer_j");
  EXPECT_EQ(identifier("2nd"), "v_2nd");
  EXPECT_EQ(identifier(""), "v");
  EXPECT_EQ(identifier("B\xc3\xa4"), "B__");
  for (const char* taken :
       {"co_await", "float", "half", "threadIdx", "exp", "expf", "kernel", "barrier", "main", "not_eq", "NAN"}) {
    EXPECT_EQ(identifier(taken), std::string(taken) + "_");
  }
  for (const char* built_in : {"float4", "uchar16", "longlong2", "dim3", "nw_floor_div_int32", "_start",
                               "__syncthreads", "make_int2", "as_float", "vload4", "M_PI"}) {
    EXPECT_EQ(identifier(built_in), "v_" + std::string(built_in));
  }
  for (const char* free : {"float4x", "floats", "i1", "A2", "maker", "expo"}) EXPECT_EQ(identifier(free), free);
  for (const char* name : {"float", "2nd", "_x", "i.j", "float4"}) {
    EXPECT_EQ(identifier(identifier(name)), identifier(name));
  }
}

TEST(Names, AreUnique) {
  Names names;
  const int a = 0, b = 0, c = 0;
  EXPECT_EQ(names.of(&a, "i.j"), "i_j");
  EXPECT_EQ(names.of(&b, "i_j"), "i_j_1");
  EXPECT_EQ(names.fresh("i_j_1"), "i_j_1_1");
  EXPECT_EQ(names.of(&c, "i.j"), "i_j_2");
  EXPECT_EQ(names.of(&a, "other"), "i_j");
}

}  // namespace
}  // namespace nestwright::codegen
