#include "templates/matmul/matmul.h"

#include "expression/tensor.h"
#include "templates/matmul/matmul_form.h"

namespace nestwright {
namespace {

Definition define_matmul(const Workload& workload) {
  const MatmulShape shape = matmul_shape(workload);
  const MatmulTypes types = matmul_types(workload.type("dtype"));
  const Expr m(shape.m), n(shape.n), k(shape.k);
  const Tensor a = placeholder(shape.ta ? std::vector{k, m} : std::vector{m, k}, types.a, "A");
  const Tensor b = placeholder(shape.tb ? std::vector{n, k} : std::vector{k, n}, types.b, "B");
  const Tensor c = plain_form(shape, types, a, b).result;
  const auto dm = static_cast<double>(shape.m), dn = static_cast<double>(shape.n), dk = static_cast<double>(shape.k);
  const double bytes = types.a.bytes() * dm * dk + types.b.bytes() * dk * dn + types.c.bytes() * dm * dn;
  return {{a, b, c}, 2, 2 * shape.products(), bytes};
}

}  // namespace

MatmulForm plain_form(const MatmulShape& shape, const MatmulTypes& types, const Tensor& a, const Tensor& b) {
  const IterVar r = reduce_axis(shape.k, "k");
  const auto wide = [&](const Expr& e) { return cast(shape.type, e); };
  const auto product = [&](Expr i, Expr j) {
    return sum(wide(shape.ta ? a(r, i) : a(i, r)) * wide(shape.tb ? b(j, r) : b(r, j)), r);
  };
  MatmulForm form{.a = a, .b = b, .shape = shape};
  form.sums = form.result = compute({shape.m, shape.n}, product, "C");
  form.registers = types.a == shape.type ? 0 : 2;
  form.is_fused = shape.type.is_float();
  return form;
}

Operator matmul_operator() {
  using Kind = OperatorParameter::Kind;
  OperatorParameter dtype{"dtype",
                          "the type of A, B and C; but bfloat16 gives a C of float32, int8 one of int32, and uint8, "
                          "which is that of A beside a B of int8, int32, too",
                          Kind::kType, "float32"};
  dtype.choices = {"float32", "float64", "bfloat16", "float16", "int8", "uint8"};
  return {"matmul",
          "matrix product C = op(A) op(B), op the identity or the transposition",
          {{"m", "the number of rows of C", Kind::kSize, ""},
           {"n", "the number of columns of C", Kind::kSize, ""},
           {"k", "the length of the reduction", Kind::kSize, ""},
           {"ta", "whether A is stored transposed, as [k, m]", Kind::kFlag, "0"},
           {"tb", "whether B is stored transposed, as [n, k]", Kind::kFlag, "0"},
           dtype},
          define_matmul,
          matmul_reference};
}

}  // namespace nestwright
