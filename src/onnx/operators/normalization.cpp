// Operators that normalise rows, channels or windows.
#include <fmt/format.h>

#include <algorithm>

#include "onnx/operators/indices.h"
#include "onnx/operators/numbers.h"
#include "onnx/operators/tables.h"

namespace nestwright {
namespace {

/// A tensor some of whose dimensions are reduced: its rows.
class Rows {
 public:
  template <class IsReduced>
  Rows(const OperatorCall& call, const std::vector<std::int64_t>& shape, const IsReduced& is_reduced_axis)
      : all_(shape) {
    call.require(all_.rank() <= 8, "it has more than 8 dimensions");
    for (std::size_t at = 0; at < shape.size(); ++at) {
      const bool is_reduced = is_reduced_axis(static_cast<std::int64_t>(at));
      (is_reduced ? reduced_ : kept_).push_back(all_.name(at));
      if (is_reduced) elements_ *= shape[at];
      row_shape_.push_back(is_reduced ? 1 : shape[at]);
    }
    call.require_valid(!reduced_.empty(), "there are no dimensions to normalise");
  }
  /// Those from `first` to below `last` are reduced.
  Rows(const OperatorCall& call, const std::vector<std::int64_t>& shape, std::int64_t first, std::int64_t last)
      : Rows(call, shape, [&](std::int64_t axis) { return first <= axis && axis < last; }) {}

  /// "[i0,i1]", of an element of the tensor; "[i0]", of what rows have one of.
  std::string element() const { return "[" + all_.list() + "]"; }
  std::string row() const { return "[" + joined(kept_) + "]"; }
  /// "i1,", with which a reduction begins.
  std::string reduced() const { return joined(reduced_) + ","; }
  std::int64_t elements() const { return elements_; }  ///< of a row
  /// The tensor's shape, with extents of 1 for what is reduced.
  const std::vector<std::int64_t>& row_shape() const { return row_shape_; }
  std::string sizes() const { return all_.sizes(); }
  const Indices& indices() const { return all_; }
  std::string name(std::int64_t d) const { return all_.name(static_cast<std::size_t>(d)); }

