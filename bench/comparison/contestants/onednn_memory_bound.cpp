#include "bench/comparison/contestants/onednn_memory_bound.h"

#include <map>
#include <vector>

#include "nestwright/error.h"

namespace nestwright::bench {
namespace {

using dnnl::algorithm;
using dnnl::memory;
using Tag = memory::format_tag;

/// A primitive with its arguments, which are inputs or outputs of the operator by index.
struct Plan {
  std::string name;
  dnnl::primitive primitive;
  struct Argument {
    int kind;
    memory::desc description;
    bool is_output;
    std::size_t number;
  };
  std::vector<Argument> arguments;
};

constexpr auto kInference = dnnl::prop_kind::forward_inference;
constexpr auto kFloat = memory::data_type::f32;

memory::desc matrix(memory::dim rows, memory::dim columns, Tag tag = Tag::ab) { return {{rows, columns}, kFloat, tag}; }

memory::desc compact(const memory::dims& dims) {
  memory::dims strides(dims.size(), 1);
  for (std::size_t d = dims.size() - 1; d-- > 0;) strides[d] = strides[d + 1] * dims[d + 1];
  return {dims, kFloat, strides};
}

Plan softmax(const dnnl::engine& engine, const Workload& w) {
  const memory::desc x = matrix(w.size("rows"), w.size("columns"));
#if DNNL_VERSION_MAJOR >= 3
  const dnnl::softmax_forward::primitive_desc made(engine, kInference, algorithm::softmax_accurate, x, x, 1);
#else
  const dnnl::softmax_forward::primitive_desc made({kInference, x, 1}, engine);
#endif
  return {"softmax", dnnl::softmax_forward(made), {{DNNL_ARG_SRC, x, false, 0}, {DNNL_ARG_DST, x, true, 0}}};
}

Plan layer_norm(const dnnl::engine& engine, const Workload& w) {
  const memory::desc x = matrix(w.size("rows"), w.size("columns")), row = {{w.size("columns")}, kFloat, Tag::a};
  const auto flags = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
  const auto epsilon = static_cast<float>(w.number("epsilon"));
#if DNNL_VERSION_MAJOR >= 3
  const dnnl::layer_normalization_forward::primitive_desc made(engine, kInference, x, x, epsilon, flags);
#else
  const dnnl::layer_normalization_forward::primitive_desc made({kInference, x, epsilon, flags}, engine);
#endif
  return {"layer normalization",
          dnnl::layer_normalization_forward(made),
          {{DNNL_ARG_SRC, x, false, 0},
           {DNNL_ARG_SCALE, row, false, 1},
           {DNNL_ARG_SHIFT, row, false, 2},
           {DNNL_ARG_DST, x, true, 0}}};
}

Plan transpose(const dnnl::engine& engine, const Workload& w) {
  const memory::desc from = matrix(w.size("rows"), w.size("columns")),
                     to = matrix(w.size("rows"), w.size("columns"), Tag::ba);
  return {"reorder",
          dnnl::reorder(dnnl::reorder::primitive_desc(engine, from, engine, to)),
          {{DNNL_ARG_FROM, from, false, 0}, {DNNL_ARG_TO, to, true, 0}}};
}

Plan reduce(const dnnl::engine& engine, const Workload& w) {
  static const std::map<std::string, algorithm> kinds = {{"sum", algorithm::reduction_sum},
                                                         {"mean", algorithm::reduction_mean},
                                                         {"max", algorithm::reduction_max},
                                                         {"min", algorithm::reduction_min}};
  memory::dims from = w.shape("shape"), to = from;
  for (const std::size_t axis : w.axes("axes")) to[axis] = 1;
  const memory::desc x = compact(from), y = compact(to);
#if DNNL_VERSION_MAJOR >= 3
  const dnnl::reduction::primitive_desc made(engine, kinds.at(w.choice("function")), x, y, 0, 0);
#else
  const dnnl::reduction::primitive_desc made({kinds.at(w.choice("function")), x, y, 0, 0}, engine);
#endif
  return {"reduction", dnnl::reduction(made), {{DNNL_ARG_SRC, x, false, 0}, {DNNL_ARG_DST, y, true, 0}}};
}

/// The algorithm for an activation; nullopt where oneDNN has none.
std::optional<algorithm> activation(const std::string& name) {
  static const std::map<std::string, algorithm> known = {
      {"relu", algorithm::eltwise_relu},           {"gelu", algorithm::eltwise_gelu_erf},
      {"gelu_tanh", algorithm::eltwise_gelu_tanh}, {"exp", algorithm::eltwise_exp},
      {"sigmoid", algorithm::eltwise_logistic},    {"tanh", algorithm::eltwise_tanh}};
  const auto found = known.find(name);
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

void append(dnnl::post_ops& after, algorithm function) {
#if DNNL_VERSION_MAJOR >= 3
  after.append_eltwise(function, 0, 0);
#else
  after.append_eltwise(1, function, 0, 0);
#endif
}

Plan unary(const dnnl::engine& engine, algorithm function, const memory::desc& x) {
#if DNNL_VERSION_MAJOR >= 3
  const dnnl::eltwise_forward::primitive_desc made(engine, kInference, function, x, x, 0, 0);
#else
  const dnnl::eltwise_forward::primitive_desc made({kInference, function, x, 0, 0}, engine);
#endif
  return {"eltwise", dnnl::eltwise_forward(made), {{DNNL_ARG_SRC, x, false, 0}, {DNNL_ARG_DST, x, true, 0}}};
}

std::optional<Plan> pointwise(const dnnl::engine& engine, const std::string& function, const memory::desc& a,
                              const memory::desc& b) {
  static const std::map<std::string, algorithm> known = {
      {"add", algorithm::binary_add},    {"subtract", algorithm::binary_sub}, {"multiply", algorithm::binary_mul},
      {"divide", algorithm::binary_div}, {"maximum", algorithm::binary_max},  {"minimum", algorithm::binary_min}};
  if (const auto alone = activation(function)) return unary(engine, *alone, a);
  const std::size_t split = function.find('_');
  const auto both = known.find(function.substr(0, split));
  if (both == known.end()) return std::nullopt;
  dnnl::primitive_attr attributes;
  if (split != std::string::npos) {
    const auto last = activation(function.substr(split + 1));
    if (!last) return std::nullopt;
    dnnl::post_ops after;
    append(after, *last);
    attributes.set_post_ops(after);
  }
#if DNNL_VERSION_MAJOR >= 3
  const dnnl::binary::primitive_desc made(engine, both->second, a, b, a, attributes);
#else
  const dnnl::binary::primitive_desc made({both->second, a, b, a}, attributes, engine);
#endif
  return Plan{split == std::string::npos ? "binary" : "binary with a post-operation",
              dnnl::binary(made),
              {{DNNL_ARG_SRC_0, a, false, 0}, {DNNL_ARG_SRC_1, b, false, 1}, {DNNL_ARG_DST, a, true, 0}}};
}

std::optional<Plan> plan_of(const dnnl::engine& engine, const Workload& w) {
  if (w.op->name == "softmax") return softmax(engine, w);
  if (w.op->name == "layer_norm") return layer_norm(engine, w);
  if (w.op->name == "transpose") return transpose(engine, w);
  if (w.op->name == "reduce") return reduce(engine, w);
  if (w.op->name == "elementwise") {
    const memory::desc x = {{w.elements("shape")}, kFloat, Tag::a};
    return pointwise(engine, w.choice("function"), x, x);
  }
  if (w.op->name == "broadcast") {
    const std::int64_t rows = w.size("rows"), columns = w.size("columns");
    const bool row = w.choice("vector") == "row";
    return pointwise(engine, w.choice("function"), matrix(rows, columns), row ? matrix(1, columns) : matrix(rows, 1));
  }
  return std::nullopt;
}

}  // namespace

std::optional<PrimitiveCalls> memory_bound_calls(const dnnl::engine& engine, const OperationRequest& request) {
  if (request.workload.op->name == "matmul" || request.workload.type("dtype") != kFloat32) return std::nullopt;
  const std::optional<Plan> plan = plan_of(engine, request.workload);
  if (!plan) return std::nullopt;
  dnnl::stream stream(engine);
  Calls calls = calls_for(request.copies, [&](const Operands& operands) {
    std::vector<memory> tensors;
    std::vector<dnnl_exec_arg_t> arguments;
    for (const Plan::Argument& argument : plan->arguments) {
      void* const data =
          argument.is_output ? operands.outputs[argument.number] : const_cast<void*>(operands.inputs[argument.number]);
      tensors.emplace_back(argument.description, engine, data);
      arguments.push_back({argument.kind, tensors.back().get()});
    }
    return [primitive = plan->primitive, stream, tensors, arguments] {
      const dnnl_status_t status =
          dnnl_primitive_execute(primitive.get(), stream.get(), static_cast<int>(arguments.size()), arguments.data());
      if (status != dnnl_success || dnnl_stream_wait(stream.get()) != dnnl_success) throw Error("a primitive failed");
    };
  });
  return PrimitiveCalls{plan->name, std::move(calls)};
}

}  // namespace nestwright::bench
