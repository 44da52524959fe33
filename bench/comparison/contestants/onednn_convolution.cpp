#include "bench/comparison/contestants/onednn_convolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "bench/comparison/timing/sampling.h"
#include "nestwright/error.h"
#include "templates/conv2d/conv2d.h"
#include "templates/depthwise_conv2d/depthwise_conv2d.h"

namespace nestwright::bench {
namespace {

using dnnl::algorithm;
using dnnl::memory;
using DataType = memory::data_type;
using Description = dnnl::convolution_forward::primitive_desc;
using Tag = memory::format_tag;

std::optional<Convolution> convolution_of(const Workload& workload) {
  if (workload.op->name == "conv2d") return conv2d_shape(workload);
  if (workload.op->name == "depthwise_conv2d") return depthwise_conv2d_shape(workload);
  return std::nullopt;
}

std::optional<DataType> element_type(ir::Type type) {
  if (type == kFloat32) return DataType::f32;
  if (type == kBFloat16) return DataType::bf16;
  if (type == kFloat16) return DataType::f16;
  if (type == kInt8) return DataType::s8;
  if (type == kUInt8) return DataType::u8;
  if (type == kInt32) return DataType::s32;
  return std::nullopt;
}

/// The operator's tensors: their sizes and types, and the order of their dimensions in memory.
struct Tensors {
  memory::dims x, w, y, bias;
  DataType x_type, w_type, y_type;
  Tag images, weights;
};

std::optional<Tensors> tensors_of(const Convolution& c) {
  const auto x = element_type(c.types.a), w = element_type(c.types.b), y = element_type(c.types.c);
  if (!x || !w || !y) return std::nullopt;
  memory::dims filters{c.group_filters(), c.group_channels(), c.rows.filter, c.columns.filter};
  const bool has_groups = c.groups > 1;
  if (has_groups) filters.insert(filters.begin(), c.groups);
  const Tag weights = c.channels_last ? (has_groups ? Tag::hwigo : Tag::hwio) : (has_groups ? Tag::goihw : Tag::oihw);
  return Tensors{.x = {c.images, c.channels, c.rows.input, c.columns.input},
                 .w = filters,
                 .y = {c.images, c.filters, c.rows.output(), c.columns.output()},
                 .bias = {c.filters},
                 .x_type = *x,
                 .w_type = *w,
                 .y_type = *y,
                 .images = c.channels_last ? Tag::nhwc : Tag::nchw,
                 .weights = weights};
}

/// The tensors that a primitive may lay out as it likes.
struct Freedom {
  bool weights = false, images = false;
};

/// Throws dnnl::error where there is no such primitive.
Description describe(const dnnl::engine& engine, const Convolution& c, const Tensors& t, algorithm how,
                     const Freedom& free) {
  const Tag images = free.images ? Tag::any : t.images;
  const memory::desc x(t.x, t.x_type, images), w(t.w, t.w_type, free.weights ? Tag::any : t.weights),
      y(t.y, t.y_type, images), bias = c.bias ? memory::desc(t.bias, t.y_type, Tag::a) : memory::desc();
  const memory::dims strides{c.rows.stride, c.columns.stride}, dilations{c.rows.dilation - 1, c.columns.dilation - 1},
      before{c.rows.before, c.columns.before}, after{c.rows.after, c.columns.after};
  dnnl::primitive_attr attributes;
  if (c.relu) {
    dnnl::post_ops operations;
#if DNNL_VERSION_MAJOR >= 3
    operations.append_eltwise(algorithm::eltwise_relu, 0, 0);
#else
    operations.append_eltwise(1, algorithm::eltwise_relu, 0, 0);
#endif
    attributes.set_post_ops(operations);
  }
  constexpr auto kInference = dnnl::prop_kind::forward_inference;
#if DNNL_VERSION_MAJOR >= 3
  return {engine, kInference, how, x, w, bias, y, strides, dilations, before, after, attributes};
#else
  return {{kInference, how, x, w, bias, y, strides, dilations, before, after}, attributes, engine};
#endif
}

/// A primitive that takes part.
struct Implementation {
  Description description;
  std::string name;  ///< its algorithm, implementation and layouts
};

/// Loops that oneDNN has for what nothing else of it serves: they take seconds where others take milliseconds.
bool is_reference(const Implementation& candidate) { return candidate.name.find(" ref") != std::string::npos; }

std::string layouts_text(const Description& d, const memory::desc& x, const memory::desc& w, const memory::desc& y) {
  const bool images = d.src_desc() != x || d.dst_desc() != y, weights = d.weights_desc() != w;
  return images && weights ? "own layouts"
         : images          ? "own layout of images"
         : weights         ? "own layout of weights"
                           : "plain";
}

class Contest {
 public:
  Contest(const dnnl::engine& engine, const OperationRequest& request, const Convolution& c, const Tensors& t)
      : engine_(engine),
        stream_(engine),
        request_(request),
        c_(c),
        x_(t.x, t.x_type, t.images),
        w_(t.w, t.w_type, t.weights),
        y_(t.y, t.y_type, t.images),
        bias_(t.bias, t.y_type, Tag::a) {
    for (const algorithm how : {algorithm::convolution_direct, algorithm::convolution_winograd}) {
      for (const Freedom free : {Freedom{}, Freedom{.weights = true}, Freedom{.weights = true, .images = true}}) {
        add(t, how, free);
      }
    }
    const bool all_are_references = std::all_of(candidates_.begin(), candidates_.end(), is_reference);
    if (!all_are_references) std::erase_if(candidates_, is_reference);
  }

  bool is_empty() const { return candidates_.empty(); }

