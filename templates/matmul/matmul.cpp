#include "templates/matmul/matmul.h"

#include "nestwright/tensor.h"
#include "templates/matmul/form.h"
#include "templates/pointwise/functions.h"

namespace nestwright {
namespace {

using Indices = std::span<const Expr>;

/// The extents of an operand: a dimension for the batch only where there is one.
std::vector<Expr> extents(std::int64_t batch, const MatrixLayout& layout) {
  std::vector<Expr> shape{Expr(layout.rows), Expr(layout.columns)};
  if (batch > 1) shape.insert(shape.begin(), Expr(batch));
  return shape;
}

/// None where it is compact.
std::vector<Expr> strides(std::int64_t batch, const MatrixLayout& layout) {
  if (layout.leading == layout.columns && (batch == 1 || layout.is_compact())) return {};
  std::vector<Expr> strides{Expr(layout.leading), Expr(1)};
  if (batch > 1) strides.insert(strides.begin(), Expr(layout.step));
  return strides;
}

/// Element (row, column) of the matrix that belongs to the same product of the batch as the element `c` of C.
Expr element(const Tensor& tensor, Indices c, const Expr& row, const Expr& column) {
  std::vector<Expr> indices{row, column};
  if (c.size() > 2) indices.insert(indices.begin(), c[0]);
  return tensor.at(indices);
}

/// `tensor`, which calls pass in `shape` if there is one.
Tensor in_shape(const Tensor& tensor, const std::optional<std::vector<std::int64_t>>& shape) {
  return !shape || *shape == ir::constants_of(tensor.shape()) ? tensor : passed_as(tensor, *shape);
}

/// The tensors that the epilogue reads beside the product, in the order of the arguments.
std::vector<Tensor> epilogue_inputs(const MatmulShape& shape) {
  const std::vector<Expr> c_extents = extents(shape.batch, shape.c), c_strides = strides(shape.batch, shape.c);
  std::vector<Tensor> inputs;
  if (shape.epilogue.beta != 0) inputs.push_back(placeholder(c_extents, shape.type, "C_in", c_strides));
  if (shape.epilogue.bias) inputs.push_back(placeholder({Expr(shape.n)}, shape.type, "bias"));
  if (shape.epilogue.residual) inputs.push_back(placeholder(c_extents, shape.type, "residual", c_strides));
  return inputs;
}

/// The length of a row of A, B or C as stored.
std::string row_length(const Workload& w, char matrix) {
  const char* name = matrix == 'a' ? (w.flag("ta") ? "m" : "k") : matrix == 'b' ? (w.flag("tb") ? "k" : "n") : "n";
  return std::to_string(w.size(name));
}

/// From one matrix of a batch to the next, where they lie one after the other.
std::string matrix_length(const Workload& w, char matrix) {
  const char* rows = matrix == 'a' ? (w.flag("ta") ? "k" : "m") : matrix == 'b' ? (w.flag("tb") ? "n" : "k") : "m";
  return std::to_string(w.size(rows) * w.size(std::string("ld") + matrix));
}

void add_layout(std::vector<OperatorParameter>& parameters, char matrix) {
  using Kind = OperatorParameter::Kind;
  const std::string name(1, matrix), upper(1, static_cast<char>(matrix - 'a' + 'A'));
  parameters.push_back({"ld" + name,
                        "elements from one stored row of " + upper + " to the next",
                        Kind::kSize,
                        "the length of a row",
                        {},
                        [matrix](const Workload& w) { return row_length(w, matrix); }});
  parameters.push_back({"s" + name,
                        "elements from one matrix " + upper + " of a batch to the next",
                        Kind::kSize,
                        "what one takes",
                        {},
                        [matrix](const Workload& w) { return matrix_length(w, matrix); }});
}

}  // namespace

Definition define_matmul(const Workload& workload, const MatmulPassedShapes& passed) {
  const MatmulShape shape = matmul_shape(workload);
  const MatmulTypes types = matmul_types(workload.type("dtype"));
  const Tensor a =
      in_shape(placeholder(extents(shape.batch, shape.a), types.a, "A", strides(shape.batch, shape.a)), passed.a);
  const Tensor b =
      in_shape(placeholder(extents(shape.batch, shape.b), types.b, "B", strides(shape.batch, shape.b)), passed.b);
  const IterVar r = reduce_axis(Expr(shape.k), "k");
  const auto wide = [&](const Expr& e) { return shape.in_tf32 ? round_tf32(e) : cast(shape.type, e); };
  const auto product_at = [&](Indices c) {
    const Expr i = c[c.size() - 2], j = c.back();
    return sum(wide(shape.ta ? element(a, c, r, i) : element(a, c, i, r)) *
                   wide(shape.tb ? element(b, c, j, r) : element(b, c, r, j)),
               r);
  };
  std::vector<Tensor> args{a, b};
  const std::vector<Tensor> inputs = epilogue_inputs(shape);
  const std::vector<Expr> c_extents = extents(shape.batch, shape.c);
  const Tensor c = shape.epilogue.is_none()
                       ? compute(c_extents, product_at, "C", strides(shape.batch, shape.c))
                       : matmul_result(shape, types.c, compute(c_extents, product_at, "AB"), inputs);
  args.insert(args.end(), inputs.begin(), inputs.end());
  args.push_back(in_shape(c, passed.c));
  double bytes = 0;
  for (const Tensor& tensor : args) {
    double elements = 1;
    for (const Expr& e : tensor.shape()) elements *= static_cast<double>(*ir::as_const_int(e));
    bytes += elements * tensor.dtype().bytes();
  }
  Definition definition{args, static_cast<int>(args.size()) - 1, 2 * shape.products(), bytes};
  if (shape.prepares_b) definition.constant_inputs = {1};
  return definition;
}

Tensor matmul_result(const MatmulShape& shape, ir::Type type, const Tensor& sums, std::span<const Tensor> inputs) {
  const Epilogue& epilogue = shape.epilogue;
  return compute(
      extents(shape.batch, shape.c),
      [&](Indices c) {
        auto input = inputs.begin();
        const auto at_c = [&](const Tensor& tensor) { return tensor(c); };
        Expr x = at_c(sums);
        if (epilogue.alpha != 1) x = x * epilogue.alpha;
        if (epilogue.beta != 0) {
          const Expr before = at_c(*input++);
          x = x + (epilogue.beta == 1 ? before : before * epilogue.beta);
        }
        if (epilogue.bias) x = x + (*input++)(c.back());
        if (epilogue.residual) x = x + at_c(*input++);
        if (epilogue.activation == Epilogue::Activation::kRelu) x = max(x, 0.0);
        if (epilogue.activation == Epilogue::Activation::kGelu) x = find_pointwise("gelu").apply({&x, 1});
        return cast(type, x);
      },
      "C", strides(shape.batch, shape.c));
}

Tensor take_result(MatmulForm& form, Definition& definition) {
  const bool is_sums = form.result == form.sums;
  definition.args.back() = form.result = passed_like(form.result, definition.args.back());
  if (is_sums) form.sums = form.result;
  return form.result;
}

MatmulForm plain_form(const Workload& workload, const Definition& definition) {
  MatmulForm form{.a = definition.args[0], .b = definition.args[1], .shape = matmul_shape(workload)};
  form.sums = form.result = definition.args.back();
  for (const Operation& input : form.result.op()->inputs) {
    if (!input.is_placeholder()) form.sums = Tensor(input);
  }
  constexpr int kOfRounding = 4;  // what is added, masked and compared with
  form.registers = form.shape.in_tf32 ? kOfRounding : form.a.dtype() == form.shape.type ? 0 : 2;
  form.is_fused = form.shape.type.is_float();
  return form;
}

Operator matmul_operator() {
  using Kind = OperatorParameter::Kind;
  OperatorParameter dtype{"dtype",
                          "the type of A, B and C; but C is float32 for bfloat16 and int32 for int8 and uint8, and "
                          "B is int8 for uint8",
                          Kind::kType, "float32"};
  dtype.choices = {"float32", "float64", "bfloat16", "float16", "int8", "uint8"};
  std::vector<OperatorParameter> parameters{
      {"m", "the number of rows of C", Kind::kSize, ""},
      {"n", "the number of columns of C", Kind::kSize, ""},
      {"k", "the length of the reduction", Kind::kSize, ""},
      {"ta", "whether A is stored transposed, as [k, m]", Kind::kFlag, "0"},
      {"tb", "whether B is stored transposed, as [n, k]", Kind::kFlag, "0"},
      dtype,
      {"batch", "the number of products, each of matrices of its own", Kind::kSize, "1"}};
  for (const char matrix : {'a', 'b', 'c'}) add_layout(parameters, matrix);
  parameters.push_back({"alpha", "a factor of the product", Kind::kNumber, "1"});
  parameters.push_back({"beta", "a factor of C_in, which is added (0: there is none)", Kind::kNumber, "0"});
  parameters.push_back({"epilogue",
                        "what is added and applied before C is stored",
                        Kind::kChoice,
                        "none",
                        {"none", "relu", "gelu", "bias", "bias_relu", "bias_gelu", "residual", "residual_relu",
                         "bias_residual", "bias_residual_relu"}});
  parameters.push_back({"prepared",
                        "the operand that is constant across calls and packed once, before them: b, the weights of a "
                        "layer",
                        Kind::kChoice,
                        "none",
                        {"none", "b"}});
  parameters.push_back({"precision",
                        "of the products, float32: full, or of A and B rounded to tf32, which tensor cores multiply",
                        Kind::kChoice,
                        "full",
                        {"full", "tf32"}});
  return {"matmul",
          "matrix product C = op(A) op(B), op the identity or the transposition",
          parameters,
          [](const Workload& workload) { return define_matmul(workload); },
          matmul_reference,
          matmul_integer_inputs,
          matmul_wide_inputs,
          {},
          {.reference_at = matmul_reference_at,
           .integer_inputs = matmul_integer_sources,
           .is_integer_exact =
               [](const Workload& workload) {
                 return matmul_shape(workload).epilogue.activation != Epilogue::Activation::kGelu;
               },
           .wide_inputs = matmul_wide_sources,
           .lines = matmul_lines,
           .line_sums = matmul_line_sums,
           .modulus = [](const Workload& workload) { return matmul_shape(workload).type.is_int() ? 0x1p32 : 0; }}};
}

}  // namespace nestwright
