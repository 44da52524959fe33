// Two stages over a matrix.
#pragma once

#include "matmul_fixture.h"

namespace nestwright {

inline const Tensor a = placeholder({32, 48}, kFloat32, "A");
inline const Tensor doubled = compute({32, 48}, [](Expr i, Expr j) { return a(i, j) * 2.0; }, "B");
inline const Tensor result = compute({32, 48}, [](Expr i, Expr j) { return doubled(i, j) + 1.0; }, "C");

}  // namespace nestwright
