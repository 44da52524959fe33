#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "templates/checking/element_rows.h"
#include "templates/checking/exact_product.h"
#include "templates/matmul/matmul.h"
#include "templates/matmul/result_reference.h"

namespace nestwright {
namespace {

constexpr std::int64_t kSegment = 1024;  ///< elements of a line
constexpr std::int64_t kShort = 64,
                       kTooShort = 16;        ///< rows that are no lines where the columns are longer; and at all
constexpr std::int64_t kSteps = 4096;         ///< of a block in double
constexpr std::int64_t kBlock = 1 << 18;      ///< elements of a block, and of its result, which one thread multiplies
constexpr std::int64_t kStepsTogether = 256;  ///< that one thread reads

/// Whether lines run along the rows of C; else along its columns.
bool runs_along_rows(const MatmulShape& shape) { return shape.n >= kShort || shape.n >= shape.m; }

/// A factor of the product, as a matrix whose vectors, of k elements each, belong to rows of C (op(A)) or to its
/// columns (op(B)).
struct Factor {
  const MatmulShape& shape;
  const TensorValues& values;
  const MatrixLayout& layout;
  std::int64_t number = 0;            ///< of the batch
  bool has_contiguous_steps = false;  ///< a vector's elements are neighbours in memory; else those of vectors are

  std::size_t place(std::int64_t vector, std::int64_t step) const {
    const std::int64_t row = has_contiguous_steps ? vector : step, column = has_contiguous_steps ? step : vector;
    return static_cast<std::size_t>(number * layout.step + row * layout.leading + column);
  }
};

/// For each line of a group of vectors the sums over them, each times its weight, for some steps of k: [lines, steps].
struct WeightedSteps {
  std::vector<double> sums, squares;
};

/// Adds the values, each times the weight, and their squares.
void add_weighted(const std::vector<double>& values, double weight, double* sums, double* squares) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double term = weight * values[i];
    sums[i] += term;
    squares[i] += term * term;
  }
}

struct WeightedSum {
  double sum = 0, squares = 0;
};
WeightedSum weighted_sum(const double* values, const double* weights, std::size_t length) {
  WeightedSum total;
  for (std::size_t i = 0; i < length; ++i) {
    const double term = weights[i] * values[i];
    total.sum += term;
    total.squares += term * term;
  }
  return total;
}

/// Line l = s * weights.size() + v adds the vectors of segment s with the weights v.
WeightedSteps weigh(const Factor& factor, std::int64_t vectors, std::int64_t segment, const LineWeights& weights,
                    std::int64_t first_step, std::int64_t steps) {
  const auto w = static_cast<std::int64_t>(weights.size());
  const std::int64_t lines = (vectors + segment - 1) / segment * w;
  WeightedSteps weighted{std::vector<double>(static_cast<std::size_t>(lines * steps)),
                         std::vector<double>(static_cast<std::size_t>(lines * steps))};
  tbb::parallel_for(std::int64_t{0}, (steps + kStepsTogether - 1) / kStepsTogether, [&](std::int64_t part) {
    const std::int64_t begin = part * kStepsTogether, end = std::min(begin + kStepsTogether, steps);
    std::vector<double> some(static_cast<std::size_t>(factor.has_contiguous_steps ? end - begin : vectors));
    const auto line_at = [&](std::int64_t s, std::int64_t v, std::int64_t step) {
      return static_cast<std::size_t>((s * w + v) * steps + step);
    };
    if (factor.has_contiguous_steps) {
      for (std::int64_t vector = 0; vector < vectors; ++vector) {
        read_operand(factor.shape, factor.values, factor.place(vector, first_step + begin), 1, some);
        for (std::int64_t v = 0; v < w; ++v) {
          const double weight = weights[static_cast<std::size_t>(v)][static_cast<std::size_t>(vector % segment)];
          double* const sums = &weighted.sums[line_at(vector / segment, v, begin)];
          double* const squares = &weighted.squares[line_at(vector / segment, v, begin)];
          add_weighted(some, weight, sums, squares);
        }
      }
      return;
    }
    for (std::int64_t step = begin; step < end; ++step) {
      read_operand(factor.shape, factor.values, factor.place(0, first_step + step), 1, some);
      for (std::int64_t first = 0; first < vectors; first += segment) {
        const double* const values = &some[static_cast<std::size_t>(first)];
        const auto length = static_cast<std::size_t>(std::min(segment, vectors - first));
        for (std::int64_t v = 0; v < w; ++v) {
          const WeightedSum found = weighted_sum(values, weights[static_cast<std::size_t>(v)].data(), length);
          weighted.sums[line_at(first / segment, v, step)] = found.sum;
          weighted.squares[line_at(first / segment, v, step)] = found.squares;
        }
      }
    }
  });
  return weighted;
}

