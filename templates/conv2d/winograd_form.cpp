#include "templates/conv2d/winograd_form.h"

#include <vector>

#include "templates/conv2d/winograd_transform.h"
#include "templates/loops/divide.h"

namespace nestwright {
namespace {

constexpr std::int64_t kFilter = 3;

/// element(0), element(1), ...
template <class F>
std::vector<Expr> each_of(std::int64_t count, const F& element) {
  std::vector<Expr> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(element(Expr(i)));
  return values;
}

class FormBuilder {
 public:
  FormBuilder(const Convolution& c, std::int64_t tile, const Definition& definition, const WinogradFinish& finish)
      : c_(c),
        tile_(tile),
        args_(definition.args),
        finish_(finish),
        points_(winograd_points(tile)),
        counts_(winograd_counts(c, tile)) {}

  WinogradForm build() {
    WinogradForm form{.counts = counts_};
    add_image(form);
    add_inputs(form);
    add_weights(form);
    const IterVar channel = reduce_axis(c_.channels, "c");
    form.products = compute(
        {points_, points_, Expr(counts_.all), Expr(c_.filters)},
        [&](Expr i, Expr j, Expr t, Expr k) {
          return sum(form.inputs(i, j, t, channel) * form.weights(i, j, channel, k), channel);
        },
        "products");
    add_results(form);
    return form;
  }

 private:
  void add_image(WinogradForm& form) const {
    const std::int64_t rows = counts_.rows * tile_ + kFilter - 1, columns = counts_.columns * tile_ + kFilter - 1;
    const auto element = [&](const Expr& n, const Expr& channel, const Expr& row, const Expr& column) {
      return padded_element(c_, args_[0], {n, channel, row, column}, rows, columns);
    };
    if (!c_.channels_last) {
      form.padded = compute({Expr(c_.images), Expr(c_.channels), Expr(rows), Expr(columns)}, element, "padded");
    }
    form.image = compute(
        {Expr(c_.images), Expr(rows), Expr(columns), Expr(c_.channels)},
        [&](Expr n, Expr row, Expr column, Expr channel) {
          return form.padded.defined() ? form.padded(n, channel, row, column) : element(n, channel, row, column);
        },
        "image");
  }

  void add_inputs(WinogradForm& form) const {
    const auto column_of = [&](const Expr& i, const Expr& t, const Expr& column, const Expr& channel) {
      const Expr image = t / Expr(counts_.rows * counts_.columns);
      const Expr row = t / Expr(counts_.columns) % Expr(counts_.rows) * tile_;
      const Expr first = t % Expr(counts_.columns) * tile_;
      return winograd_element(i, winograd_inputs(tile_, each_of(points_, [&](const Expr& r) {
                                                   return form.image(image, row + r, first + column, channel);
                                                 })));
    };
    form.input_rows = compute({points_, Expr(counts_.all), points_, Expr(c_.channels)}, column_of, "inputs.rows");
    form.inputs = compute(
        {points_, points_, Expr(counts_.all), Expr(c_.channels)},
        [&](Expr i, Expr j, Expr t, Expr channel) {
          return winograd_element(j, winograd_inputs(tile_, each_of(points_, [&](const Expr& column) {
                                                       return form.input_rows(i, t, column, channel);
                                                     })));
        },
        "inputs");
  }

  void add_weights(WinogradForm& form) const {
    const Tensor& w = args_[1];
    form.weight_rows = compute(
        {points_, Expr(kFilter), Expr(c_.channels), Expr(c_.filters)},
        [&](Expr i, Expr column, Expr channel, Expr filter) {
          return winograd_element(i, winograd_weights(tile_, each_of(kFilter, [&](const Expr& row) {
                                                        return c_.channels_last ? w(row, column, channel, filter)
                                                                                : w(filter, channel, row, column);
                                                      })));
        },
        "weights.rows");
    form.weights = compute(
        {points_, points_, Expr(c_.channels), Expr(c_.filters)},
        [&](Expr i, Expr j, Expr channel, Expr filter) {
          return winograd_element(j, winograd_weights(tile_, each_of(kFilter, [&](const Expr& column) {
                                                        return form.weight_rows(i, column, channel, filter);
                                                      })));
        },
        "weights");
  }

  void add_results(WinogradForm& form) const {
    const std::int64_t rows = c_.rows.output(), columns = c_.columns.output();
    form.result_rows = compute(
        {Expr(c_.images), Expr(rows), Expr(counts_.columns), points_, Expr(c_.filters)},
        [&](Expr n, Expr p, Expr tile_column, Expr j, Expr k) {
          const Expr t = (n * counts_.rows + p / Expr(tile_)) * counts_.columns + tile_column;
          return winograd_element(
              p % Expr(tile_),
              winograd_outputs(tile_, each_of(points_, [&](const Expr& i) { return form.products(i, j, t, k); })));
        },
        "results.rows");
    const double scale = winograd_scale(tile_);
    const auto result = [&](const Expr& n, const Expr& p, const Expr& q, const Expr& k) {
      const Expr sum =
          winograd_element(q % Expr(tile_), winograd_outputs(tile_, each_of(points_, [&](const Expr& j) {
                                                               return form.result_rows(n, p, q / Expr(tile_), j, k);
                                                             })));
      return finished(c_, sum, k, args_, scale);
    };
    form.results = compute({Expr(c_.images), Expr(rows), Expr(columns), Expr(c_.filters)}, result,
                           c_.channels_last ? "Y" : "results");
    if (finish_) {
      form.y = finish_([&](std::span<const Expr> at) { return form.results(at[0], at[2], at[3], at[1]); });
      return;
    }
    form.y = c_.channels_last ? form.results
                              : compute(
                                    {Expr(c_.images), Expr(c_.filters), Expr(rows), Expr(columns)},
                                    [&](Expr n, Expr k, Expr p, Expr q) { return form.results(n, p, q, k); }, "Y");
  }

  const Convolution& c_;
  std::int64_t tile_;
  const std::vector<Tensor>& args_;
  const WinogradFinish& finish_;
  std::int64_t points_;
  WinogradCounts counts_;
};

bool has_small_padding(const WindowAxis& axis) { return axis.before < kFilter && axis.after < kFilter; }

}  // namespace

std::string winograd_unsupported_reason(const Convolution& c) {
  if (!(c.types.a == kFloat32 && c.types.b == kFloat32)) return "it needs elements of float32";
  if (c.rows.filter != kFilter || c.columns.filter != kFilter) return "it needs filters of 3 x 3";
  if (c.rows.stride != 1 || c.columns.stride != 1) return "it needs a stride of 1";
  if (c.rows.dilation != 1 || c.columns.dilation != 1) return "it needs a dilation of 1";
  if (c.groups != 1) return "it needs filters that read all channels";
  if (!has_small_padding(c.rows) || !has_small_padding(c.columns)) {
    return "it needs a padding of at most 2, as results of zeros alone would not be exact";
  }
  return {};
}

WinogradCounts winograd_counts(const Convolution& convolution, std::int64_t tile) {
  const std::int64_t rows = ceil_div(convolution.rows.output(), tile),
                     columns = ceil_div(convolution.columns.output(), tile);
  return {rows, columns, convolution.images * rows * columns};
}

WinogradForm make_winograd_form(const Convolution& convolution, std::int64_t tile, const Definition& definition,
                                const WinogradFinish& finish) {
  return FormBuilder(convolution, tile, definition, finish).build();
}

}  // namespace nestwright
