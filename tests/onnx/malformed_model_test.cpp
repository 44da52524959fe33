// Malformed and hostile ONNX files: each is refused with one sentence.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "nestwright/error.h"
#include "nestwright/model/onnx.h"
#include "tests/onnx/written_model.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;
using testing::WrittenModel;

std::string refusal(const std::string& path, const ImportOptions& options = {}) {
  return message<UsageError>([&] { import_onnx(path, options); });
}

/// y = Relu(x) of the shape [2, 3].
WrittenModel relu_model() {
  WrittenModel model;
  model.add_input("x", {2, 3});
  model.add_node("Relu", {"x"}, {"y"});
  model.add_output("y");
  return model;
}

/// y = Add(x, w), whose initializer is to be broken.
WrittenModel model_of_tensor(const std::vector<std::int64_t>& shape, ::onnx::TensorProto** tensor) {
  WrittenModel model;
  model.add_input("x", {2, 3});
  *tensor = &model.add_tensor("w", shape);
  model.add_node("Add", {"x", "w"}, {"y"});
  model.add_output("y");
  return model;
}

TEST(MalformedModelTest, AModelThatIsWellFormedIsRead) {
  const ImportedModel model = import_onnx(relu_model().write());
  EXPECT_TRUE(model.missing.empty());
  ASSERT_EQ(model.graph.outputs().size(), 1u);
  EXPECT_EQ(model.graph.type(model.graph.outputs()[0].value).str(), "float32[2, 3]");
}

TEST(MalformedModelTest, FilesThatCannotBeRead) {
  EXPECT_EQ(refusal("/nowhere/m.onnx"), "the model /nowhere/m.onnx cannot be read: No such file or directory");
  EXPECT_THAT(refusal("/tmp"), HasSubstr("the model /tmp cannot be read: Is a directory"));
}

TEST(MalformedModelTest, FilesThatAreNoModels) {
  const WrittenModel model = relu_model();
  EXPECT_THAT(refusal(model.write_file("text.onnx", "not a model")),
              HasSubstr("text.onnx is not an ONNX model, or a part of it is missing"));
  EXPECT_THAT(refusal(model.write_file("empty.onnx", "")), HasSubstr("empty.onnx is not an ONNX model"));
  const std::string whole = model.proto.SerializeAsString();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(refusal(model.write_file("part.onnx", whole.substr(0, size))), "accepted") << size;
  }
}

TEST(MalformedModelTest, Opsets) {
  WrittenModel model = relu_model();
  model.set_opset(6);
  EXPECT_THAT(refusal(model.write()), HasSubstr("the model is of ONNX's opset 6; opsets from 7 on are read"));
  model.set_opset(1000);
  EXPECT_THAT(refusal(model.write()), HasSubstr("the model is of ONNX's opset 1000; opsets up to 28 are read"));
  model.proto.clear_opset_import();
  EXPECT_THAT(refusal(model.write()), HasSubstr("the model does not say which opset of ONNX it is of"));
}

TEST(MalformedModelTest, OperatorsOfOtherDomainsAreMissing) {
  WrittenModel model;
  model.add_input("x", {2, 3});
  model.add_node("Relu", {"x"}, {"y"}).set_domain("com.example");
  model.add_node("Relu", {"y"}, {"z"});
  model.add_output("z");
  const ImportedModel imported = import_onnx(model.write());
  ASSERT_EQ(imported.missing.size(), 1u);
  EXPECT_EQ(imported.missing[0].op, "com.example.Relu");
  EXPECT_EQ(imported.missing[0].reason, "Nestwright does not have it");
  EXPECT_EQ(imported.unreached, 1);
  EXPECT_TRUE(imported.graph.outputs().empty());
}

TEST(MalformedModelTest, SymbolicSizes) {
  WrittenModel model;
  model.add_input("x", {-1, 3});
  model.add_node("Relu", {"x"}, {"y"});
  model.add_output("y");
  const std::string path = model.write();
  EXPECT_EQ(refusal(path), "the model has symbolic sizes: give each, as in --dim n=1 (n)");
  EXPECT_EQ(refusal(path, {.dims = {{"n", 2}, {"m", 1}}}), "no input of the model has a symbolic size 'm'");
  EXPECT_THAT(refusal(path, {.dims = {{"n", -2}}}), HasSubstr("the size of 'n' is -2, which is no size"));
  EXPECT_THAT(refusal(path, {.dims = {{"n", std::int64_t{1} << 62}}}), HasSubstr("which is no size"));
  EXPECT_EQ(import_onnx(path, {.dims = {{"n", 5}}}).graph.type(0).str(), "float32[5, 3]");
}