/// Some vectors, some of their steps: [steps, vectors].
std::vector<double> read_block(const Factor& factor, std::int64_t first, std::int64_t vectors, std::int64_t first_step,
                               std::int64_t steps) {
  std::vector<double> block(static_cast<std::size_t>(steps * vectors));
  if (!factor.has_contiguous_steps) {
    for (std::int64_t step = 0; step < steps; ++step) {
      read_operand(
          factor.shape, factor.values, factor.place(first, first_step + step), 1,
          std::span(block).subspan(static_cast<std::size_t>(step * vectors), static_cast<std::size_t>(vectors)));
    }
    return block;
  }
  std::vector<double> some(static_cast<std::size_t>(steps));
  for (std::int64_t vector = 0; vector < vectors; ++vector) {
    read_operand(factor.shape, factor.values, factor.place(first + vector, first_step), 1, some);
    for (std::int64_t step = 0; step < steps; ++step) {
      block[static_cast<std::size_t>(step * vectors + vector)] = some[static_cast<std::size_t>(step)];
    }
  }
  return block;
}

/// Of the sums of products over each line: the value, and the sum of the squares of all terms, each times its weight.
/// [segments * weights, vectors of the other factor].
ExactProduct product_sums(const Factor& kept, std::int64_t vectors, const Factor& summed, std::int64_t summed_vectors,
                          std::int64_t segment, const LineWeights& weights) {
  const std::int64_t lines = (summed_vectors + segment - 1) / segment * static_cast<std::int64_t>(weights.size());
  ExactProduct total{std::vector<double>(static_cast<std::size_t>(lines * vectors)),
                     std::vector<double>(static_cast<std::size_t>(lines * vectors))};
  for (std::int64_t step = 0; step < kept.shape.k; step += kSteps) {
    const std::int64_t steps = std::min(kSteps, kept.shape.k - step);
    const WeightedSteps weighted = weigh(summed, summed_vectors, segment, weights, step, steps);
    const std::int64_t rows = std::max<std::int64_t>(kBlock / std::max(steps, lines), 1);
    tbb::parallel_for(std::int64_t{0}, (vectors + rows - 1) / rows, [&](std::int64_t part) {
      const std::int64_t first = part * rows, count = std::min(rows, vectors - first);
      std::vector<double> block = read_block(kept, first, count, step, steps);
      const auto add = [&](const std::vector<double>& factors, std::vector<double>& to) {
        const std::vector<double> sums = exact_product(factors, block, static_cast<std::size_t>(lines),
                                                       static_cast<std::size_t>(count), static_cast<std::size_t>(steps))
                                             .sum;
        for (std::int64_t line = 0; line < lines; ++line) {
          const auto from = sums.begin() + line * count;
          const auto at = to.begin() + line * vectors + first;
          std::transform(from, from + count, at, at, std::plus<>());
        }
      };
      // Isolated, so that a thread that waits for a product does not begin another block.
      tbb::this_task_arena::isolate([&] {
        add(weighted.sums, total.sum);
        for (double& value : block) value *= value;
        add(weighted.squares, total.sum_squares);
      });
    });
  }
  return total;
}

