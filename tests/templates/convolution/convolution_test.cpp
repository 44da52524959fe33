// Convolutions: what they define, what their reference says, what they refuse.
#include <gmock/gmock.h>

#include "nestwright/error.h"
#include "nestwright/registry.h"
#include "tests/templates/convolution/cases.h"
#include "tests/templates/definitions.h"
#include "tests/templates/framework/workload_refusal.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;
using testing_convolution::plain_loop;

TEST(ConvolutionDefinitions, HaveTheShapesOfTheirLayouts) {
  const Definition d = define("conv2d n=2 c=6 h=9 w=8 k=4 r=3 s=2 stride=2 pad=1 groups=2 epilogue=bias");
  EXPECT_EQ(d.inputs, 3);
  EXPECT_THAT(shape_of(d.args[0]), ElementsAre(2, 6, 9, 8));
  EXPECT_THAT(shape_of(d.args[1]), ElementsAre(4, 3, 3, 2));
  EXPECT_THAT(shape_of(d.args[2]), ElementsAre(4));
  EXPECT_THAT(shape_of(d.args[3]), ElementsAre(2, 4, 5, 5));
  const Definition last = define("conv2d n=2 c=6 h=9 w=8 k=4 r=3 s=2 stride=2 pad=1 groups=2 layout=NHWC");
  EXPECT_EQ(last.inputs, 2);
  EXPECT_THAT(shape_of(last.args[0]), ElementsAre(2, 9, 8, 6));
  EXPECT_THAT(shape_of(last.args[1]), ElementsAre(3, 2, 3, 4));
  EXPECT_THAT(shape_of(last.args[2]), ElementsAre(2, 5, 5, 4));
  const Definition depthwise = define("depthwise_conv2d n=1 c=6 h=9 w=8 multiplier=2 r=3 s=2");
  EXPECT_THAT(shape_of(depthwise.args[1]), ElementsAre(6, 2, 3, 2));
  EXPECT_THAT(shape_of(depthwise.args[2]), ElementsAre(1, 12, 7, 7));
  const Definition depthwise_last = define("depthwise_conv2d n=1 c=6 h=9 w=8 multiplier=2 r=3 s=2 layout=NHWC");
  EXPECT_THAT(shape_of(depthwise_last.args[1]), ElementsAre(3, 2, 6, 2));
  EXPECT_THAT(shape_of(depthwise_last.args[2]), ElementsAre(1, 7, 7, 12));
}

TEST(ConvolutionDefinitions, CountOperationsAndBytes) {
  const Definition d = define("conv2d n=2 c=6 h=9 w=8 k=4 r=3 s=2 stride=2 pad=1 groups=2 epilogue=bias");
  EXPECT_EQ(d.flops, 2.0 * 2 * 4 * 5 * 5 * (3 * 3 * 2));
  EXPECT_EQ(d.bytes, 4.0 * (2 * 6 * 9 * 8 + 4 * 3 * 3 * 2 + 4 + 2 * 4 * 5 * 5));
  EXPECT_EQ(define("depthwise_conv2d n=1 c=6 h=9 w=8 multiplier=2 r=3 s=2").flops, 2.0 * 12 * 7 * 7 * 6);
  EXPECT_EQ(define("conv2d n=1 c=3 h=4 w=4 k=2 r=1 s=1 dtype=int8").bytes, 3 * 16 + 6 + 4 * 2 * 16);
}

TEST(ConvolutionReferences, AgreeWithAPlainLoop) {
  for (const std::string& text : testing_convolution::workloads()) {
    const Workload w = parse_workload(text);
    const HostTensors in = testing_matmul::inputs(w);
    const Reference reference = w.op->reference(w, in);
    const std::vector<double> expected = plain_loop(w, in);
    ASSERT_EQ(reference.expected[0].size(), expected.size()) << text;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      // Sums of few terms in float64 are rounded by a good part of their bound.
      ASSERT_LE(std::abs(reference.expected[0][i] - expected[i]), 0.3 * reference.bound[0][i]) << text << " at " << i;
    }
  }
}

TEST(ConvolutionReferences, LayOutPatchesOfLargeImagesInParts) {
  // 3000 * 1500 elements of patches: more than are laid out at a time.
  const Workload w = parse_workload("conv2d n=1 c=1500 h=60 w=50 k=1 r=1 s=1");
  const HostTensors in = testing_matmul::inputs(w);
  const Reference reference = w.op->reference(w, in);
  const std::vector<double> expected = plain_loop(w, in);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_LE(std::abs(reference.expected[0][i] - expected[i]), 0.05 * reference.bound[0][i]) << i;
  }
}

TEST(ConvolutionReferences, BoundTheErrorByTheTerms) {
  // Four terms, of which padding leaves one at the corner.
  const Reference r = judge("conv2d n=1 c=1 h=2 w=2 k=1 r=2 s=2 pad=1", {{1, 2, 3, 4}, {1, 10, 100, -1000}});
  EXPECT_THAT(r.expected[0], ElementsAre(-1000, -1900, 200, -2990, -3679, 402, 30, 43, 4));
  EXPECT_NEAR(r.bound[0][0], 8 * 2 * 0x1p-23 * 1000, 1e-12);
  EXPECT_NEAR(r.bound[0][4], 8 * 2 * 0x1p-23 * std::sqrt(1.0 + 20 * 20 + 300 * 300 + 4000 * 4000), 1e-12);
  const Reference finished = judge("conv2d n=1 c=1 h=1 w=2 k=1 r=1 s=1 epilogue=bias_relu", {{1, -2}, {4}, {3}});
  EXPECT_THAT(finished.expected[0], ElementsAre(7, 0));
  EXPECT_NEAR(finished.bound[0][0], 8 * 0x1p-23 * 4 + 0x1p-23 * 7, 1e-12);
  const Reference whole =
      judge("conv2d n=1 c=1 h=1 w=1 k=1 r=1 s=1 dtype=int8 epilogue=bias", {{100}, {1}, {2147483647}});
  EXPECT_THAT(whole.expected[0], ElementsAre(-2147483549)) << "int32 wraps around";
  EXPECT_THAT(whole.bound[0], ElementsAre(0));
}

