// Small ONNX models that tests write to files.
//
//   WrittenModel model;                       // opset 17, no nodes
//   model.add_input("x", {2, 3});
//   model.add_node("Relu", {"x"}, {"y"});
//   model.add_output("y");
//   import_onnx(model.write());
//
// Thread rule: one thread at a time.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/os/scratch_folder.h"

namespace nestwright::testing {

class WrittenModel {
 public:
  WrittenModel() {
    proto.set_ir_version(8);
    set_opset(17);
    graph().set_name("test");
  }

  ::onnx::GraphProto& graph() { return *proto.mutable_graph(); }

  void set_opset(std::int64_t version) {
    proto.clear_opset_import();
    proto.add_opset_import()->set_version(version);
  }

  /// An input of float32. An extent of -1 is the symbol "n".
  void add_input(const std::string& name, const std::vector<std::int64_t>& shape,
                 int element_type = ::onnx::TensorProto::FLOAT) {
    auto& input = *graph().add_input();
    input.set_name(name);
    auto& tensor = *input.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(element_type);
    tensor.mutable_shape();
    for (const std::int64_t extent : shape) {
      auto& dim = *tensor.mutable_shape()->add_dim();
      if (extent < 0) {
        dim.set_dim_param("n");
      } else {
        dim.set_dim_value(extent);
      }
    }
  }

  ::onnx::NodeProto& add_node(const std::string& op, const std::vector<std::string>& inputs,
                              const std::vector<std::string>& outputs) {
    ::onnx::NodeProto& node = *graph().add_node();
    node.set_op_type(op);
    node.set_name("the " + op);
    for (const std::string& input : inputs) node.add_input(input);
    for (const std::string& output : outputs) node.add_output(output);
    return node;
  }

  void add_output(const std::string& name) { graph().add_output()->set_name(name); }

  /// An initializer without elements: of the type float32 until another is set.
  ::onnx::TensorProto& add_tensor(const std::string& name, const std::vector<std::int64_t>& shape) {
    ::onnx::TensorProto& tensor = *graph().add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(::onnx::TensorProto::FLOAT);
    for (const std::int64_t extent : shape) tensor.add_dims(extent);
    return tensor;
  }

  void add_integers(const std::string& name, const std::vector<std::int64_t>& values) {
    ::onnx::TensorProto& tensor = add_tensor(name, {static_cast<std::int64_t>(values.size())});
    tensor.set_data_type(::onnx::TensorProto::INT64);
    for (const std::int64_t value : values) tensor.add_int64_data(value);
  }

  std::filesystem::path folder() const { return folder_.path(); }

  /// Writes a file to the folder, and returns its path.
  std::string write_file(const std::string& name, const std::string& bytes) const {
    const std::filesystem::path path = folder() / name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  std::string write() const { return write_file("model.onnx", proto.SerializeAsString()); }

  ::onnx::ModelProto proto;

 private:
  ScratchFolder folder_{"nestwright-onnx-test"};
};

}  // namespace nestwright::testing
