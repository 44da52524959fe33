#include "templates/sketch/rewrites/packed_bytes.h"

#include <gtest/gtest.h>

#include "nestwright/tensor.h"

namespace nestwright {
namespace {

class PackedBytesTest : public ::testing::Test {
 protected:
  const Var k_{"k"};
  const Tensor q_ = placeholder({64}, kUInt8, "Q"), s_ = placeholder({64}, kInt8, "S");
  const Tensor a_ = placeholder({64}, kFloat32, "A"), b_ = placeholder({64}, kFloat32, "B"),
               c_ = placeholder({64}, kFloat32, "C");
};

TEST_F(PackedBytesTest, BytesAreConvertedOnceForAllTheirNumbers) {
  const Expr low = cast(kFloat32, q_(k_) & 15), high = cast(kFloat32, q_(k_) >> 4);
  EXPECT_EQ(to_string(widen_bytes(low * high)),
            "float32(bit_and(int32(Q[k]), 15))*float32(shift_right(int32(Q[k]), 4))");
  EXPECT_EQ(to_string(widen_bytes(low * cast(kFloat32, q_(k_ + 1)))), to_string(low * cast(kFloat32, q_(k_ + 1))))
      << "two bytes, of each one number";
  const Expr whole = cast(kFloat32, q_(k_));
  EXPECT_EQ(to_string(widen_bytes(whole * low)), "float32(int32(Q[k]))*float32(bit_and(int32(Q[k]), 15))");
}

TEST_F(PackedBytesTest, SignedBytesKeepTheirSign) {
  const Expr high = cast(kFloat32, s_(k_) >> 4), low = cast(kFloat32, s_(k_) & -16);
  EXPECT_EQ(to_string(widen_bytes(high + low)),
            "float32(shift_right(int32(S[k]), 4)) + float32(bit_and(int32(S[k]), -16))");
}

TEST_F(PackedBytesTest, OtherOperationsOnBytesStay) {
  for (const Expr& e : {q_(k_) + 1, q_(k_) << 4, (q_(k_) << 4) >> 4, q_(k_) >> q_(k_)}) {
    const Expr twice = cast(kFloat32, e) * cast(kFloat32, e);
    EXPECT_EQ(to_string(widen_bytes(twice)), to_string(twice));
  }
}

TEST_F(PackedBytesTest, FactorsThatAllTermsHaveAreTakenOut) {
  const Expr a = a_(k_), b = b_(k_), c = c_(k_);
  EXPECT_EQ(to_string(take_out_factors(a * c + b * c)), "(A[k] + B[k])*C[k]");
  EXPECT_EQ(to_string(take_out_factors(a * (b * c) + c * a * a)), "(B[k] + A[k])*(A[k]*C[k])");
  for (const Expr& e : {a * c + b * c + a, a + a, a * b, a * c - b * c}) {
    EXPECT_EQ(to_string(take_out_factors(e)), to_string(e));
  }
}

}  // namespace
}  // namespace nestwright
