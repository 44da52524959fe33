// Elements of tensors that a model stores in other files of its folder.
// Thread rule: a pure function.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstddef>
#include <string>

#include "nestwright/model/graph.h"

namespace nestwright {

/// The `bytes` bytes of a tensor, mapped from the file that it names. Throws UsageError if that lies outside of the
/// model's folder, cannot be read, or is too short.
ConstantData external_data(const std::string& model_path, const ::onnx::TensorProto& tensor, std::size_t bytes);

}  // namespace nestwright
