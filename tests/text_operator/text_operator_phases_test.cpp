// A sum that is computed by phases has the value of the same sum with a condition that nothing takes apart: !(a != 0)
// instead of a == 0.
#include <gtest/gtest.h>

#include <random>

#include "templates/framework/completion.h"
#include "tests/reference/judged_text.h"
#include "tests/text_operator/wrong_on.h"

namespace nestwright {
namespace {

/// A transposed convolution of one or two dimensions, drawn at random.
class TransposedConvolution {
 public:
  explicit TransposedConvolution(std::mt19937_64& random) : random_(random) {
    has_columns_ = draw(0, 1) == 1;
    filters_last_ = draw(0, 1) == 1;
    channels_ = draw(1, 3);
    filters_ = draw(1, 20);
    is_guarded_product_ = draw(0, 2) == 0;
    y_ = draw_window();
    if (has_columns_) x_ = draw_window();
  }

  std::string text(bool by_phases) const {
    const std::string y = "(" + dividend(y_, "y", "r") + ")", x = "(" + dividend(x_, "x", "s") + ")";
    const std::string condition =
        remainder_is_zero(y, y_, by_phases) + (has_columns_ ? " && " + remainder_is_zero(x, x_, by_phases) : "");
    const std::string at_x = has_columns_ ? ", " + x + "/" + std::to_string(x_.stride) : "";
    const std::string image = "X[c, " + y + "/" + std::to_string(y_.stride) + at_x + "]?0";
    const std::string weight = "W[r, " + std::string(has_columns_ ? "s, " : "") + "c, o]";
    const std::string term = is_guarded_product_ ? "select(" + condition + ", " + image + " * " + weight + ", 0)"
                                                 : weight + " * -select(" + condition + ", " + image + ", 0.0)";
    const std::string columns = has_columns_ ? ", x" : "", taps = has_columns_ ? "r, s, c, " : "r, c, ";
    std::string sizes = "o=" + std::to_string(filters_) + " c=" + std::to_string(channels_) +
                        " y=" + std::to_string(y_.output) + " r=" + std::to_string(y_.taps);
    if (has_columns_) sizes += " x=" + std::to_string(x_.output) + " s=" + std::to_string(x_.taps);
    return (filters_last_ ? "Y[y" + columns + ", o]" : "Y[o, y" + columns + "]") + " = sum(" + taps + term +
           "); X: " + shape({channels_, y_.input, x_.input}) +
           "; W: " + shape({y_.taps, x_.taps, channels_, filters_}) + "; " + sizes;
  }

 private:
  struct Window {
    int stride = 1, dilation = 1, taps = 0, before = 0, input = 0, output = 1;
    bool forward = false;  ///< taps count upwards
  };

  int draw(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  Window draw_window() {
    Window w{draw(2, 4), draw(1, 3), draw(1, 5), draw(-2, 4), draw(1, 6), 1, draw(0, 1) == 1};
    w.output = draw(1, 14);
    return w;
  }

  static std::string dividend(const Window& w, const std::string& index, const std::string& tap) {
    const std::string step = w.dilation == 1 ? tap : std::to_string(w.dilation) + "*" + tap;
    return index + (w.forward ? " + " : " - ") + step + " + " + std::to_string(w.before + 2);
  }

  static std::string remainder_is_zero(const std::string& dividend, const Window& w, bool by_phases) {
    const std::string remainder = dividend + " % " + std::to_string(w.stride);
    return by_phases ? remainder + " == 0" : "!(" + remainder + " != 0)";
  }

  /// Extents of 0 are of no dimension.
  static std::string shape(const std::vector<int>& extents) {
    std::string text;
    for (const int extent : extents) {
      if (extent > 0) text += (text.empty() ? "" : ", ") + std::to_string(extent);
    }
    return "float32[" + text + "]";
  }

  std::mt19937_64& random_;
  bool has_columns_ = false, filters_last_ = false, is_guarded_product_ = false;
  int channels_ = 1, filters_ = 1;
  Window y_, x_;
};

TEST(Phases, HaveTheValueOfTheSumAsItIsWritten) {
  std::mt19937_64 random(20);
  int phased = 0;
  for (int i = 0; i < 40; ++i) {
    const TransposedConvolution convolution(random);
    const std::string text = convolution.text(true);
    const JudgedText by_phases(text), written(convolution.text(false));
    EXPECT_EQ(wrong_elements(by_phases.compute()[0], written.judge()), 0U) << text;
    if (by_phases.definition.args.back().op()->inputs.front()->name.starts_with("Y.phases")) ++phased;
  }
  EXPECT_GE(phased, 25);
}

TEST(Phases, ReadPartsOfDimensions) {
  // In the first phase r runs over all of V and a part of X, which would be refused as a mistake.
  const std::string rest = ", X[(y + r)/2] * V[r/2], 0)); X: float32[9]; V: float32[2] y=2 r=3";
  const JudgedText by_phases("Y[y] = sum(r, select((y + r) % 2 == 0" + rest);
  const JudgedText written("Y[y] = sum(r, select(!((y + r) % 2 != 0)" + rest);
  EXPECT_EQ(wrong_elements(by_phases.compute()[0], written.judge()), 0U);
}

TEST(Phases, GetSpacesWhoseCandidatesAreRight) {
  std::mt19937_64 random(21);
  Target target = Target::host();
  target.threads = 2;
  for (int i = 0; i < 8; ++i) {
    const TransposedConvolution convolution(random);
    const Workload workload = workload_of(convolution.text(true));
    const CheckData data = make_strict_check_data(workload_of(convolution.text(false)));
    const Template* const source = templates_for(workload, target).front();
    for (const std::optional<Config>& config : {std::optional(seeds_of(*source, workload, target).front()),
                                                discover_space(*source, workload, target).sample(random)}) {
      if (!config) continue;
      const Instance made = instantiate(*source, workload, target, *config);
      const ir::Program loops = lower(made.schedule, made.definition.args, target, "candidate", {.verify = true});
      EXPECT_NO_THROW(expand(loops, target, {.verify = true})) << workload.str() << "\n" << config->str();
      EXPECT_EQ(wrong_on(data, loops, target, workload.op->define(workload).args), "") << workload.str() << "\n"
                                                                                       << config->str();
    }
  }
}

}  // namespace
}  // namespace nestwright
