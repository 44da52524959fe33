// ResNet-50, MobileNet-v2 and layers of BERT: how many of their kernels each set of templates serves beside the
// generated one. Their weights are computed by nodes, and nobody asks for them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "graph/passes/passes.h"
#include "nestwright/model/onnx.h"
#include "nestwright/text_operator.h"
#include "tests/onnx/written_model.h"

namespace nestwright {
namespace {

using ::testing::Pair;
using ::testing::UnorderedElementsAre;

using Shape = std::vector<std::int64_t>;
using Attributes = std::map<std::string, Shape>;

/// Nodes are added with their results, which get names.
class NetworkModel : public testing::WrittenModel {
 public:
  std::string node(const std::string& op, const std::vector<std::string>& inputs, const Attributes& lists = {},
                   const std::map<std::string, std::int64_t>& numbers = {}) {
    std::string result = fmt::format("v{}", graph().node_size());
    ::onnx::NodeProto& added = add_node(op, inputs, {result});
    added.set_name(result);
    for (const auto& [name, values] : lists) {
      ::onnx::AttributeProto& attribute = *added.add_attribute();
      attribute.set_name(name);
      attribute.set_type(::onnx::AttributeProto::INTS);
      for (const std::int64_t value : values) attribute.add_ints(value);
    }
    for (const auto& [name, value] : numbers) {
      ::onnx::AttributeProto& attribute = *added.add_attribute();
      attribute.set_name(name);
      attribute.set_type(::onnx::AttributeProto::INT);
      attribute.set_i(value);
    }
    return result;
  }

  std::string weight(const Shape& shape) {
    const std::string name = fmt::format("shape{}", graph().initializer_size());
    add_integers(name, shape);
    return node("ConstantOfShape", {name});
  }
  std::string number(float value) {
    const std::string name = fmt::format("number{}", graph().initializer_size());
    add_tensor(name, {}).add_float_data(value);
    return name;
  }

  /// A convolution and its normalization.
  std::string convolution(const std::string& x, std::int64_t channels, std::int64_t filters, std::int64_t size,
                          std::int64_t stride = 1, std::int64_t groups = 1) {
    const std::string sums = node("Conv", {x, weight({filters, channels / groups, size, size})},
                                  {{"strides", {stride, stride}}, {"pads", Shape(4, size / 2)}}, {{"group", groups}});
    return node("BatchNormalization",
                {sums, weight({filters}), weight({filters}), weight({filters}), weight({filters})});
  }