TEST(MalformedModelTest, SizesWithoutNamesAreCalledByTheirPlaces) {
  WrittenModel model;
  model.add_input("x", {-1, 0, -1});
  model.add_node("Relu", {"x"}, {"y"});
  model.add_output("y");
  auto& shape = *model.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
  for (const int d : {0, 2}) shape.mutable_dim(d)->set_dim_param("?");
  const std::string path = model.write();
  EXPECT_EQ(refusal(path), "the model has symbolic sizes: give each, as in --dim x.0=1 (x.0, x.1, x.2)");
  EXPECT_EQ(import_onnx(path, {.dims = {{"x.0", 5}, {"x.1", 6}, {"x.2", 7}}}).graph.type(0).str(), "float32[5, 6, 7]");
}

TEST(MalformedModelTest, ValuesThatNothingComputes) {
  WrittenModel model;
  model.add_input("x", {2, 3});
  model.add_node("Add", {"x", "w"}, {"y"});
  model.add_output("y");
  EXPECT_EQ(refusal(model.write()), "the node 'the Add' (Add) reads 'w', which nothing computes before it");
  WrittenModel without_nodes;
  without_nodes.add_input("x", {2, 3});
  without_nodes.add_output("y");
  EXPECT_EQ(refusal(without_nodes.write()), "the model's output 'y' is computed by no node");
}

TEST(MalformedModelTest, NodesInACircleOrOutOfOrder) {
  WrittenModel circle;
  circle.add_input("x", {2, 3});
  circle.add_node("Add", {"x", "b"}, {"a"});
  circle.add_node("Relu", {"a"}, {"b"});
  circle.add_output("b");
  EXPECT_EQ(refusal(circle.write()), "the node 'the Add' (Add) reads 'b', which nothing computes before it");
  WrittenModel unsorted;
  unsorted.add_input("x", {2, 3});
  unsorted.add_node("Relu", {"a"}, {"b"});
  unsorted.add_node("Relu", {"x"}, {"a"});
  unsorted.add_output("b");
  EXPECT_EQ(refusal(unsorted.write()), "the node 'the Relu' (Relu) reads 'a', which nothing computes before it");
}

TEST(MalformedModelTest, NodesWithoutOperandsOrResults) {
  WrittenModel model;
  model.add_input("x", {2, 3});
  model.add_node("Relu", {}, {"y"});
  model.add_output("y");
  EXPECT_EQ(refusal(model.write()), "the node 'the Relu' (Relu) is malformed: input 0 is missing");
  WrittenModel without_results;
  without_results.add_input("x", {2, 3});
  without_results.add_node("Relu", {"x"}, {});
  without_results.add_output("x");
  EXPECT_EQ(refusal(without_results.write()), "the node 'the Relu' (Relu) is malformed: it has no results");
  WrittenModel without_condition;
  without_condition.add_node("If", {""}, {"y"});
  without_condition.add_output("y");
  EXPECT_EQ(refusal(without_condition.write()), "the node 'the If' (If) is malformed: input 0 is missing");
}

TEST(MalformedModelTest, AttributesOfAnotherType) {
  WrittenModel model;
  model.add_input("x", {2, 3});
  auto& attribute = *model.add_node("Elu", {"x"}, {"y"}).add_attribute();
  attribute.set_name("alpha");
  attribute.set_type(::onnx::AttributeProto::INTS);
  model.add_output("y");
  EXPECT_EQ(refusal(model.write()),
            "the node 'the Elu' (Elu) is malformed: the attribute alpha is not of the type FLOAT");
}

TEST(MalformedModelTest, ShapesThatDoNotFit) {
  WrittenModel model;
  model.add_input("x", {2, 3});
  model.add_input("z", {4});
  model.add_node("Add", {"x", "z"}, {"y"});
  model.add_output("y");
  EXPECT_EQ(refusal(model.write()), "the node 'the Add' (Add): shapes [2, 3], [4] cannot be broadcast to each other");
}

TEST(MalformedModelTest, WhatTheLanguageRefusesIsMissing) {
  WrittenModel model;
  model.add_input("x", {1, 2, 1, 2, 1, 2, 1, 2, 2});
  model.add_node("Relu", {"x"}, {"y"});
  model.add_output("y");
  const ImportedModel imported = import_onnx(model.write());
  ASSERT_EQ(imported.missing.size(), 1u);
  EXPECT_THAT(imported.missing[0].reason, HasSubstr("its expression, column"));
  EXPECT_THAT(imported.missing[0].reason, HasSubstr("more than 8 indices"));
}