TEST(ConvolutionReferences, RefuseInputsOfOtherSizes) {
  for (const std::string& text : testing_convolution::workloads()) {
    const Workload w = parse_workload(text);
    for (std::size_t input = 0; input < 2; ++input) {
      HostTensors in = testing_matmul::inputs(w);
      in[input].push_back(0);
      try {
        w.op->reference(w, in);
        ADD_FAILURE() << text << " was accepted";
      } catch (const UsageError& error) {
        EXPECT_EQ(error.what(), "the inputs of " + w.str() + " do not have its sizes");
      }
    }
  }
}

TEST(ConvolutionWorkloads, LeaveOutWhatFollowsFromTheRest) {
  const std::string least = "conv2d n=1 c=64 h=56 w=56 k=64 r=3 s=3";
  EXPECT_EQ(parse_workload(least + " stride=1 stride_w=1 pad=0 dilation=1 groups=1 layout=NCHW epilogue=none").str(),
            least);
  EXPECT_EQ(parse_workload(least + " pad=1 pad_left=1 pad_bottom=1 pad_right=1").str(), least + " pad=1");
  EXPECT_EQ(parse_workload(least + " pad_left=2 pad_right=2").str(), least + " pad_left=2");
  EXPECT_EQ(parse_workload(least + " pad=0 pad_bottom=1 pad_right=1").str(), least + " pad_bottom=1 pad_right=1");
  EXPECT_EQ(parse_workload(least + " dilation_w=2 stride=2 stride_w=2").str(), least + " stride=2 dilation_w=2");
  for (const std::string& text : testing_convolution::workloads()) {
    EXPECT_EQ(parse_workload(parse_workload(text).str()), parse_workload(text));
  }
}

TEST(ConvolutionWorkloads, RefuseWithOneClearSentence) {
  const std::string image = "conv2d n=1 c=4 h=7 w=9 k=6 ";
  EXPECT_EQ(refusal(image + "r=8 s=1"),
            "r=8 with dilation=1 of conv2d reaches over 8 elements, more than the 7 of the image and its padding; give "
            "a smaller filter or more padding");
  EXPECT_EQ(refusal(image + "r=8 s=1 pad_bottom=1"), "accepted");
  EXPECT_EQ(refusal(image + "r=1 s=3 dilation_w=6 pad_left=2 pad_right=1"),
            "s=3 with dilation_w=6 of conv2d reaches over 13 elements, more than the 12 of the image and its padding; "
            "give a smaller filter or more padding");
  EXPECT_EQ(refusal("depthwise_conv2d n=1 c=4 h=7 w=9 r=1 s=10"),
            "s=10 with dilation_w=1 of depthwise_conv2d reaches over 10 elements, more than the 9 of the image and its "
            "padding; give a smaller filter or more padding");
  EXPECT_EQ(refusal(image + "r=1 s=1 groups=3"),
            "groups=3 of conv2d does not divide c=4; give a divisor of both c and k");
  EXPECT_EQ(refusal(image + "r=1 s=1 groups=4"),
            "groups=4 of conv2d does not divide k=6; give a divisor of both c and k");
  EXPECT_EQ(refusal(image + "r=1 s=1 groups=2"), "accepted");
  for (const char* pad : {"-1", "2147483648", "1,1", ""}) {
    EXPECT_EQ(refusal(image + "r=1 s=1 pad=" + pad),
              std::string("pad=") + pad +
                  " of conv2d is illegal: pad (rows of zeros above an image) is an integer from 0 to 2147483647");
  }
  EXPECT_EQ(refusal(image + "r=1 s=1 stride=0"),
            "stride=0 of conv2d is illegal: stride (rows from one window to the next) is an integer from 1 to "
            "2147483647");
  EXPECT_EQ(refusal(image + "r=1 s=1 layout=CHWN"),
            "layout=CHWN of conv2d is illegal: layout (the order of the dimensions of X and Y: images, channels, rows "
            "and columns, or channels last) is NCHW or NHWC");
  EXPECT_EQ(refusal(image + "r=1 s=1 epilogue=gelu"),
            "epilogue=gelu of conv2d is illegal: epilogue (what is added and applied before Y is stored; the bias is "
            "one number a filter) is none, relu, bias or bias_relu");
  EXPECT_THAT(refusal("conv2d n=2147483647 c=2147483647 h=1 w=1 k=1 r=1 s=1"),
              ::testing::HasSubstr("larger than any address space"));
  EXPECT_THAT(refusal("conv2d n=1 c=1 h=1 w=1 k=1 r=1 s=1 pad=2147483647"), ::testing::HasSubstr("larger than any"));
}

}  // namespace
}  // namespace nestwright