  void classify(const std::string& x, std::int64_t channels) {
    const std::string means = node("Flatten", {node("GlobalAveragePool", {x})});
    add_output(node("Gemm", {means, weight({1000, channels}), weight({1000})}, {}, {{"transB", 1}}));
  }
};

/// The number of different kernels for each list of templates.
std::map<std::string, int> templates_of(const NetworkModel& model) {
  const Target target = Target::parse("cpu,isa=avx512,threads=2");
  std::map<std::string, int> counts;
  const Graph kernels = optimized(import_onnx(model.write()).graph);
  std::set<std::string> known;
  for (const GraphNode& node : kernels.nodes()) {
    if (node.is_view() || kernels.value(node.outputs[0]).is_constant) continue;
    const auto [expression, is_new] = known.insert(kernels.expression_of(node));
    if (!is_new) continue;
    const Workload workload = workload_of(*expression);
    std::string names;
    for (const Template* source : templates_for(workload, target)) {
      if (!source->is_generic) names += (names.empty() ? "" : " ") + source->name;
    }
    ++counts[names];
  }
  return counts;
}

TEST(TemplatesOfNetworks, OfResNet50) {
  NetworkModel model;
  model.add_input("image", {1, 3, 224, 224});
  std::string x = model.node("Relu", {model.convolution("image", 3, 64, 7, 2)});
  x = model.node("MaxPool", {x}, {{"kernel_shape", {3, 3}}, {"strides", {2, 2}}, {"pads", Shape(4, 1)}});
  std::int64_t channels = 64;
  for (const auto& [width, blocks] : {std::pair{64, 3}, {128, 4}, {256, 6}, {512, 3}}) {
    for (int block = 0; block < blocks; ++block) {
      const std::int64_t stride = width > 64 && block == 0 ? 2 : 1;
      std::string y = model.node("Relu", {model.convolution(x, channels, width, 1)});
      y = model.node("Relu", {model.convolution(y, width, width, 3, stride)});
      y = model.convolution(y, width, 4 * width, 1);
      if (block == 0) x = model.convolution(x, channels, 4 * width, 1, stride);
      channels = 4 * width;
      x = model.node("Relu", {model.node("Add", {y, x})});
    }
  }
  model.classify(x, channels);
  // Without: the first convolution, those of stride 2, and two of pooling.
  EXPECT_THAT(templates_of(model), UnorderedElementsAre(Pair("", 9), Pair("conv2d.winograd", 4), Pair("matmul.cpu", 7),
                                                        Pair("matmul.cpu matmul.split_k", 10),
                                                        Pair("matmul.gemv matmul.cpu matmul.split_k", 1)));
}

TEST(TemplatesOfNetworks, OfMobileNetV2) {
  NetworkModel model;
  model.add_input("image", {1, 3, 224, 224});
  const std::string zero = model.number(0), six = model.number(6);
  const auto clipped = [&](const std::string& x) { return model.node("Clip", {x, zero, six}); };
  std::string x = clipped(model.convolution("image", 3, 32, 3, 2));
  std::int64_t channels = 32;
  struct Stage {
    std::int64_t expansion, filters, blocks, stride;
  };
  for (const Stage& stage : {Stage{1, 16, 1, 1}, Stage{6, 24, 2, 2}, Stage{6, 32, 3, 2}, Stage{6, 64, 4, 2},
                             Stage{6, 96, 3, 1}, Stage{6, 160, 3, 2}, Stage{6, 320, 1, 1}}) {
    for (std::int64_t block = 0; block < stage.blocks; ++block) {
      const std::int64_t stride = block == 0 ? stage.stride : 1, wide = stage.expansion * channels;
      std::string y = stage.expansion == 1 ? x : clipped(model.convolution(x, channels, wide, 1));
      y = clipped(model.convolution(y, wide, wide, 3, stride, wide));
      y = model.convolution(y, wide, stage.filters, 1);
      x = stride == 1 && channels == stage.filters ? model.node("Add", {x, y}) : y;
      channels = stage.filters;
    }
  }
  model.classify(clipped(model.convolution(x, channels, 1280, 1)), 1280);
  // Without: the first convolution, ten depthwise ones, and the pooling.
  EXPECT_THAT(templates_of(model),
              UnorderedElementsAre(Pair("", 12), Pair("matmul.cpu", 7), Pair("matmul.cpu matmul.split_k", 12),
                                   Pair("matmul.gemv matmul.cpu matmul.split_k", 1)));
}

TEST(TemplatesOfNetworks, OfTwoLayersOfBert) {
  constexpr std::int64_t kWords = 128, kWidth = 768, kHeads = 12, kInner = 3072;
  NetworkModel model;
  model.add_input("words", {1, kWords, kWidth});
  model.add_input("mask", {1, 1, 1, kWords});
  model.add_integers("heads", {1, kWords, kHeads, kWidth / kHeads});
  model.add_integers("joined", {1, kWords, kWidth});
  const std::string two = model.number(2), root = model.number(1.4142135F), one = model.number(1),
                    half = model.number(.5F), eight = model.number(8), least = model.number(1e-12F);
  const auto linear = [&](const std::string& x, std::int64_t inputs, std::int64_t outputs) {
    return model.node("Add", {model.weight({outputs}), model.node("MatMul", {x, model.weight({inputs, outputs})})});
  };
  const auto norm = [&](const std::string& x) {
    const Attributes last{{"axes", {-1}}};
    const std::string centred = model.node("Sub", {x, model.node("ReduceMean", {x}, last)});
    const std::string variance = model.node("ReduceMean", {model.node("Pow", {centred, two})}, last);
    const std::string scaled = model.node("Div", {centred, model.node("Sqrt", {model.node("Add", {variance, least})})});
    return model.node("Add", {model.node("Mul", {scaled, model.weight({kWidth})}), model.weight({kWidth})});
  };
  std::string x = "words";
  for (int layer = 0; layer < 2; ++layer) {
    const auto heads = [&](const Shape& order) {
      return model.node("Transpose", {model.node("Reshape", {linear(x, kWidth, kWidth), "heads"})}, {{"perm", order}});
    };
    const std::string query = heads({0, 2, 1, 3}), key = heads({0, 2, 3, 1}), value = heads({0, 2, 1, 3});
    const std::string scores = model.node("Div", {model.node("MatMul", {query, key}), eight});
    const std::string weights = model.node("Softmax", {model.node("Add", {scores, "mask"})});
    const std::string mixed =
        model.node("Transpose", {model.node("MatMul", {weights, value})}, {{"perm", {0, 2, 1, 3}}});
    const std::string output = linear(model.node("Reshape", {mixed, "joined"}), kWidth, kWidth);
    x = norm(model.node("Add", {output, x}));
    std::string inner = linear(x, kWidth, kInner);
    const std::string error = model.node("Add", {model.node("Erf", {model.node("Div", {inner, root})}), one});
    inner = model.node("Mul", {model.node("Mul", {inner, error}), half});
    x = norm(model.node("Add", {linear(inner, kInner, kWidth), x}));
  }
  model.add_output(x);
  // Without: softmax, the norms, and the product whose heads are columns of its result.
  EXPECT_THAT(templates_of(model),
              UnorderedElementsAre(Pair("", 3), Pair("matmul.cpu", 2), Pair("matmul.cpu matmul.split_k", 3)));
}

}  // namespace
}  // namespace nestwright