TEST(MalformedModelTest, ShapesOfTensors) {
  ::onnx::TensorProto* tensor = nullptr;
  EXPECT_EQ(refusal(model_of_tensor({std::int64_t{1} << 62}, &tensor).write()), "the tensor 'w' has an illegal shape");
  EXPECT_EQ(refusal(model_of_tensor({std::int64_t{1} << 40, std::int64_t{1} << 40}, &tensor).write()),
            "the tensor 'w' has an illegal shape");
  EXPECT_EQ(refusal(model_of_tensor({-3}, &tensor).write()), "the tensor 'w' has an illegal shape");
  WrittenModel model;
  model.add_input("x", {std::int64_t{1} << 62});
  model.add_node("Relu", {"x"}, {"y"});
  model.add_output("y");
  EXPECT_THAT(refusal(model.write()), HasSubstr("the input 'x' has the shape [4611686018427387904]; tensors have"));
}

TEST(MalformedModelTest, ShapesThatNodesAskFor) {
  for (const char* op : {"ConstantOfShape", "Expand", "Tile", "Reshape"}) {
    WrittenModel model;
    model.add_input("x", {1, 1});
    model.add_integers("shape", {std::int64_t{1} << 62, 2});
    const bool is_constant = std::string(op) == "ConstantOfShape";
    model.add_node(op, is_constant ? std::vector<std::string>{"shape"} : std::vector<std::string>{"x", "shape"}, {"y"});
    model.add_output("y");
    EXPECT_THAT(refusal(model.write()), HasSubstr(std::string("the node 'the ") + op + "'")) << op;
  }
}

TEST(MalformedModelTest, DataOfTheWrongLength) {
  ::onnx::TensorProto* tensor = nullptr;
  WrittenModel model = model_of_tensor({2, 3}, &tensor);
  EXPECT_EQ(refusal(model.write()), "the tensor 'w' is float32[2, 3] and has 0 bytes, not 24");
  tensor->set_raw_data("four");
  EXPECT_EQ(refusal(model.write()), "the tensor 'w' is float32[2, 3] and has 4 bytes, not 24");
  tensor->clear_raw_data();
  tensor->add_float_data(1);
  EXPECT_EQ(refusal(model.write()), "the tensor 'w' is float32[2, 3] and has 4 bytes, not 24");
}

TEST(MalformedModelTest, NodesThatReadAnUnsupportedElementTypeAreMissing) {
  ::onnx::TensorProto* tensor = nullptr;
  WrittenModel model = model_of_tensor({1}, &tensor);
  model.add_node("Relu", {"y"}, {"z"});
  model.add_node("Relu", {"x"}, {"u"});
  model.add_output("u");
  for (const auto& [type, name] : {std::pair(int{::onnx::TensorProto::STRING}, "STRING"), {99, "number 99"}}) {
    tensor->set_data_type(type);
    const ImportedModel imported = import_onnx(model.write());
    ASSERT_EQ(imported.missing.size(), 1u);
    EXPECT_EQ(imported.missing[0].op, "Add");
    EXPECT_EQ(imported.missing[0].reason,
              fmt::format("the tensor 'w' has the element type {}, which Nestwright does not have", name));
    EXPECT_EQ(imported.unreached, 1);
    ASSERT_EQ(imported.graph.outputs().size(), 1u);
    EXPECT_EQ(imported.graph.outputs()[0].name, "u");
  }
}

TEST(MalformedModelTest, AnUnsupportedElementTypeOfAnInput) {
  WrittenModel model;
  model.add_input("x", {-1}, ::onnx::TensorProto::STRING);
  model.add_node("Identity", {"x"}, {"y"});
  model.add_output("y");
  const std::string path = model.write();
  const ImportedModel imported = import_onnx(path, {.dims = {{"n", 2}}});
  ASSERT_EQ(imported.missing.size(), 1u);
  EXPECT_EQ(imported.missing[0].reason, "the input 'x' has the element type STRING, which Nestwright does not have");
  model.graph().mutable_output(0)->set_name("x");
  EXPECT_EQ(refusal(model.write(), {.dims = {{"n", 2}}}),
            "the model's output 'x' is not computed: the input 'x' has the element type STRING, which Nestwright does "
            "not have");
}

TEST(MalformedModelTest, DeepRecursion) {
  WrittenModel model;
  ::onnx::GraphProto* graph = &model.graph();
  for (int depth = 0; depth < 300; ++depth) {
    ::onnx::NodeProto& node = *graph->add_node();
    node.set_op_type("If");
    node.add_input("c");
    node.add_output("y");
    auto& branch = *node.add_attribute();
    branch.set_name("then_branch");
    branch.set_type(::onnx::AttributeProto::GRAPH);
    graph = branch.mutable_g();
  }
  model.add_output("y");
  EXPECT_THAT(refusal(model.write()), HasSubstr("is not an ONNX model"));
}

}  // namespace
}  // namespace nestwright