/// For each vector of weights the sums of the squares of the first 0, 1, 2, ... of them.
LineWeights sums_of_squares(const LineWeights& weights) {
  LineWeights sums;
  for (const std::vector<double>& vector : weights) {
    std::vector<double>& of_vector = sums.emplace_back(1, 0.0);
    for (const double weight : vector) of_vector.push_back(of_vector.back() + weight * weight);
  }
  return sums;
}

/// What is added to the sums of a line's products: the value, the root of the sum of the squares of all terms, and the
/// sum of their magnitudes.
struct AddedTerms {
  double sum = 0, root = 0, magnitude = 0;
};

/// Reads what an epilogue adds to the elements of lines.
class EpilogueTerms {
 public:
  EpilogueTerms(const MatmulShape& shape, const MatmulInputs& inputs, const ir::ElementLines& lines,
                const LineWeights& weights)
      : shape_(shape), inputs_(inputs), lines_(lines), weights_(weights) {}

  /// For each vector of weights and each line of a group: [weights, inner].
  std::vector<AddedTerms> of(std::int64_t group) const {
    std::vector<AddedTerms> terms(weights_.size() * static_cast<std::size_t>(lines_.inner));
    if (inputs_.before != nullptr) add(group, *inputs_.before, shape_.epilogue.beta, terms);
    if (inputs_.residual != nullptr) add(group, *inputs_.residual, 1, terms);
    if (inputs_.bias != nullptr) add_bias(group, terms);
    return terms;
  }

 private:
  void add(std::int64_t group, const TensorValues& tensor, double factor, std::vector<AddedTerms>& terms) const {
    const std::int64_t length = lines_.length_of(group), first = lines_.first_of(group);
    // [elements of a line, lines]
    std::vector<double> values(static_cast<std::size_t>(length * lines_.inner));
    if (lines_.inner == 1) {
      tensor.read(static_cast<std::size_t>(first), static_cast<std::size_t>(lines_.step), values);
    } else {
      for (std::int64_t e = 0; e < length; ++e) {
        tensor.read(static_cast<std::size_t>(first + e * lines_.step), 1,
                    std::span(values).subspan(static_cast<std::size_t>(e * lines_.inner),
                                              static_cast<std::size_t>(lines_.inner)));
      }
    }
    add_values(values, factor, terms);
  }

  void add_bias(std::int64_t group, std::vector<AddedTerms>& terms) const {
    const auto length = static_cast<std::size_t>(lines_.length_of(group)),
               inner = static_cast<std::size_t>(lines_.inner);
    std::vector<double> values(length * inner);
    if (runs_along_rows(shape_)) {
      inputs_.bias->read(static_cast<std::size_t>(group % lines_.segments() * lines_.segment), 1, values);
    } else {
      for (std::size_t e = 0; e < length; ++e) inputs_.bias->read(0, 1, std::span(values).subspan(e * inner, inner));
    }
    add_values(values, 1, terms);
  }

  void add_values(const std::vector<double>& values, double factor, std::vector<AddedTerms>& terms) const {
    const auto inner = static_cast<std::size_t>(lines_.inner);
    for (std::size_t v = 0; v < weights_.size(); ++v) {
      for (std::size_t i = 0; i < inner; ++i) {
        double sum = 0, squares = 0, magnitude = 0;
        for (std::size_t e = 0; e * inner < values.size(); ++e) {
          const double term = weights_[v][e] * factor * values[e * inner + i];
          sum += term;
          squares += term * term;
          magnitude += std::abs(term);
        }
        AddedTerms& total = terms[v * inner + i];
        total.sum += sum;
        total.root += std::sqrt(squares);
        total.magnitude += magnitude;
      }
    }
  }

  const MatmulShape& shape_;
  const MatmulInputs& inputs_;
  const ir::ElementLines& lines_;
  const LineWeights& weights_;
};

}  // namespace

