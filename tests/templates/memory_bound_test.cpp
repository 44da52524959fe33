// Memory-bound operators: what they define, what their references say, what they refuse, and their spaces and seeds.
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <numbers>
#include <set>

#include "nestwright/error.h"
#include "nestwright/registry.h"
#include "templates/pointwise/functions.h"
#include "tests/templates/definitions.h"
#include "tests/templates/framework/workload_refusal.h"
#include "tests/templates/memory_bound_cases.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(MemoryBoundDefinitions, CountBytesOfEachTensorOnce) {
  EXPECT_EQ(define("softmax rows=3 columns=5").bytes, 4 * 2 * 15);
  EXPECT_EQ(define("layer_norm rows=3 columns=5 dtype=float64").bytes, 8 * (2 * 15 + 2 * 5));
  EXPECT_EQ(define("transpose rows=3 columns=5").bytes, 4 * 2 * 15);
  EXPECT_EQ(define("transpose rows=3 columns=5").flops, 0);
  EXPECT_EQ(define("elementwise function=relu shape=3x5").bytes, 4 * 2 * 15);
  EXPECT_EQ(define("elementwise function=multiply shape=3x5").bytes, 4 * 3 * 15);
  EXPECT_EQ(define("broadcast function=add rows=3 columns=5").bytes, 4 * (2 * 15 + 5));
  EXPECT_EQ(define("broadcast function=add rows=3 columns=5 vector=column").bytes, 4 * (2 * 15 + 3));
  EXPECT_EQ(define("reduce function=sum shape=3x5 axes=1").bytes, 4 * (15 + 3));
}

TEST(MemoryBoundDefinitions, OfReductionsJoinNeighbouringDimensions) {
  const auto shapes = [](const std::string& text) {
    const Definition d = define("reduce function=sum " + text);
    return std::pair{shape_of(d.args[0]), shape_of(d.args[1])};
  };
  using Shapes = std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>;
  EXPECT_EQ(shapes("shape=4x5x6 axes=1,2"), (Shapes{{4, 30}, {4}}));
  EXPECT_EQ(shapes("shape=4x5x6 axes=2"), (Shapes{{20, 6}, {20}}));
  EXPECT_EQ(shapes("shape=4x5x6 axes=0,2"), (Shapes{{4, 5, 6}, {5}}));
  EXPECT_EQ(shapes("shape=4x1x6 axes=0,2"), (Shapes{{24}, {}}));
  EXPECT_EQ(shapes("shape=4x1x6 axes=1"), (Shapes{{1, 24}, {24}}));
  EXPECT_EQ(shapes("shape=1 axes=0"), (Shapes{{1}, {}}));
}

TEST(MemoryBoundReferences, OfSoftmaxAddUpToOne) {
  const Reference r = judge("softmax rows=2 columns=3", {{1, 2, 3, -50, 0, -50}});
  const double total = std::exp(-2.0) + std::exp(-1.0) + 1;
  EXPECT_NEAR(r.expected[0][0], std::exp(-2.0) / total, 1e-15);
  EXPECT_NEAR(r.expected[0][2], 1 / total, 1e-15);
  EXPECT_NEAR(r.expected[0][3] + r.expected[0][4] + r.expected[0][5], 1, 1e-15);
  // Relative to the element: a tenth of a thousandth of nothing would be no bound.
  EXPECT_LT(r.bound[0][3], 1e-4 * r.expected[0][3]);
  EXPECT_GT(r.bound[0][3], 50 * 0x1p-24 * r.expected[0][3]);
}

TEST(MemoryBoundReferences, OfLayerNormHaveMeanShiftAndDeviationScale) {
  const Reference r = judge("layer_norm rows=1 columns=4 epsilon=1e-12", {{1, 2, 3, 6}, {1, 1, 1, 2}, {0, 0, 0, 5}});
  const double deviation = std::sqrt((4.0 + 1 + 0 + 9) / 4);
  EXPECT_NEAR(r.expected[0][0], -2 / deviation, 1e-12);
  EXPECT_NEAR(r.expected[0][2], 0, 1e-12);
  EXPECT_NEAR(r.expected[0][3], 2 * 3 / deviation + 5, 1e-12);
  for (const double bound : r.bound[0]) {
    EXPECT_GT(bound, 0);
    EXPECT_LT(bound, 1e-4);
  }
  // A row of equal elements is the shift, whatever rounding makes of its deviation.
  EXPECT_EQ(judge("layer_norm rows=1 columns=2", {{7, 7}, {3, 3}, {1, 2}}).expected[0], (std::vector<double>{1, 2}));
}

