// The generated texts of an exported network. All of them are C that builds with `cc` alone and includes nothing of
// Nestwright.
// Thread rule: pure functions.
#pragma once

#include <string>
#include <vector>

#include "nestwright/model/graph.h"
#include "network/compiled_network.h"
#include "network/samples.h"

namespace nestwright {

/// A tensor that callers pass.
struct NetworkTensor {
  std::string name;       ///< in the model
  std::string parameter;  ///< in C
  TensorType type;
  int alignment = 1;  ///< in bytes, which the kernels need
  bool is_input = true;
};

struct ExportedNetwork {
  std::string name;   ///< of the functions and files
  std::string model;  ///< for people
  const CompiledNetwork* network = nullptr;
  std::vector<NetworkTensor> tensors;  ///< inputs, then outputs
  bool has_embedded_weights = false;
  std::uint64_t id = 0;  ///< of the layout of the weights and the kernels that read them

  int threads() const;  ///< that run the kernels, the caller's among them
  std::int64_t workspace_bytes() const;
  std::string parameters() const;               ///< "const float* x, float* y"
  std::vector<std::string> extensions() const;  ///< CompiledObject::extensions of all kernels
};

std::string network_header(const ExportedNetwork& e);    ///< NAME.h
std::string network_source(const ExportedNetwork& e);    ///< NAME.c
std::string network_manifest(const ExportedNetwork& e);  ///< NAME_manifest.json
/// NAME_selftest.c: draws the inputs of the samples, and compares some of the elements of each output.
std::string network_self_test(const ExportedNetwork& e, const NetworkSamples& samples);
/// NAME_weights.bin: a header of 64 bytes (exporter/c/network/functions.c.in), then the weights.
std::string network_weights(const ExportedNetwork& e);

}  // namespace nestwright
