// A sum that is computed by phases has the value of the same sum with a condition that nothing takes apart: !(a != 0)
// instead of a == 0.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "codegen/backend.h"
#include "templates/framework/space/completion.h"
#include "tests/reference/text_with_reference.h"
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

  /// One with long strides along y, as of audio, or along both axes.
  static TransposedConvolution with_long_strides(std::mt19937_64& random, bool both) {
    TransposedConvolution made(random);
    made.filters_ = made.draw(1, 3);
    made.channels_ = both ? 1 : made.channels_;
    made.has_columns_ = both;
    made.y_ = made.draw_long_window(both ? 24 : 150);
    made.x_ = both ? made.draw_long_window(24) : Window{};
    return made;
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

  /// A result that has each remainder, of few terms each.
  Window draw_long_window(int longest) {
    Window w{draw(16, longest), 1, 1, draw(-2, 4), draw(1, 4), 1, draw(0, 1) == 1};
    w.taps = draw(1, w.stride + 9);
    w.output = draw(w.stride, w.stride + 20);
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
    const TextWithReference by_phases(text), written(convolution.text(false));
    EXPECT_EQ(wrong_elements(by_phases.compute()[0], written.reference()), 0U) << text;
    if (by_phases.definition.args.back().op()->inputs.front()->name.starts_with("Y.phases")) ++phased;
  }
  EXPECT_GE(phased, 25);
}

TEST(Phases, OfLongStridesHaveTheValueOfTheSumAsItIsWritten) {
  std::mt19937_64 random(22);
  for (int i = 0; i < 8; ++i) {
    const TransposedConvolution convolution = TransposedConvolution::with_long_strides(random, i % 2 == 0);
    const std::string text = convolution.text(true);
    const TextWithReference by_phases(text), written(convolution.text(false));
    EXPECT_EQ(wrong_elements(by_phases.compute()[0], written.reference()), 0U) << text;
    EXPECT_TRUE(by_phases.definition.args.back().op()->inputs.front()->name.starts_with("Y.phases")) << text;
    EXPECT_NO_THROW(workload_of(text)) << "all reads are inside of their tensors";
  }
}

// Both axes have phases with different numbers of terms: four tensors, of which each element takes one.
TEST(Phases, OfUnequalNumbersOfTermsAlongTwoAxesAreProvedToBeRead) {
  const std::string conditions = "(y - r) % 80 == 0 && (x - s) % 100 == 0";
  const std::string rest =
      ", X[(y - r)/80, (x - s)/100]?0, 0) * W[r, s]); X: float32[2, 2]; W: float32[90, 170] "
      "y=170 x=230 r=90 s=170";
  const Workload workload = workload_of("Y[y, x] = sum(r, s, select(" + conditions + rest);
  EXPECT_EQ(workload.op->define(workload).args.back().op()->inputs.size(), 4U);
}

/// The machine code of the default of a transposed convolution with 16 channels, 60 steps, and four times as many taps
/// as its stride.
std::string machine_code(std::int64_t stride) {
  const Workload workload = workload_of(fmt::format(
      "Y[o, x] = sum(c, r, select((x - r) % {0} == 0, X[c, (x - r)/{0}]?0, 0) * W[c, o, r]); X: float32[16, 60]; "
      "W: float32[16, 1, {1}] x={2} r={1}",
      stride, 4 * stride, 60 * stride));
  const Target target = Target::parse("cpu,isa=avx2,threads=2,l1d=32768,l2=524288,l3=33554432,llvm_cpu=znver3");
  const Template& generated = *workload.op->find_template("generated.cpu");
  const Instance made = instantiate(generated, workload, target, seeds_of(generated, workload, target).front());
  const ir::Program loops = lower(made.schedule, made.definition.args, target, "expression");
  return make_backend(target.device)->compile(expand(loops, target), target, {}).object;
}

TEST(Phases, AreLoopsWhoseCodeDoesNotGrowWithTheStride) {
  const std::size_t least = machine_code(128).size();
  for (const std::int64_t stride : {1024, 4096}) EXPECT_LT(machine_code(stride).size(), 2 * least) << stride;
  EXPECT_LT(least, 16384U);
}

// One multiplication and one addition for each term that counts: 4 of 512 taps.
TEST(Phases, OfLongStridesTakeNoOtherOperations) {
  const Workload workload = workload_of(
      "Y[o, x] = sum(c, r, select((x - r) % 128 == 0, X[c, (x - r)/128]?0, 0) * W[c, o, r]); X: float32[16, 60]; "
      "W: float32[16, 1, 512] x=7680 r=512");
  EXPECT_EQ(workload.op->define(workload).flops, 2.0 * 16 * 4 * 7680);
}

TEST(Phases, ReadPartsOfDimensions) {
  // In the first phase r runs over all of V and a part of X, which would be refused as a mistake.
  const std::string rest = ", X[(y + r)/2] * V[r/2], 0)); X: float32[9]; V: float32[2] y=2 r=3";
  const TextWithReference by_phases("Y[y] = sum(r, select((y + r) % 2 == 0" + rest);
  const TextWithReference written("Y[y] = sum(r, select(!((y + r) % 2 != 0)" + rest);
  EXPECT_EQ(wrong_elements(by_phases.compute()[0], written.reference()), 0U);
}

TEST(Phases, GetSpacesWhoseCandidatesAreRight) {
  std::mt19937_64 random(21);
  Target target = Target::host();
  target.threads = 2;
  for (int i = 0; i < 10; ++i) {
    const TransposedConvolution convolution =
        i < 8 ? TransposedConvolution(random) : TransposedConvolution::with_long_strides(random, i % 2 == 0);
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