std::optional<ir::ElementLines> matmul_lines(const Workload& workload) {
  const MatmulShape shape = matmul_shape(workload);
  if (std::max(shape.m, shape.n) < kTooShort) return std::nullopt;
  // Sums of products of bytes are exact in double.
  constexpr std::int64_t kExactTerms = std::int64_t{1} << 30;
  const std::int64_t segment =
      shape.type.is_int() ? std::clamp<std::int64_t>(kExactTerms / shape.k, 1, kSegment) : kSegment;
  ir::ElementLines lines{.batch = shape.batch, .batch_step = shape.c.step, .segment = segment};
  if (runs_along_rows(shape)) {
    lines.outer = shape.m;
    lines.outer_step = shape.c.leading;
    lines.length = shape.n;
  } else {
    lines.length = shape.m;
    lines.step = shape.c.leading;
    lines.inner = shape.n;
  }
  return lines;
}

LineReference matmul_line_sums(const Workload& workload, const InputValues& tensors, const LineWeights& weights,
                               bool is_linear) {
  const MatmulShape shape = matmul_shape(workload);
  const bool is_activated = shape.epilogue.activation != Epilogue::Activation::kNone;
  if (is_activated && !is_linear) return {};
  const MatmulInputs inputs = sort_inputs(workload, shape, tensors);
  const ir::ElementLines lines = *matmul_lines(workload);
  const MatmulResult result(workload, shape);
  const EpilogueTerms epilogue(shape, inputs, lines, weights);
  const bool along_rows = runs_along_rows(shape);
  const double alpha = shape.epilogue.alpha, k = static_cast<double>(shape.k);
  // An activation rounds once more, and a gelu is steeper than 1.
  const double steps = shape.epilogue.is_none() ? 0 : (is_activated ? 2 : 1) * kEpilogueSteps * result.epsilon();
  const double slope = is_activated ? 1.13 : 1;
  LineReference reference{std::vector(weights.size(), std::vector<double>(static_cast<std::size_t>(lines.lines()))),
                          {}};
  reference.bounds = reference.sums;
  const LineWeights squares = sums_of_squares(weights);
  for (std::int64_t number = 0; number < shape.batch; ++number) {
    const Factor a{shape, *inputs.a, shape.a, number, !shape.ta}, b{shape, *inputs.b, shape.b, number, shape.tb};
    const std::int64_t vectors = along_rows ? shape.m : shape.n;
    const ExactProduct sums = along_rows ? product_sums(a, shape.m, b, shape.n, lines.segment, weights)
                                         : product_sums(b, shape.n, a, shape.m, lines.segment, weights);
    const std::int64_t groups = lines.groups() / lines.batch;
    tbb::parallel_for(std::int64_t{0}, groups, [&](std::int64_t g) {
      const std::int64_t group = number * groups + g, segment = group % lines.segments();
      const std::vector<AddedTerms> added = epilogue.of(group);
      for (std::size_t v = 0; v < weights.size(); ++v) {
        const double weight_squares = squares[v][static_cast<std::size_t>(lines.length_of(group))];
        for (std::int64_t i = 0; i < lines.inner; ++i) {
          const std::int64_t vector = along_rows ? g / lines.segments() : i;
          const auto at = static_cast<std::size_t>(
              (segment * static_cast<std::int64_t>(weights.size()) + static_cast<std::int64_t>(v)) * vectors + vector);
          const AddedTerms& beside = added[v * static_cast<std::size_t>(lines.inner) + static_cast<std::size_t>(i)];
          const auto line = static_cast<std::size_t>(group * lines.inner + i);
          reference.sums[v][line] = alpha * sums.sum[at] + beside.sum;
          if (result.precision().wraps) continue;
          // The squares of sums of k terms are at most k times the sums of their squares.
          const double root = std::abs(alpha) * std::sqrt(sums.sum_squares[at]), largest = root * std::sqrt(k);
          const double error = slope * (result.precision().relative * root +
                                        std::abs(alpha) * result.precision().absolute * std::sqrt(weight_squares)) +
                               steps * (largest + beside.root);
          const double length = static_cast<double>(lines.length_of(group));
          reference.bounds[v][line] = line_bound(error * error, largest * std::sqrt(length) + beside.magnitude);
        }
      }
    });
  }
  return reference;
}

}  // namespace nestwright
