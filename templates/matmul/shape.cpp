#include "templates/matmul/shape.h"

#include "nestwright/error.h"

namespace nestwright {
namespace {

Epilogue epilogue_of(const Workload& workload) {
  const std::string& after = workload.choice("epilogue");
  const auto has = [&](const char* part) { return after.find(part) != std::string::npos; };
  Epilogue epilogue{workload.number("alpha"), workload.number("beta"), has("bias"), has("residual")};
  if (has("relu")) epilogue.activation = Epilogue::Activation::kRelu;
  if (has("gelu")) epilogue.activation = Epilogue::Activation::kGelu;
  return epilogue;
}

MatrixLayout layout_of(const Workload& workload, const std::string& matrix, std::int64_t rows, std::int64_t columns) {
  const MatrixLayout layout{rows, columns, workload.size("ld" + matrix), workload.size("s" + matrix)};
  if (layout.leading < columns) {
    throw UsageError("ld" + matrix + "=" + std::to_string(layout.leading) + " of matmul is less than the " +
                     std::to_string(columns) + " elements of a row of " + static_cast<char>(matrix[0] - 'a' + 'A') +
                     " as stored; give at least as many");
  }
  return layout;
}

/// Whether no element of the batch lies where another one does: matrices one after the other, or rows of all of them
/// interleaved.
bool keeps_elements_apart(const MatrixLayout& c, std::int64_t batch) {
  const bool one_after_the_other = c.step >= (c.rows - 1) * c.leading + c.columns;
  // A step that is not the default is below 2^31, so that the product does not overflow.
  return batch == 1 || one_after_the_other || (c.step >= c.columns && c.leading >= (batch - 1) * c.step + c.columns);
}

}  // namespace

bool has_matmul_forms(ir::Type dtype) { return dtype == kFloat32 || dtype == kFloat64; }

MatmulTypes matmul_types(ir::Type dtype) {
  if (dtype == kBFloat16) return {kBFloat16, kBFloat16, kFloat32, kFloat32};
  if (dtype == kInt8) return {kInt8, kInt8, kInt32, kInt32};
  if (dtype == kUInt8) return {kUInt8, kInt8, kInt32, kInt32};
  return {dtype, dtype, dtype, dtype};
}

MatmulShape matmul_shape(const Workload& workload) {
  const ir::Type dtype = workload.type("dtype");
  MatmulShape shape{workload.size("batch"), workload.size("m"),  workload.size("n"),     workload.size("k"),
                    workload.flag("ta"),    workload.flag("tb"), matmul_types(dtype).sum};
  shape.a = layout_of(workload, "a", shape.ta ? shape.k : shape.m, shape.ta ? shape.m : shape.k);
  shape.b = layout_of(workload, "b", shape.tb ? shape.n : shape.k, shape.tb ? shape.k : shape.n);
  shape.c = layout_of(workload, "c", shape.m, shape.n);
  if (!keeps_elements_apart(shape.c, shape.batch)) {
    throw UsageError("sc=" + std::to_string(shape.c.step) +
                     " of matmul makes matrices of C overlap; give at least what one matrix takes, or interleave whole "
                     "rows by a larger ldc");
  }
  shape.epilogue = epilogue_of(workload);
  shape.in_tf32 = workload.choice("precision") == "tf32";
  if (shape.in_tf32 && dtype != kFloat32) {
    throw UsageError("precision=tf32 of matmul is of float32, not of " + dtype.str() + "; leave it out");
  }
  shape.prepares_a = workload.choice("prepared") == "a";
  shape.prepares_b = workload.choice("prepared") == "b";
  const bool is_plain = shape.batch == 1 && shape.a.is_compact() && shape.b.is_compact() && shape.c.is_compact() &&
                        shape.epilogue.is_none();
  if (!is_plain && !has_matmul_forms(dtype)) {
    throw UsageError("a matmul of " + dtype.str() +
                     " has no batch, strides, factors or epilogue; give it the sizes and transpositions only");
  }
  return shape;
}

}  // namespace nestwright
