// Reads ONNX models as graphs.
//
//   const ImportedModel model = import_onnx("resnet50.onnx", {.dims = {{"batch", 1}}});
//   model.graph.nodes(), model.missing
//
// Opsets from 7 on. Shapes are constant: symbolic extents of the inputs are given as `dims`, and what computes shapes
// in the model is computed while it is read. Inputs and outputs keep their names.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "nestwright/model/graph.h"

#pragma GCC visibility push(default)

namespace nestwright {

struct ImportOptions {
  std::map<std::string, std::int64_t> dims = {};  ///< the extents that the model names by symbols
  /// Elements of inputs that are the same in every run, by the inputs' names: shapes, axes, sizes.
  std::map<std::string, ConstantData> constants = {};
};

/// Nodes of a model that are not in its graph.
struct MissingOperator {
  std::string op;      ///< with its domain unless that is ONNX's own
  std::string reason;  ///< one clause
  std::int64_t nodes = 0;
};

struct ImportedModel {
  Graph graph;
  std::string producer;    ///< the program that wrote the file; may be empty
  std::int64_t opset = 0;  ///< of ONNX's own operators
  std::int64_t nodes = 0;  ///< of the file, those of subgraphs that are followed included
  /// Empty: the graph computes all outputs of the model.
  std::vector<MissingOperator> missing = {};
  std::int64_t unreached = 0;  ///< nodes that only read what missing ones compute, or are computed from that
};

/// Reads a model. Operators that are missing are listed in the result: outputs that depend on them are not in the
/// graph. Throws UsageError (no such file, not a model, an opset below 7, an input whose extents are not all known, a
/// dimension that no input has, a malformed node or tensor).
ImportedModel import_onnx(const std::string& path, const ImportOptions& options = {});

}  // namespace nestwright

#pragma GCC visibility pop
