#include "templates/matmul/matmul.h"

#include "expression/tensor.h"
#include "templates/matmul/matmul_shape.h"

namespace nestwright {
namespace {

Definition define_matmul(const Workload& workload) {
  const MatmulShape shape = matmul_shape(workload);
  const Expr m(shape.m), n(shape.n), k(shape.k);
  const Tensor a = placeholder(shape.ta ? std::vector{k, m} : std::vector{m, k}, shape.type, "A");
  const Tensor b = placeholder(shape.tb ? std::vector{n, k} : std::vector{k, n}, shape.type, "B");
  const IterVar r = reduce_axis(k, "k");
  const Tensor c = compute(
      {m, n}, [&](Expr i, Expr j) { return sum((shape.ta ? a(r, i) : a(i, r)) * (shape.tb ? b(j, r) : b(r, j)), r); },
      "C");
  const auto dm = static_cast<double>(shape.m), dn = static_cast<double>(shape.n), dk = static_cast<double>(shape.k);
  return {{a, b, c}, 2, 2 * shape.products(), shape.type.bytes() * (dm * dk + dk * dn + dm * dn)};
}

}  // namespace

Operator matmul_operator() {
  using Kind = OperatorParameter::Kind;
  return {"matmul",
          "matrix product C = op(A) op(B), op the identity or the transposition",
          {{"m", "the number of rows of C", Kind::kSize, ""},
           {"n", "the number of columns of C", Kind::kSize, ""},
           {"k", "the length of the reduction", Kind::kSize, ""},
           {"ta", "whether A is stored transposed, as [k, m]", Kind::kFlag, "0"},
           {"tb", "whether B is stored transposed, as [n, k]", Kind::kFlag, "0"},
           {"dtype", "the type of the elements", Kind::kType, "float32"}},
          define_matmul,
          matmul_reference};
}

}  // namespace nestwright