TEST(MemoryBoundReferences, OfTranspositionsAreExact) {
  const Reference r = judge("transpose rows=2 columns=3", {{1, 2, 3, 4, 5, 6}});
  EXPECT_THAT(r.expected[0], ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(r.bound[0], ::testing::Each(0));
}

TEST(MemoryBoundReferences, OfReductionsOverAnyAxes) {
  std::vector<double> x;
  for (int i = 0; i < 24; ++i) x.push_back(i);  // 2 x 3 x 4
  EXPECT_THAT(judge("reduce function=sum shape=2x3x4 axes=0,2", {x}).expected[0],
              ElementsAre(0 + 1 + 2 + 3 + 12 + 13 + 14 + 15, 4 + 5 + 6 + 7 + 16 + 17 + 18 + 19,
                          8 + 9 + 10 + 11 + 20 + 21 + 22 + 23));
  EXPECT_THAT(judge("reduce function=mean shape=2x3x4 axes=0,1,2", {x}).expected[0], ElementsAre(11.5));
  EXPECT_THAT(judge("reduce function=max shape=2x3x4 axes=1", {x}).expected[0],
              ElementsAre(8, 9, 10, 11, 20, 21, 22, 23));
  EXPECT_THAT(judge("reduce function=min shape=2x3x4 axes=1,2", {x}).expected[0], ElementsAre(0, 12));
  EXPECT_THAT(judge("reduce function=min shape=2x3x4 axes=1,2", {x}).bound[0], ElementsAre(0, 0));
  const Reference sum = judge("reduce function=sum shape=4 axes=0", {{1, -2, 3, -4}});
  EXPECT_NEAR(sum.bound[0][0], 8 * 2 * 0x1p-23 * std::sqrt(1 + 4 + 9 + 16.0), 1e-15);
}

TEST(MemoryBoundReferences, OfPointwiseFunctionsAgreeWithTheExpressions) {
  const std::vector<double> a{-3, -0.5, 0, 0.25, 2}, b{1.5, -0.25, 0.5, -2, 1};
  const auto erf_gelu = [](double x) { return 0.5 * x * std::erfc(-x / std::numbers::sqrt2); };
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::array one{a[i]};
    const std::array two{a[i], b[i]};
    const auto value = [&](const char* name) {
      const PointwiseFunction& f = find_pointwise(name);
      return (f.operands == 1 ? f.evaluate(one, 0x1p-23) : f.evaluate(two, 0x1p-23)).value;
    };
    EXPECT_NEAR(value("gelu"), erf_gelu(a[i]), 1e-15);
    EXPECT_NEAR(value("add_gelu"), erf_gelu(a[i] + b[i]), 1e-15);
    EXPECT_NEAR(value("gelu_tanh"), erf_gelu(a[i]), 1e-3);
    EXPECT_EQ(value("add_relu"), a[i] + b[i] > 0 ? a[i] + b[i] : 0);
    EXPECT_EQ(value("divide"), a[i] / b[i]);
    EXPECT_EQ(value("maximum"), a[i] > b[i] ? a[i] : b[i]);
  }
}

TEST(MemoryBoundReferences, RefuseInputsOfOtherSizes) {
  for (const std::string& text : testing_memory::workloads()) {
    const Workload w = parse_workload(text);
    HostTensors in = testing_memory::inputs(w.op->define(w));
    in[0].push_back(0);
    try {
      w.op->reference(w, in);
      ADD_FAILURE() << text << " was accepted";
    } catch (const UsageError& error) {
      EXPECT_EQ(error.what(), "the inputs of " + w.str() + " do not have its sizes");
    }
  }
}

TEST(MemoryBoundWorkloads, AreCanonical) {
  EXPECT_EQ(parse_workload("reduce axes=2,0 shape=04x5x6 function=sum").str(),
            "reduce function=sum shape=4x5x6 axes=0,2");
  EXPECT_EQ(parse_workload("layer_norm rows=1 columns=2 epsilon=0.00001").str(), "layer_norm rows=1 columns=2");
  const Workload w = parse_workload("reduce axes=0,2 shape=4x5x6 function=sum");
  EXPECT_THAT(w.shape("shape"), ElementsAre(4, 5, 6));
  EXPECT_THAT(w.axes("axes"), ElementsAre(0, 2));
  EXPECT_EQ(w.elements("shape"), 120);
}

