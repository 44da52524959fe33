// Writes small convolutional networks for tests of layouts.
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "graph/program/node_form.h"
#include "nestwright/model/graph.h"
#include "tests/graph/graph_runs.h"

namespace nestwright {

/// A graph of layers on images of 6 rows and 5 columns.
class LayerGraph {
 public:
  Graph graph;

  ValueId input(std::int64_t channels, std::int64_t rows = 6) {
    return graph.add_input("x", {kFloat32, {channels, rows, 5}});
  }
  ValueId weights(std::vector<std::int64_t> shape) {
    const TensorType type{kFloat32, std::move(shape)};
    return graph.add_constant(type, random_numbers(type, 100 + static_cast<unsigned>(graph.values().size())));
  }
  /// A convolution of 3 x 3, and its activation.
  ValueId conv(ValueId x, std::int64_t filters) {
    return graph.apply("Conv",
                       "T[o,y,x]=sum(c,r,s,X[c,y+r-1,x+s-1]?0*W[o,c,r,s]);Y[o,y,x]=max(T[o,y,x]+B[o],0)" + plane(x),
                       {{"X", x}, {"W", weights({filters, channels(x), 3, 3})}, {"B", weights({filters})}});
  }
  ValueId conv_1x1(ValueId x, std::int64_t filters) {
    return graph.apply("Conv", "T[o,y,x]=sum(c,X[c,y,x]*W[o,c]);Y[o,y,x]=T[o,y,x]+B[o]",
                       {{"X", x}, {"W", weights({filters, channels(x)})}, {"B", weights({filters})}});
  }
  ValueId conv_added_to(ValueId x, ValueId residual) {
    return graph.apply("Conv+Add", "T[o,y,x]=sum(c,X[c,y,x]*W[o,c]);Y[o,y,x]=max(R[o,y,x]+T[o,y,x],0)",
                       {{"X", x}, {"W", weights({channels(residual), channels(x)})}, {"R", residual}});
  }
  ValueId depthwise(ValueId x) {
    return graph.apply("Conv",
                       "T[c,y,x]=sum(r,s,X[c,y+r-1,x+s-1]?0*W[c,r,s]);Y[c,y,x]=clamp(T[c,y,x]+B[c],0,6)" + plane(x),
                       {{"X", x}, {"W", weights({channels(x), 3, 3})}, {"B", weights({channels(x)})}});
  }
  /// As many filters as channels, in groups whose images are a dimension.
  ValueId grouped(ValueId x, std::int64_t groups) {
    const std::int64_t size = channels(x) / groups, rows = graph.type(x).shape[1];
    const ValueId split = graph.reshape(x, {groups, size, rows, 5});
    const ValueId result = graph.apply("Conv", "Y[g,o,y,x]=sum(c,X[g,c,y,x]*W[g,o,c])",
                                       {{"X", split}, {"W", weights({groups, size, size})}});
    return graph.reshape(result, graph.type(x).shape);
  }
  /// Likewise, with groups as parts of the channels.
  ValueId grouped_in_place(ValueId x, std::int64_t groups) {
    const std::string size = std::to_string(channels(x) / groups);
    return graph.apply("Conv", "Y[o,y,x]=sum(c,X[o/" + size + "*" + size + "+c,y,x]*W[o,c])",
                       {{"X", x}, {"W", weights({channels(x), channels(x) / groups})}});
  }
  ValueId max_pool(ValueId x) {
    return graph.apply("MaxPool", "Y[c,y,x]=max(r,s,X[c,y+r-1,x+s-1]?-inf) r=3 s=3" + plane(x), {{"X", x}});
  }
  ValueId global_pool(ValueId x) {
    return graph.apply("GlobalAveragePool", "S[c]=sum(y,x,X[c,y,x]);Y[c]=S[c]/30.0", {{"X", x}});
  }
  ValueId scaled(ValueId x, ValueId scales) {
    return graph.apply("Mul", "Y[c,y,x]=X[c,y,x]*sigmoid(S[c])", {{"X", x}, {"S", scales}});
  }
  ValueId add(ValueId a, ValueId b) { return graph.apply("Add", "Y[c,y,x]=A[c,y,x]+B[c,y,x]", {{"A", a}, {"B", b}}); }
  ValueId resized(ValueId x) { return graph.apply("Resize", "Y[c,y,x]=X[c,y/2,x] y=12", {{"X", x}}); }
  ValueId concat(ValueId a, ValueId b) {
    const std::string first = std::to_string(channels(a)), all = std::to_string(channels(a) + channels(b));
    return graph.apply("Concat", "Y[c,y,x]=select(c<" + first + ",A[c,y,x],B[c-" + first + ",y,x]) c=" + all + plane(a),
                       {{"A", a}, {"B", b}});
  }
  /// Channels from `first` on.
  ValueId part(ValueId x, std::int64_t first, std::int64_t count) {
    return graph.apply("Slice", "Y[c,y,x]=X[c+" + std::to_string(first) + ",y,x] c=" + std::to_string(count),
                       {{"X", x}});
  }
  /// Computes a sum and a product of its operands.
  std::vector<ValueId> both(ValueId a, ValueId b) {
    return graph.apply_all("Both", "P[c,y,x]=A[c,y,x]+B[c,y,x];Q[c,y,x]=A[c,y,x]*B[c,y,x]", {{"A", a}, {"B", b}});
  }

  std::int64_t channels(ValueId x) const { return graph.type(x).shape[0]; }

 private:
  /// Padded reads say nothing of the extents.
  std::string plane(ValueId x) const { return " y=" + std::to_string(graph.type(x).shape[1]) + " x=5"; }
};

/// The kernels of a graph.
inline std::vector<GraphNode> kernels_of(const Graph& graph) {
  std::vector<GraphNode> kernels;
  for (const GraphNode& node : graph.nodes()) {
    if (is_kernel(graph, node)) kernels.push_back(node);
  }
  return kernels;
}

}  // namespace nestwright
