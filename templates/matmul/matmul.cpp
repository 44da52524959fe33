#include "templates/matmul/matmul.h"

#include <algorithm>
#include <utility>

#include "ir/traversal/rewrite.h"
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
  if (tensor.rank() > 2) indices.insert(indices.begin(), c[0]);
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

/// Reads the elements of another tensor of the same rank in place of one's.
class LoadReplacer : public ir::Mutator {
 public:
  LoadReplacer(Buffer from, const Tensor& to) : from_(std::move(from)), to_(to) {}
  using ir::Mutator::mutate;
  Expr mutate(const Expr& e) override {
    const auto* const load = e.as<ir::Load>();
    return load != nullptr && load->buffer == from_ ? to_.at(load->indices) : mutate_children(e);
  }

 private:
  Buffer from_;
  const Tensor& to_;
};

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

MatmulSums make_matmul_sums(const Workload& workload, const MatmulFactor& a, const MatmulFactor& b,
                            const std::string& name) {
  const MatmulShape shape = matmul_shape(workload);
  const MatmulTypes types = matmul_types(workload.type("dtype"));
  const auto stored = [&](const MatmulFactor& factor, const MatrixLayout& layout, ir::Type type) {
    const std::int64_t batch = factor.has_batch ? shape.batch : 1;
    if (factor.storage) {
      const std::vector<std::int64_t>& own = factor.storage->shape;
      return in_shape(placeholder({own.begin(), own.end()}, type, factor.name), factor.passed);
    }
    return in_shape(placeholder(extents(batch, layout), type, factor.name, strides(batch, layout)), factor.passed);
  };
  const auto view = [&](const MatmulFactor& factor, const MatrixLayout& layout, const Tensor& tensor) {
    if (!factor.storage) return tensor;
    return compute(
        extents(factor.has_batch ? shape.batch : 1, layout),
        [&](Indices x) {
          const Expr batch = x.size() > 2 ? x[0] : Expr(0);
          return tensor.at(factor.storage->at(batch, x[x.size() - 2], x.back()));
        },
        factor.name + ".view");
  };
  MatmulSums made{.a = stored(a, shape.a, types.a), .b = stored(b, shape.b, types.b), .sums = {}};
  const Tensor left = view(a, shape.a, made.a), right = view(b, shape.b, made.b);
  const IterVar r = reduce_axis(Expr(shape.k), "k");
  const auto wide = [&](const Expr& e) { return shape.in_tf32 ? round_tf32(e) : cast(shape.type, e); };
  const bool is_c = shape.epilogue.is_none();
  made.sums = compute(
      extents(shape.batch, shape.c),
      [&](Indices c) {
        const Expr i = c[c.size() - 2], j = c.back();
        return sum(wide(shape.ta ? element(left, c, r, i) : element(left, c, i, r)) *
                       wide(shape.tb ? element(right, c, j, r) : element(right, c, r, j)),
                   r);
      },
      name, is_c ? strides(shape.batch, shape.c) : std::vector<Expr>{});
  return made;
}

Definition define_matmul(const Workload& workload, const MatmulPassedShapes& passed) {
  const MatmulShape shape = matmul_shape(workload);
  const MatmulTypes types = matmul_types(workload.type("dtype"));
  const bool is_none = shape.epilogue.is_none();
  const auto [a, b, sums] = make_matmul_sums(workload, {.name = "A", .passed = passed.a},
                                             {.name = "B", .passed = passed.b}, is_none ? "C" : "AB");
  std::vector<Tensor> args{a, b};
  const std::vector<Tensor> inputs = epilogue_inputs(shape);
  const Tensor c = is_none ? sums : matmul_result(shape, types.c, sums, inputs);
  args.insert(args.end(), inputs.begin(), inputs.end());
  args.push_back(in_shape(c, passed.c));
  double bytes = 0;
  for (const Tensor& tensor : args) {
    double elements = 1;
    for (const Expr& e : tensor.shape()) elements *= static_cast<double>(*ir::as_const_int(e));
    bytes += elements * tensor.dtype().bytes();
  }
  Definition definition{args, static_cast<int>(args.size()) - 1, 2 * shape.products(), bytes};
  if (shape.prepares_a || shape.prepares_b) definition.constant_inputs = {shape.prepares_a ? 0U : 1U};
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

Tensor sums_of(const Tensor& c) {
  if (c.op().compute()->reduction() != nullptr) return c;
  for (const Operation& input : c.op()->inputs) {
    if (!input.is_placeholder()) return Tensor(input);
  }
  return c;
}

Tensor operand_of(const Tensor& sums, const Tensor& given) {
  for (const Operation& input : sums.op()->inputs) {
    const bool reads_it = std::find(input->inputs.begin(), input->inputs.end(), given.op()) != input->inputs.end();
    if (reads_it) return Tensor(input);
  }
  return given;
}

Expr read_through(const Tensor& operand, const std::vector<Expr>& at) {
  const ComputeOp* const view = operand.op().compute();
  if (view == nullptr) return operand.at(at);
  ir::Substitution axes;
  for (std::size_t a = 0; a < at.size(); ++a) axes[view->axes[a].var()] = at[a];
  return ir::substitute(view->bodies.front(), axes);
}

Tensor result_from(const Tensor& c, const Tensor& sums) {
  const Tensor own = sums_of(c);
  const ComputeOp& computed = *c.op().compute();
  const Tensor result = compute(
      c.shape(),
      [&](Indices at) {
        if (own == c) return cast(c.dtype(), sums(at));
        ir::Substitution axes;
        for (std::size_t a = 0; a < at.size(); ++a) axes[computed.axes[a].var()] = at[a];
        return LoadReplacer(own.buffer(), sums).mutate(ir::substitute(computed.bodies.front(), axes));
      },
      c.name(), c.buffer()->strides);
  return passed_like(result, c);
}

Tensor take_result(MatmulForm& form, Definition& definition) {
  const bool is_sums = form.result == form.sums;
  definition.args.back() = form.result = passed_like(form.result, definition.args.back());
  if (is_sums) form.sums = form.result;
  return form.result;
}

MatmulForm plain_form(const Workload& workload, const Definition& definition) {
  MatmulForm form{.shape = matmul_shape(workload)};
  form.result = definition.args.back();
  form.sums = sums_of(form.result);
  form.a = operand_of(form.sums, definition.args[0]);
  form.b = operand_of(form.sums, definition.args[1]);
  form.views_a = !(form.a == definition.args[0]);
  form.views_b = !(form.b == definition.args[1]);
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
                        "layer; or a, if they are on the left",
                        Kind::kChoice,
                        "none",
                        {"none", "a", "b"}});
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