TEST(MemoryBoundWorkloads, RefuseWithOneClearSentence) {
  for (const char* shape : {"0", "4x", "x4", "4,5", "-1x2", "65536x65536", "1x1x1x1x1x1x1x1x1"}) {
    EXPECT_EQ(refusal(std::string("elementwise function=relu shape=") + shape),
              std::string("shape=") + shape +
                  " of elementwise is illegal: shape (the shape of the tensors, which are compact) is one to eight "
                  "extents from 1, together at most 2147483647, such as 64x56x56");
  }
  for (const char* axes : {"8", "-1", "0,0", "0x1", "0,", "all"}) {
    EXPECT_EQ(refusal(std::string("reduce function=sum shape=4x5 axes=") + axes),
              std::string("axes=") + axes +
                  " of reduce is illegal: axes (the dimensions that are reduced, counted from 0) is one to eight "
                  "different numbers of dimensions from 0 to 7, such as 0 or 1,2");
  }
  EXPECT_EQ(refusal("reduce function=sum shape=4x5 axes=0,2"),
            "axis 2 of reduce is illegal: the shape has 2 dimensions, numbered from 0");
  EXPECT_EQ(refusal("reduce function=product shape=4 axes=0"),
            "function=product of reduce is illegal: function (what is computed) is sum, mean, max or min");
  EXPECT_EQ(refusal("layer_norm rows=1 columns=1 epsilon=0"),
            "epsilon=0 of layer_norm is illegal: epsilon is at least 1e-12, or a row of equal elements has no result");
  EXPECT_EQ(refusal("softmax rows=1 columns=2 dtype=float64"),
            "dtype=float64 of softmax is illegal: dtype (the type of the elements) is float32");
  EXPECT_EQ(refusal("broadcast function=relu rows=1 columns=2"),
            "function=relu of broadcast is illegal: function (what is computed of an element of the matrix and one of "
            "the vector) is add, subtract, multiply, divide, maximum, minimum, add_relu, add_gelu or add_gelu_tanh");
}

TEST(MemoryBoundSeeds, AreValidAndDifferent) {
  for (const std::string& text : testing_memory::workloads()) {
    const Workload w = parse_workload(text);
    for (const Target& target : testing_memory::targets()) {
      for (const Template* t : templates_for(*w.op, DeviceKind::kCpu)) {
        const ConfigSpace space = discover_space(*t, w, target);
        const std::vector<Config> seeds = t->seeds(w, target);
        ASSERT_THAT(seeds, ::testing::Not(IsEmpty()));
        std::set<std::string> texts;
        for (const Config& seed : seeds) {
          EXPECT_EQ(space.why_invalid(seed), "") << w.str() << ": " << seed.str();
          EXPECT_EQ(space.resolve(Config::parse(seed.str())), seed);
          texts.insert(seed.str());
        }
        EXPECT_EQ(texts.size(), seeds.size());
      }
    }
  }
}

TEST(MemoryBoundSpaces, OfferStoresRoundTheCachesWhereAlignmentIsProven) {
  const auto stores = [](const std::string& text) {
    const Workload w = parse_workload(text);
    const Template& t = *templates_for(*w.op, DeviceKind::kCpu).front();
    const ConfigSpace space = discover_space(t, w, testing_memory::target(CpuIsa::kAvx512));
    Config config = t.seeds(w, testing_memory::target(CpuIsa::kAvx512)).front();
    if (config.find("Y.stores") == nullptr) throw InternalError(text + " has no knob for its stores");
    EXPECT_EQ(config.find("Y.stores")->label, "cached") << text << ": off by default";
    config.set("Y.stores", {}, "streaming");
    try {
      return space.why_invalid(space.resolve(config)).empty();
    } catch (const UsageError&) {
      return false;
    }
  };
  EXPECT_TRUE(stores("elementwise function=add shape=16000"));
  EXPECT_TRUE(stores("transpose rows=160 columns=33"));
  EXPECT_FALSE(stores("transpose rows=161 columns=33"));
  EXPECT_FALSE(stores("softmax rows=100 columns=40"));
  EXPECT_FALSE(stores("elementwise function=add shape=160"));  // it fits into the cache
}

}  // namespace
}  // namespace nestwright