  /// The calls of the fastest candidate.
  ConvolutionCalls hold() const {
    std::vector<ConvolutionCalls> all;
    std::vector<double> times;
    for (const Implementation& candidate : candidates_) {
      all.push_back(calls_of(candidate));
      times.push_back(candidates_.size() == 1 ? 1 : quick_time_ns(all.back().calls));
    }
    const auto best = static_cast<std::size_t>(std::min_element(times.begin(), times.end()) - times.begin());
    ConvolutionCalls result = std::move(all[best]);
    result.detail = candidates_[best].name;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (i != best)
        result.detail += fmt::format("; {} took {:.2f} as long", candidates_[i].name, times[i] / times[best]);
    }
    return result;
  }

 private:
  /// A primitive and its arguments. The C interface takes a list that is made in advance.
  struct Step {
    dnnl::primitive primitive;
    std::vector<dnnl_exec_arg_t> arguments;
  };
  /// Steps, and the memory that they work on.
  struct Steps {
    dnnl::stream stream;
    std::vector<Step> steps;
    std::vector<memory> tensors;
    void operator()() const {
      for (const Step& step : steps) {
        const dnnl_status_t status = dnnl_primitive_execute(
            step.primitive.get(), stream.get(), static_cast<int>(step.arguments.size()), step.arguments.data());
        if (status != dnnl_success) throw Error("a primitive of a convolution failed");
      }
      if (dnnl_stream_wait(stream.get()) != dnnl_success) throw Error("a convolution failed");
    }
  };

  void add(const Tensors& t, algorithm how, const Freedom& free) {
    std::optional<Description> made;
    try {
      made = describe(engine_, c_, t, how, free);
    } catch (const dnnl::error& error) {
      if (error.status == dnnl_unimplemented) return;
      throw;
    }
    const std::string layouts = layouts_text(*made, x_, w_, y_);
    const bool moves_weights_only = made->src_desc() == x_ && made->dst_desc() == y_;
    // Where images are in the layouts of the library, there is one table for what it prefers alone.
    if (request_.weights == Weights::kBlocked && !free.images) return;
    if (request_.weights == Weights::kPrepacked && !free.weights && moves_weights_only) return;
    const std::string name = fmt::format("{} {}, {}", how == algorithm::convolution_direct ? "direct" : "winograd",
                                         made->impl_info_str(), layouts);
    const bool is_known = std::any_of(candidates_.begin(), candidates_.end(),
                                      [&](const Implementation& other) { return other.name == name; });
    if (!is_known) candidates_.push_back({std::move(*made), name});
  }

  void append_reorder(Steps& steps, const memory& from, const memory& to) const {
    steps.steps.push_back({dnnl::reorder(from, to), {{DNNL_ARG_FROM, from.get()}, {DNNL_ARG_TO, to.get()}}});
  }

  /// `tensor`, or what holds it in the layout `wanted`. A reorder is appended to `steps`.
  memory in_layout_of(const memory::desc& wanted, const memory& tensor, Steps& steps) const {
    if (tensor.get_desc() == wanted) return tensor;
    memory own(wanted, engine_);
    append_reorder(steps, tensor, own);
    steps.tensors.push_back(own);
    return own;
  }

  ConvolutionCalls calls_of(const Implementation& candidate) const {
    ConvolutionCalls result;
    for (const Operands& operands : request_.copies) {
      const auto in = [&](std::size_t i) { return const_cast<void*>(operands.inputs[i]); };
      const memory x(x_, engine_, in(0)), w(w_, engine_, in(1)), y(y_, engine_, operands.outputs[0]);
      Steps before{stream_, {}, {}}, call{stream_, {}, {x, w, y}}, after{stream_, {}, {y}};
      const bool is_blocked = request_.weights == Weights::kBlocked;
      const Description& d = candidate.description;
      const memory source = in_layout_of(d.src_desc(), x, is_blocked ? before : call);
      const memory weights = in_layout_of(d.weights_desc(), w, request_.weights == Weights::kPlain ? call : before);
      const memory results = d.dst_desc() == y_ ? y : memory(d.dst_desc(), engine_);
      Step step{dnnl::convolution_forward(d),
                {{DNNL_ARG_SRC, source.get()}, {DNNL_ARG_WEIGHTS, weights.get()}, {DNNL_ARG_DST, results.get()}}};
      call.tensors.insert(call.tensors.end(), {source, weights, results});
      if (c_.bias) {
        call.tensors.emplace_back(bias_, engine_, in(2));
        step.arguments.push_back({DNNL_ARG_BIAS, call.tensors.back().get()});
      }
      call.steps.push_back(std::move(step));
      if (d.dst_desc() != y_) append_reorder(is_blocked ? after : call, results, y);
      after.tensors.push_back(results);
      before();
      result.calls.emplace_back(std::move(call));
      if (is_blocked) result.stores.emplace_back(std::move(after));
    }
    return result;
  }

  const dnnl::engine& engine_;
  dnnl::stream stream_;
  const OperationRequest& request_;
  const Convolution& c_;
  memory::desc x_, w_, y_, bias_;  ///< as the operator stores them
  std::vector<Implementation> candidates_;
};

}  // namespace

std::optional<std::variant<ConvolutionCalls, CannotDo>> convolution_calls(const dnnl::engine& engine,
                                                                          const OperationRequest& request) {
  const std::optional<Convolution> c = convolution_of(request.workload);
  if (!c) return std::nullopt;
  const std::optional<Tensors> tensors = tensors_of(*c);
  if (!tensors) return CannotDo{"has no convolution of this type"};
  const Contest contest(engine, request, *c, *tensors);
  if (contest.is_empty()) return CannotDo{"has no convolution of these types and sizes on this processor"};
  return contest.hold();
}

}  // namespace nestwright::bench
