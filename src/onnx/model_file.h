// Loads the protobuf message of an ONNX file, and the elements of its tensors.
// Thread rule: a ModelFile is immutable after it was loaded.
#pragma once

#include <onnx/onnx_pb.h>

#include <memory>
#include <string>

#include "nestwright/error.h"
#include "nestwright/model/graph.h"

namespace nestwright {

/// An element type of ONNX that Nestwright does not have: what has which one, in one clause.
class UnsupportedType : public UsageError {
 public:
  using UsageError::UsageError;
};

/// A tensor of the file: its type, and its elements where they lie.
struct StoredTensor {
  TensorType type;
  ConstantData data;
};

class ModelFile : public std::enable_shared_from_this<ModelFile> {
 public:
  /// Throws UsageError if there is no such file, or if it is no ONNX model.
  static std::shared_ptr<const ModelFile> load(const std::string& path);

  const ::onnx::ModelProto& proto() const { return proto_; }
  const std::string& path() const { return path_; }

  /// The elements of a tensor: raw, typed, or in another file beside the model. Those of types of 4 bits are bytes.
  /// They stay where they are if their layout permits it, and keep the file alive. Throws UsageError that names the
  /// tensor if its elements are not there or do not fit its shape, and UnsupportedType as element_type() does.
  StoredTensor tensor(const ::onnx::TensorProto& tensor) const;

 private:
  explicit ModelFile(std::string path) : path_(std::move(path)) {}

  std::string path_;
  ::onnx::ModelProto proto_;
};

/// The element type of a number of TensorProto::DataType. Throws UnsupportedType that names `what`, which has it.
ir::Type element_type(int data_type, const std::string& what);

}  // namespace nestwright