 private:
  Indices all_;
  std::vector<std::string> kept_, reduced_;
  std::vector<std::int64_t> row_shape_;
  std::int64_t elements_ = 1;
};

/// The row along the axis; before opset 13, all dimensions from the axis on.
Rows softmax_rows(const OperatorCall& call) {
  const bool is_coerced = call.opset() < 13;
  const std::int64_t axis = call.axis("axis", is_coerced ? 1 : -1, call.rank(0));
  return {call, call.shape(0), axis, is_coerced ? call.rank(0) : axis + 1};
}

void set_softmax(OperatorCall& call, bool is_log) {
  require_floats(call, 0);
  const Rows rows = softmax_rows(call);
  const ir::Type type = call.type(0).type, wide = wide_type(type);
  const std::string element = rows.element(), row = rows.row(), x = conversion("X" + element, type, wide);
  std::string text = fmt::format("M{}=max({}{});", row, rows.reduced(), x);
  if (is_log) {
    text += fmt::format("S{0}=sum({1}exp({2}-M{0}));L{0}=log(S{0});", row, rows.reduced(), x);
    text += fmt::format("Y{}={}", element, conversion(fmt::format("{0}-M{1}-L{1}", x, row), wide, type));
  } else {
    text += fmt::format("E{0}=exp({1}-M{2});S{2}=sum({3}E{0});", element, x, row, rows.reduced());
    text += fmt::format("Y{}={}", element, conversion(fmt::format("E{}/S{}", element, row), wide, type));
  }
  call.set_output(0, call.apply(text + rows.sizes(), {{"X", call.input(0)}}));
}

void softmax(OperatorCall& call) { set_softmax(call, false); }
void log_softmax(OperatorCall& call) { set_softmax(call, true); }

/// 1 at the first largest element of a row, 0 elsewhere.
void hardmax(OperatorCall& call) {
  const bool is_coerced = call.opset() < 13;
  std::int64_t axis = call.axis("axis", is_coerced ? 1 : -1, call.rank(0));
  ValueId x = call.input(0);
  std::vector<std::int64_t> shape = call.shape(0);
  if (is_coerced) {  // argmax runs over one index
    const auto at = shape.begin() + axis;
    x = call.reshape(x, {product_of({shape.begin(), at}), product_of({at, shape.end()})});
    axis = 1;
  }
  const Rows rows(call, call.graph().type(x).shape, axis, axis + 1);
  const std::string one =
      conversion(fmt::format("select({}==A{},1.0,0.0)", rows.name(axis), rows.row()), kFloat32, call.type(0).type);
  const ValueId result = call.apply(fmt::format("A{}=argmax({}X{});Y{}={}{}", rows.row(), rows.reduced(),
                                                rows.element(), rows.element(), one, rows.sizes()),
                                    {{"X", x}});
  call.set_output(0, call.reshape(result, std::move(shape)));
}

/// The factor and the summand of normalised elements: operands S and B of a node, and how they are read.
struct Affine {
  std::string scale, bias;  ///< reads, empty if there is none
  std::vector<GraphOperand> operands;
};

/// Statements that normalise X: "M[..]=..;V[..]=..;R[..]=..;Y[..]=(X[..]-M[..])*R[..]*S[..]+B[..]". Without a mean,
/// rows are divided by the root of the mean of their squares.
std::string normalization_text(const OperatorCall& call, const Rows& rows, bool has_mean, const Affine& affine) {
  const ir::Type type = call.type(0).type, wide = wide_type(type);
  const std::string element = rows.element(), row = rows.row(), x = conversion("X" + element, type, wide);
  const std::string centred = has_mean ? fmt::format("({}-M{})", x, row) : x;
  std::string text;
  if (has_mean) text = fmt::format("M{}=sum({}{})/{};", row, rows.reduced(), x, rows.elements());
  text += fmt::format("V{}=sum({}{}*{})/{};", row, rows.reduced(), centred, centred, rows.elements());
  text += fmt::format("R{0}=1/sqrt(V{0}+{1});", row, number_text(call.real("epsilon", 1e-5F)));
  std::string value = fmt::format("{}*R{}", centred, row);
  if (!affine.scale.empty()) value += "*" + affine.scale;
  if (!affine.bias.empty()) value += "+" + affine.bias;
  return text + fmt::format("Y{}={}", element, conversion(value, wide, type));
}

void require_channels(const OperatorCall& call, std::size_t input, std::int64_t channels) {
  call.require_valid(call.shape(input) == std::vector{channels},
                     fmt::format("input {} does not have one element for each of {}", input, channels));
}

/// Normalises all dimensions from an axis on. Operands 1 and 2 are broadcast to the input.
void set_norm_from_axis(OperatorCall& call, bool has_mean) {
  require_floats(call, 0);
  const std::int64_t axis = call.axis("axis", -1, call.rank(0));
  const Rows rows(call, call.shape(0), axis, call.rank(0));
  const std::int64_t stash_type = call.integer("stash_type", 1);
  call.require(stash_type == 1 || stash_type == 11, fmt::format("stash_type is {}", stash_type));
  const ir::Type wide = wide_type(call.type(0).type);
  Affine affine{.scale = {}, .bias = {}, .operands = {{"X", call.input(0)}}};
  const auto add = [&](std::size_t input, const char* name, std::string& read) {
    if (!call.has_input(input)) return;
    call.require_valid(broadcast_shape({call.shape(0), call.shape(input)}) == call.shape(0),
                       fmt::format("input {} cannot be broadcast to the first", input));
    read = converted_read(call, input,
                          fmt::format("{}[{}]", name, broadcast_indices(call.shape(input), rows.indices())), wide);
    affine.operands.push_back({name, call.input(input)});
  };
  add(1, "S", affine.scale);
  add(2, "B", affine.bias);
  std::string text = normalization_text(call, rows, has_mean, affine);
  // What other statements read is no result: results are copies.
  const ir::Type stash = stash_type == 1 ? kFloat32 : kFloat64;
  if (call.has_output(1)) text += fmt::format(";Mean{0}={1}", rows.row(), conversion("M" + rows.row(), wide, stash));
  if (call.has_output(2)) text += fmt::format(";Inv{0}={1}", rows.row(), conversion("R" + rows.row(), wide, stash));
  const std::vector<ValueId> results = call.apply_all(text + rows.sizes(), affine.operands);
  call.set_output(0, results.at(0));
  std::size_t next = 1;
  for (const std::size_t output : {1, 2}) {
    if (call.has_output(output)) call.set_output(output, call.reshape(results.at(next++), rows.row_shape()));
  }
}

void layer_normalization(OperatorCall& call) { set_norm_from_axis(call, true); }
void rms_normalization(OperatorCall& call) { set_norm_from_axis(call, false); }

void instance_normalization(OperatorCall& call) {
  require_floats(call, 0);
  call.require_valid(call.rank(0) >= 3, "the input has no spatial dimensions");
  const Rows rows(call, call.shape(0), 2, call.rank(0));
  for (const std::size_t input : {1, 2}) require_channels(call, input, call.shape(0)[1]);
  const ir::Type wide = wide_type(call.type(0).type);
  const Affine affine{.scale = converted_read(call, 1, "S[i1]", wide),
                      .bias = converted_read(call, 2, "B[i1]", wide),
                      .operands = {{"X", call.input(0)}, {"S", call.input(1)}, {"B", call.input(2)}}};
  call.set_output(0, call.apply(normalization_text(call, rows, true, affine) + rows.sizes(), affine.operands));
}

/// The groups are a dimension of a view. Scale and bias have an element for each group before opset 21, for each
/// channel from then on.
void group_normalization(OperatorCall& call) {
  require_floats(call, 0);
  const std::vector<std::int64_t> shape = call.shape(0);
  call.require_valid(shape.size() >= 2, "the input has no channels");
  const std::int64_t groups = call.integer("num_groups", 0);
  call.require_valid(groups >= 1 && shape[1] % groups == 0, "num_groups does not divide the channels");
  std::vector<std::int64_t> grouped{shape[0], groups, shape[1] / groups};
  grouped.insert(grouped.end(), shape.begin() + 2, shape.end());
  const Rows rows(call, grouped, 2, static_cast<std::int64_t>(grouped.size()));
  const ir::Type wide = wide_type(call.type(0).type);
  const bool is_per_group = call.opset() < 21;
  Affine affine{.scale = {}, .bias = {}, .operands = {{"X", call.reshape(call.input(0), grouped)}}};
  const auto add = [&](std::size_t input, const char* name, std::string& read) {
    require_channels(call, input, is_per_group ? groups : shape[1]);
    read = converted_read(call, input, fmt::format("{}[{}]", name, is_per_group ? "i1" : "i1,i2"), wide);
    const ValueId value = call.input(input);
    affine.operands.push_back({name, is_per_group ? value : call.reshape(value, {groups, grouped[2]})});
  };
  add(1, "S", affine.scale);
  add(2, "B", affine.bias);
  const ValueId result = call.apply(normalization_text(call, rows, true, affine) + rows.sizes(), affine.operands);
  call.set_output(0, call.reshape(result, shape));
}

/// Normalises by the mean and the variance of the batch, which move the running ones.
void train_batch_normalization(OperatorCall& call) {
  call.require_valid(call.rank(0) >= 2, "the input has no channels");
  const Rows rows(call, call.shape(0), [](std::int64_t axis) { return axis != 1; });
  const ir::Type wide = wide_type(call.type(0).type);
  const Affine affine{.scale = converted_read(call, 1, "S[i1]", wide),
                      .bias = converted_read(call, 2, "B[i1]", wide),
                      .operands = {{"X", call.input(0)},
                                   {"S", call.input(1)},
                                   {"B", call.input(2)},
                                   {"RunningM", call.input(3)},
                                   {"RunningV", call.input(4)}}};
  const std::string momentum = number_text(call.real("momentum", 0.9F));
  std::string text = normalization_text(call, rows, true, affine);
  for (const std::size_t output : {1, 2}) {
    const char* const name = output == 1 ? "M" : "V";
    const std::string running = converted_read(call, output + 2, fmt::format("Running{}[i1]", name), wide);
    const std::string moved = fmt::format("{0}*{1}+{2}[i1]*(1-{1})", running, momentum, name);
    text += fmt::format(";New{}[i1]={}", name, conversion(moved, wide, call.type(output + 2).type));
  }
  const std::vector<ValueId> results = call.apply_all(text + rows.sizes(), affine.operands);
  for (std::size_t output = 0; output < std::min<std::size_t>(3, call.output_count()); ++output) {
    call.set_output(output, results.at(output));
  }
}

/// The factor and the summand of each channel are nodes of their own, which are folded where the operands are constant.
void batch_normalization(OperatorCall& call) {
  require_floats(call, 0);
  call.require(call.integer("spatial", 1) != 0, "spatial is 0");
  const std::vector<std::int64_t>& shape = call.shape(0);
  const Indices indices(shape);
  const bool has_channels = shape.size() >= 2;
  for (const std::size_t input : {1, 2, 3, 4}) require_channels(call, input, has_channels ? shape[1] : 1);
  if (call.integer("training_mode", 0) != 0) return train_batch_normalization(call);
  call.require(!call.has_output(1), "it is in training mode");
  const ir::Type type = call.type(0).type, wide = wide_type(type);
  const auto read = [&](std::size_t input, const char* text) { return converted_read(call, input, text, wide); };
  const ValueId factor = call.apply(
      fmt::format("A[c]={}/sqrt({}+{})", read(1, "S[c]"), read(4, "V[c]"), number_text(call.real("epsilon", 1e-5F))),
      {{"S", call.input(1)}, {"V", call.input(4)}});
  const ValueId summand = call.apply(fmt::format("D[c]={}-{}*A[c]", read(2, "B[c]"), read(3, "M[c]")),
                                     {{"B", call.input(2)}, {"M", call.input(3)}, {"A", factor}});
  const std::string channel = has_channels ? "i1" : "0";
  const std::string value =
      fmt::format("{}*A[{}]+D[{}]", conversion(fmt::format("X[{}]", indices.list()), type, wide), channel, channel);
  call.set_output(0,
                  call.apply(fmt::format("Y[{}]={}{}", indices.list(), conversion(value, wide, type), indices.sizes()),
                             {{"X", call.input(0)}, {"A", factor}, {"D", summand}}));
}

/// Rows along an axis by their sum of absolute values, or by their length. Rows of zeros remain.
void lp_normalization(OperatorCall& call) {
  require_floats(call, 0);
  const std::int64_t axis = call.axis("axis", -1, call.rank(0)), p = call.integer("p", 2);
  call.require_valid(p == 1 || p == 2, fmt::format("p is {}", p));
  const Rows rows(call, call.shape(0), axis, axis + 1);
  const ir::Type type = call.type(0).type, wide = wide_type(type);
  const std::string x = conversion("X" + rows.element(), type, wide);
  const std::string norm = p == 1 ? fmt::format("sum({}abs({}))", rows.reduced(), x)
                                  : fmt::format("sqrt(sum({}{}*{}))", rows.reduced(), x, x);
  const std::string value = fmt::format("select(N{0}==0,0,{1}/N{0})", rows.row(), x);
  call.set_output(0, call.apply(fmt::format("N{}={};Y{}={}{}", rows.row(), norm, rows.element(),
                                            conversion(value, wide, type), rows.sizes()),
                                {{"X", call.input(0)}}));
}

/// x^e for x above 0, by square roots where they do.
std::string power_text(const std::string& x, double exponent) {
  if (exponent == 1.0) return x;
  if (exponent == 0.5) return fmt::format("sqrt({})", x);
  if (exponent == 0.75) return fmt::format("(sqrt({0})*sqrt(sqrt({0})))", x);
  return fmt::format("pow({},{})", x, number_text(exponent));
}

/// Divides by a power of the sum of the squares of neighbouring channels.
void lrn(OperatorCall& call) {
  require_floats(call, 0);
  const std::vector<std::int64_t>& shape = call.shape(0);
  call.require_valid(shape.size() >= 2, "the input has no channels");
  const std::int64_t size = call.integer("size", 0);
  call.require_valid(size >= 1, "size is below 1");
  call.require(size <= 4096, "size is above 4096");
  const Indices indices(shape);
  std::vector<std::string> read = indices.names();
  read[1] = size == 1 ? "i1" : fmt::format("i1+r-{}", (size - 1) / 2);
  const ir::Type type = call.type(0).type, wide = wide_type(type);
  const std::string x = conversion(fmt::format("X[{}]{}", joined(read), size == 1 ? "" : "?0"), type, wide);
  const double factor = call.real("alpha", 1e-4F) / static_cast<double>(size);
  const std::string sum = size == 1 ? fmt::format("{}*{}", x, x) : fmt::format("sum(r,{}*{})", x, x);
  const std::string text =
      fmt::format("Q[{}]={}+{}*{};", indices.list(), number_text(call.real("bias", 1)), factor, sum);
  const std::string value = fmt::format("{}/{}", conversion(fmt::format("X[{}]", indices.list()), type, wide),
                                        power_text(fmt::format("Q[{}]", indices.list()), call.real("beta", 0.75)));
  const std::string sizes = indices.sizes() + (size == 1 ? "" : fmt::format(" r={}", size));
  call.set_output(0, call.apply(text + fmt::format("Y[{}]={}", indices.list(), conversion(value, wide, type)) + sizes,
                                {{"X", call.input(0)}}));
}

}  // namespace

std::vector<OnnxOperator> normalization_operators() {
  return {
      {"BatchNormalization", 7, kNewestOpset, {"epsilon", "momentum", "spatial", "training_mode"}, batch_normalization},
      {"GroupNormalization", 18, kNewestOpset, {"epsilon", "num_groups", "stash_type"}, group_normalization},
      {"Hardmax", 1, kNewestOpset, {"axis"}, hardmax},
      {"InstanceNormalization", 6, kNewestOpset, {"epsilon"}, instance_normalization},
      {"LayerNormalization", 17, kNewestOpset, {"axis", "epsilon", "stash_type"}, layer_normalization},
      {"LogSoftmax", 1, kNewestOpset, {"axis"}, log_softmax},
      {"LpNormalization", 1, kNewestOpset, {"axis", "p"}, lp_normalization},
      {"LRN", 1, kNewestOpset, {"alpha", "beta", "bias", "size"}, lrn},
      {"RMSNormalization", 23, kNewestOpset, {"axis", "epsilon", "stash_type"}, rms_normalization},
      {"Softmax", 1, kNewestOpset, {"axis"}, softmax},
  };
}

}  // namespace nestwright
