#include "bench/comparison/contestants/eigen_memory_bound.h"

#include <Eigen/Core>

namespace nestwright::bench {
namespace {

using Matrix = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Column = Eigen::Array<float, Eigen::Dynamic, 1>;
using Row = Eigen::Array<float, 1, Eigen::Dynamic>;
using Call = std::function<void()>;

const float* input(const Operands& t, std::size_t i = 0) { return static_cast<const float*>(t.inputs[i]); }
float* output(const Operands& t) { return static_cast<float*>(t.outputs[0]); }

Call softmax(const Operands& t, Eigen::Index rows, Eigen::Index columns) {
  return [=] {
    const Eigen::Map<const Matrix> x(input(t), rows, columns);
    Eigen::Map<Matrix> y(output(t), rows, columns);
    for (Eigen::Index i = 0; i < rows; ++i) {
      y.row(i) = (x.row(i) - x.row(i).maxCoeff()).exp();
      y.row(i) *= 1 / y.row(i).sum();
    }
  };
}

Call layer_norm(const Operands& t, Eigen::Index rows, Eigen::Index columns, float epsilon) {
  return [=] {
    const Eigen::Map<const Matrix> x(input(t), rows, columns);
    const Eigen::Map<const Row> scale(input(t, 1), columns), shift(input(t, 2), columns);
    Eigen::Map<Matrix> y(output(t), rows, columns);
    for (Eigen::Index i = 0; i < rows; ++i) {
      const float mean = x.row(i).mean();
      const float inverse = 1 / std::sqrt((x.row(i) - mean).square().mean() + epsilon);
      y.row(i) = (x.row(i) - mean) * inverse * scale + shift;
    }
  };
}

/// Sums of a matrix; nullopt for other functions and more dimensions.
std::optional<Call> sum(const Operands& t, const Workload& w) {
  const std::vector<std::int64_t> shape = w.shape("shape");
  const std::vector<std::size_t> axes = w.axes("axes");
  if (w.choice("function") != "sum" || shape.size() != 2) return std::nullopt;
  const Eigen::Map<const Matrix> x(input(t), shape[0], shape[1]);
  if (axes.size() == 2) return [=] { *output(t) = x.sum(); };
  if (axes[0] == 1) return [=] { Eigen::Map<Column>(output(t), shape[0]) = x.rowwise().sum(); };
  return [=] { Eigen::Map<Row>(output(t), shape[1]) = x.colwise().sum(); };
}

std::optional<Call> elementwise(const Operands& t, const Workload& w) {
  const Eigen::Index n = w.elements("shape");
  const std::string& function = w.choice("function");
  const auto operand = [=](std::size_t i) { return Eigen::Map<const Column>(input(t, i), n); };
  if (function == "multiply") return [=] { Eigen::Map<Column>(output(t), n) = operand(0) * operand(1); };
  if (function == "add") return [=] { Eigen::Map<Column>(output(t), n) = operand(0) + operand(1); };
  if (function == "add_relu") {
    return [=] { Eigen::Map<Column>(output(t), n) = (operand(0) + operand(1)).max(0.0f); };
  }
  return std::nullopt;
}

std::optional<Call> call_of(const Operands& t, const Workload& w) {
  if (w.op->name == "softmax") return softmax(t, w.size("rows"), w.size("columns"));
  if (w.op->name == "layer_norm") {
    return layer_norm(t, w.size("rows"), w.size("columns"), static_cast<float>(w.number("epsilon")));
  }
  if (w.op->name == "transpose") {
    const Eigen::Index rows = w.size("rows"), columns = w.size("columns");
    return [=] {
      Eigen::Map<Matrix>(output(t), columns, rows) = Eigen::Map<const Matrix>(input(t), rows, columns).transpose();
    };
  }
  if (w.op->name == "reduce") return sum(t, w);
  if (w.op->name == "elementwise") return elementwise(t, w);
  return std::nullopt;
}

}  // namespace

std::optional<Calls> eigen_memory_bound_calls(const OperationRequest& request) {
  if (request.workload.op->name == "matmul" || request.workload.type("dtype") != kFloat32) return std::nullopt;
  Calls calls;
  for (const Operands& operands : request.copies) {
    auto call = call_of(operands, request.workload);
    if (!call) return std::nullopt;
    calls.push_back(std::move(*call));
  }
  return calls;
}

}  // namespace nestwright::bench
