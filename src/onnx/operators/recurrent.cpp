// Recurrent networks: one node multiplies the inputs of all steps by their weights, and each step is a node.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "onnx/operators/concatenation.h"
#include "onnx/operators/indices.h"
#include "onnx/operators/numbers.h"
#include "onnx/operators/tables.h"

namespace nestwright {
namespace {

/// The longest sequence whose steps become nodes.
constexpr std::int64_t kMaxSteps = 4096;

/// A function of a gate, and its parameters.
struct Activation {
  std::string name;  ///< in lower case
  double alpha = 0, beta = 0;

  std::string of(const std::string& x) const {
    const std::string a = number_text(alpha), b = number_text(beta);
    if (name == "sigmoid") return fmt::format("sigmoid({})", x);
    if (name == "tanh") return fmt::format("tanh({})", x);
    if (name == "relu") return fmt::format("max({},0)", x);
    if (name == "affine") return fmt::format("({}*({})+{})", a, x, b);
    if (name == "leakyrelu") return fmt::format("select({0}<0,{1}*({0}),{0})", x, a);
    if (name == "thresholdedrelu") return fmt::format("select({0}>{1},{0},0)", x, a);
    if (name == "scaledtanh") return fmt::format("({}*tanh({}*({})))", a, b, x);
    if (name == "hardsigmoid") return fmt::format("clamp({}*({})+{},0,1)", a, x, b);
    if (name == "elu") return fmt::format("select({0}<0,{1}*(exp({0})-1),{0})", x, a);
    if (name == "softsign") return fmt::format("(({0})/(1+abs({0})))", x);
    return fmt::format("(max({0},0)+log(1+exp(-abs({0}))))", x);  // softplus
  }
};

struct KnownActivation {
  Activation usual;         ///< with the parameters that ONNX's operator of that name has by default
  int parameters = 0;       ///< that it has: alpha, or alpha and beta
  bool has_default = true;  ///< false: there is no such operator
};

/// Throws UnsupportedNode for a name that is none of ONNX's.
const KnownActivation& known_activation(const OperatorCall& call, const std::string& name) {
  static const std::vector<KnownActivation> known{
      {{"sigmoid"}},
      {{"tanh"}},
      {{"relu"}},
      {{"softsign"}},
      {{"softplus"}},
      {{"leakyrelu", 0.01F}, 1},
      {{"thresholdedrelu", 1}, 1},
      {{"elu", 1}, 1},
      {{"hardsigmoid", 0.2F, 0.5F}, 2},
      {{"affine"}, 2, false},
      {{"scaledtanh"}, 2, false},
  };
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const KnownActivation& a) { return a.usual.name == lower; });
  call.require(found != known.end(), fmt::format("its activation {} is not known", name));
  return *found;
}

/// The functions of all directions, one after the other.
std::vector<Activation> activations_of(const OperatorCall& call, std::size_t directions,
                                       const std::vector<std::string>& usual) {
  std::vector<std::string> names = call.texts("activations");
  if (names.empty()) {
    for (std::size_t d = 0; d < directions; ++d) names.insert(names.end(), usual.begin(), usual.end());
  }
  call.require_valid(names.size() == directions * usual.size(), "it has another number of activations");
  const std::vector<double> alphas = call.reals("activation_alpha"), betas = call.reals("activation_beta");
  std::size_t next_alpha = 0, next_beta = 0;
  std::vector<Activation> activations;
  for (const std::string& name : names) {
    const KnownActivation& known = known_activation(call, name);
    Activation activation = known.usual;
    // Functions without parameters take none of the lists.
    const bool takes_alpha = known.parameters >= 1 && next_alpha < alphas.size();
    const bool takes_beta = known.parameters >= 2 && next_beta < betas.size();
    call.require(known.has_default || (takes_alpha && takes_beta),
                 fmt::format("its activation {} has no parameters", name));
    if (takes_alpha) activation.alpha = alphas[next_alpha++];
    if (takes_beta) activation.beta = betas[next_beta++];
    activations.push_back(std::move(activation));
  }
  return activations;
}

/// What LSTM, GRU and RNN have in common. Gates are a dimension of W, R and B.
class Recurrence {
 public:
  Recurrence(OperatorCall& call, std::int64_t gate_count, const std::vector<std::string>& usual_activations)
      : gates(gate_count), call_(call), batch_first_(call.integer("layout", 0) != 0) {
    for (const std::size_t input : {0, 1, 2}) require_floats(call, input);
    call.require_valid(call.rank(0) == 3 && call.rank(1) == 3 && call.rank(2) == 3, "X, W or R is no tensor of rank 3");
    type = call.type(0).type;
    wide = wide_type(type);
    const std::vector<std::int64_t>&x = call.shape(0), &w = call.shape(1), &r = call.shape(2);
    steps = x[batch_first_ ? 1 : 0];
    batch = x[batch_first_ ? 0 : 1];
    hidden = r[2];
    const std::string direction = call.text("direction", "forward");
    directions = direction == "bidirectional" ? 2 : 1;
    is_reversed_ = direction == "reverse";
    call.require_valid(directions == 2 || is_reversed_ || direction == "forward", "direction is none of ONNX's");
    call.require_valid(w == std::vector{directions, gates * hidden, x[2]} &&
                           r == std::vector{directions, gates * hidden, hidden} &&
                           call.integer("hidden_size", hidden) == hidden,
                       "the shapes of X, W and R do not fit");
    constexpr std::int64_t kMaxState = std::int64_t{1} << 26;
    call.require(batch <= kMaxState && hidden <= kMaxState / batch, "its state has more than 2^26 numbers");
    call.require(steps <= kMaxSteps, fmt::format("its sequence of {} steps is longer than {}", steps, kMaxSteps));
    if (call.has_input(4)) {
      for (const std::int64_t length : call.constant_integers(4)) {
        call.require(length == steps, "sequence_lens has sequences that are shorter than the others");
      }
    }
    clip_ = call.real("clip", 0);
    activations_ = activations_of(call, static_cast<std::size_t>(directions), usual_activations);
  }

  bool goes_back(std::int64_t direction) const { return direction == 1 || is_reversed_; }

  /// Activation number n of a direction.
  const Activation& activation(std::int64_t direction, std::size_t n) const {
    const std::size_t count = activations_.size() / static_cast<std::size_t>(directions);
    return activations_[static_cast<std::size_t>(direction) * count + n];
  }
  /// The term of a gate after the clip, which the cell of an LSTM does not take.
  std::string activated(std::int64_t direction, std::size_t n, const std::string& x) const {
    return activation(direction, n).of(clipped(x));
  }
  std::string widened(std::string read) const { return conversion(std::move(read), type, wide); }
  std::string narrowed(std::string value) const { return conversion(std::move(value), wide, type); }
  std::string sizes() const { return fmt::format(" b={} h={}", batch, hidden); }

  /// The part of an operand of one direction, whose outermost dimension counts them, in this shape.
  ValueId part(ValueId value, std::int64_t direction, std::vector<std::int64_t> shape) const {
    std::vector<std::int64_t> extents = call_.graph().type(value).shape;
    if (extents[0] > 1) {
      extents[0] = 1;
      value = row(value, direction, extents);
    }
    return call_.reshape(value, std::move(shape));
  }

  /// W, X and B multiplied and added up for all steps: [steps, batch, gates * hidden].
  ValueId inputs_of_gates(std::int64_t direction, std::optional<ValueId> bias) const {
    const std::int64_t results = gates * hidden, inputs = call_.shape(0)[2];
    std::vector<GraphOperand> operands{{"X", call_.input(0)},
                                       {"W", part(call_.input(1), direction, {results, inputs})}};
    std::string value = fmt::format("sum(i,{}*{})", widened(batch_first_ ? "X[b,t,i]" : "X[t,b,i]"), widened("W[j,i]"));
    if (bias) {
      value += "+" + widened("B[j]");
      operands.push_back({"B", *bias});
    }
    return call_.apply(fmt::format("G[t,b,j]={} t={} b={} i={} j={}", narrowed(value), steps, batch, inputs, results),
                       operands);
  }

  /// The sum of both biases of each gate, or of those below `both` alone; nullopt: there is none.
  std::optional<ValueId> bias_of(std::int64_t direction, std::int64_t both) const {
    if (!call_.has_input(3)) return std::nullopt;
    const std::int64_t results = gates * hidden;
    call_.require_valid(call_.shape(3) == std::vector{directions, 2 * results}, "the shape of B does not fit");
    const std::string sum =
        widened(fmt::format("B[{},j]", direction)) + "+" + widened(fmt::format("B[{},j+{}]", direction, results));
    const std::string value = both == gates ? sum
                                            : fmt::format("select(j<{},{},{})", both * hidden, sum,
                                                          widened(fmt::format("B[{},j]", direction)));
    return call_.apply(fmt::format("Y[j]={} j={}", narrowed(value), results), {{"B", call_.input(3)}});
  }

  /// One step of the inputs of gates: [batch, gates, hidden].
  ValueId step_of(ValueId inputs, std::int64_t step) const {
    if (steps > 1) inputs = row(inputs, step, {1, batch, gates * hidden});
    return call_.reshape(inputs, {batch, gates, hidden});
  }

  /// An operand that holds the state before the first step, or zeros: [batch, hidden].
  ValueId initial_state(std::size_t input, std::int64_t direction) const {
    const std::vector<std::int64_t> shape{batch, hidden};
    if (!call_.has_input(input)) {
      const TensorType zeros{type, shape};
      return call_.graph().add_constant(zeros, std::vector<std::byte>(zeros.size_bytes()));
    }
    const ValueId state = call_.input(input);
    call_.require_valid(call_.shape(input) == (batch_first_ ? std::vector{batch, directions, hidden}
                                                            : std::vector{directions, batch, hidden}),
                        "the shape of an initial state does not fit");
    if (!batch_first_ || directions == 1)
      return part(call_.reshape(state, {directions, batch, hidden}), direction, shape);
    return call_.apply(fmt::format("Y[b,h]=S[b,{},h]{}", direction, sizes()), {{"S", state}});
  }

  /// Y of the states after each step, directions inside, and the last states, directions outside.
  void set_outputs(const std::vector<ValueId>& after_steps,
                   const std::vector<std::vector<ValueId>>& last_states) const {
    if (call_.has_output(0)) {
      ValueId all = call_.reshape(stacked(after_steps), {steps, directions, batch, hidden});
      if (batch_first_) {
        all = batch == 1 ? call_.reshape(all, {batch, steps, directions, hidden})
                         : call_.apply("Y[b,t,d,h]=S[t,d,b,h]", {{"S", all}});
      }
      call_.set_output(0, all);
    }
    for (std::size_t i = 0; i < last_states.size(); ++i) {
      if (!call_.has_output(i + 1)) continue;
      ValueId last = stacked(last_states[i]);
      if (batch_first_) {
        last = directions == 1 || batch == 1 ? call_.reshape(last, {batch, directions, hidden})
                                             : call_.apply("Y[b,d,h]=S[d,b,h]", {{"S", last}});
      }
      call_.set_output(i + 1, last);
    }
  }

  std::int64_t gates, steps = 0, batch = 0, hidden = 0, directions = 0;
  ir::Type type, wide;  ///< of the operands, and that in which is computed

 private:
  std::string clipped(const std::string& x) const {
    return clip_ == 0 ? x : fmt::format("clamp({0},-{1},{1})", x, number_text(clip_));
  }

  /// One index of the outermost dimension, as Slice takes it.
  ValueId row(ValueId value, std::int64_t at, const std::vector<std::int64_t>& shape) const {
    const Indices indices(shape);
    std::vector<std::string> read = indices.names();
    read[0] = std::to_string(at);
    return call_.apply(fmt::format("Y[{}]=X[{}]{}", indices.list(), joined(read), indices.sizes()), {{"X", value}});
  }

  /// States one after the other: [states, batch, hidden].
  ValueId stacked(const std::vector<ValueId>& states) const {
    constexpr std::size_t kMostJoined = 64;  // a longer expression is nested too deep
    std::vector<ValueId> parts;
    for (const ValueId state : states) parts.push_back(call_.reshape(state, {1, batch, hidden}));
    while (parts.size() > 1) {
      std::vector<ValueId> wholes;
      for (std::size_t first = 0; first < parts.size(); first += kMostJoined) {
        const std::size_t end = std::min(first + kMostJoined, parts.size());
        wholes.push_back(concatenation(
            call_,
            {parts.begin() + static_cast<std::ptrdiff_t>(first), parts.begin() + static_cast<std::ptrdiff_t>(end)}, 0));
      }
      parts = std::move(wholes);
    }
    return parts[0];
  }

  OperatorCall& call_;
  bool batch_first_, is_reversed_ = false;
  double clip_ = 0;
  std::vector<Activation> activations_;
};

/// Runs all steps of all directions. `begin(direction)` gives the states before the first, of which the first is the
/// result of a step; `step(direction, inputs, states)` gives those after it.
template <class Begin, class Step>
void run_steps(const Recurrence& net, const std::vector<ValueId>& inputs, const Begin& begin, const Step& step) {
  std::vector<ValueId> after(static_cast<std::size_t>(net.steps * net.directions));
  std::vector<std::vector<ValueId>> last;
  for (std::int64_t d = 0; d < net.directions; ++d) {
    std::vector<ValueId> states = begin(d);
    last.resize(states.size());
    for (std::int64_t n = 0; n < net.steps; ++n) {
      const std::int64_t t = net.goes_back(d) ? net.steps - 1 - n : n;
      states = step(d, net.step_of(inputs[static_cast<std::size_t>(d)], t), states);
      after[static_cast<std::size_t>(t * net.directions + d)] = states[0];
    }
    for (std::size_t i = 0; i < states.size(); ++i) last[i].push_back(states[i]);
  }
  net.set_outputs(after, last);
}

std::vector<ValueId> inputs_of_directions(const Recurrence& net, std::int64_t gates_with_both) {
  std::vector<ValueId> inputs;
  for (std::int64_t d = 0; d < net.directions; ++d) {
    inputs.push_back(net.inputs_of_gates(d, net.bias_of(d, gates_with_both)));
  }
  return inputs;
}

/// The recurrent weights of each direction: [gates, hidden, hidden].
std::vector<ValueId> weights_of_directions(OperatorCall& call, const Recurrence& net) {
  std::vector<ValueId> weights;
  for (std::int64_t d = 0; d < net.directions; ++d) {
    weights.push_back(net.part(call.input(2), d, {net.gates, net.hidden, net.hidden}));
  }
  return weights;
}

/// H times the recurrent weights of the gates, which are g.
std::string recurrent_sum(const Recurrence& net) {
  return fmt::format("sum(k,{}*{})", net.widened("H[b,k]"), net.widened("R[g,h,k]"));
}

/// Gates are i, o, f and c. H and C are the states before the step, Y and C's copy those after it.
void lstm(OperatorCall& call) {
  const Recurrence net(call, 4, {"Sigmoid", "Tanh", "Tanh"});
  const bool couples = call.integer("input_forget", 0) != 0, has_peepholes = call.has_input(7);
  std::vector<ValueId> peepholes;
  if (has_peepholes) {
    call.require_valid(call.shape(7) == std::vector{net.directions, 3 * net.hidden}, "the shape of P does not fit");
    for (std::int64_t d = 0; d < net.directions; ++d) {
      peepholes.push_back(net.part(call.input(7), d, {3, net.hidden}));
    }
  }
  const std::vector<ValueId> weights = weights_of_directions(call, net);
  const auto begin = [&](std::int64_t d) { return std::vector{net.initial_state(5, d), net.initial_state(6, d)}; };
  const auto step = [&](std::int64_t d, ValueId inputs, const std::vector<ValueId>& states) {
    const std::string old = net.widened("C[b,h]");
    const auto gate = [&](int g, int peephole, const std::string& cell) {
      std::string sum = fmt::format("S[b,{},h]", g);
      if (has_peepholes && peephole >= 0) {
        sum += fmt::format("+{}*{}", net.widened(fmt::format("P[{},h]", peephole)), cell);
      }
      return sum;
    };
    std::string text = fmt::format("S[b,g,h]={}+{};", recurrent_sum(net), net.widened("X[b,g,h]"));
    text += fmt::format("I[b,h]={};", net.activated(d, 0, gate(0, 0, old)));
    const std::string forget = couples ? "(1-I[b,h])" : net.activated(d, 0, gate(2, 2, old));
    text += fmt::format("D[b,h]={}*{}+I[b,h]*{};", forget, old, net.activated(d, 1, gate(3, -1, "")));
    text += fmt::format("Y[b,h]={};", net.narrowed(fmt::format("{}*{}", net.activated(d, 0, gate(1, 1, "D[b,h]")),
                                                               net.activation(d, 2).of("D[b,h]"))));
    text += fmt::format("Z[b,h]={}{} g=4", net.narrowed("D[b,h]"), net.sizes());
    std::vector<GraphOperand> operands{
        {"H", states[0]}, {"C", states[1]}, {"R", weights[static_cast<std::size_t>(d)]}, {"X", inputs}};
    if (has_peepholes) operands.push_back({"P", peepholes[static_cast<std::size_t>(d)]});
    return call.apply_all(text, operands);
  };
  run_steps(net, inputs_of_directions(net, 4), begin, step);
}

/// Gates are z, r and h.
void gru(OperatorCall& call) {
  const Recurrence net(call, 3, {"Sigmoid", "Tanh"});
  const bool resets_product = call.integer("linear_before_reset", 0) != 0;
  const std::vector<ValueId> weights = weights_of_directions(call, net);
  const auto begin = [&](std::int64_t d) { return std::vector{net.initial_state(5, d)}; };
  const auto step = [&](std::int64_t d, ValueId inputs, const std::vector<ValueId>& states) {
    const auto gate = [&](int g) {
      return net.activated(d, 0, fmt::format("S[b,{},h]+{}", g, net.widened(fmt::format("X[b,{},h]", g))));
    };
    std::vector<GraphOperand> operands{{"H", states[0]}, {"R", weights[static_cast<std::size_t>(d)]}, {"X", inputs}};
    std::string text = fmt::format("S[b,g,h]={};Z[b,h]={};", recurrent_sum(net), gate(0)), product;
    if (resets_product) {
      product = "S[b,2,h]";
      if (call.has_input(3)) {
        // The bias of the recurrent product is reset, too.
        product = fmt::format("({}+{})", product, net.widened(fmt::format("B[{},h+{}]", d, 5 * net.hidden)));
        operands.push_back({"B", call.input(3)});
      }
      product = fmt::format("{}*{}", gate(1), product);
    } else {
      text += fmt::format("T[b,h]={}*{};", gate(1), net.widened("H[b,h]"));
      product = fmt::format("sum(k,T[b,k]*{})", net.widened("R[2,h,k]"));
    }
    // A statement of its own, as activations may mention their operand twice.
    text += fmt::format("N[b,h]={}+{};", product, net.widened("X[b,2,h]"));
    text += fmt::format(
        "Y[b,h]={}{} g={}",
        net.narrowed(fmt::format("(1-Z[b,h])*{}+Z[b,h]*{}", net.activated(d, 1, "N[b,h]"), net.widened("H[b,h]"))),
        net.sizes(), resets_product ? 3 : 2);
    return call.apply_all(text, operands);
  };
  run_steps(net, inputs_of_directions(net, resets_product ? 2 : 3), begin, step);
}

void rnn(OperatorCall& call) {
  const Recurrence net(call, 1, {"Tanh"});
  const std::vector<ValueId> weights = weights_of_directions(call, net);
  const auto begin = [&](std::int64_t d) { return std::vector{net.initial_state(5, d)}; };
  const auto step = [&](std::int64_t d, ValueId inputs, const std::vector<ValueId>& states) {
    const std::string text = fmt::format("S[b,g,h]={}+{};Y[b,h]={}{} g=1", recurrent_sum(net), net.widened("X[b,g,h]"),
                                         net.narrowed(net.activated(d, 0, "S[b,0,h]")), net.sizes());
    return call.apply_all(text, {{"H", states[0]}, {"R", weights[static_cast<std::size_t>(d)]}, {"X", inputs}});
  };
  run_steps(net, inputs_of_directions(net, 1), begin, step);
}

}  // namespace

std::vector<OnnxOperator> recurrent_operators() {
  return {
      {"GRU",
       7,
       kNewestOpset,
       {"activation_alpha", "activation_beta", "activations", "clip", "direction", "hidden_size", "layout",
        "linear_before_reset"},
       gru},
      {"LSTM",
       7,
       kNewestOpset,
       {"activation_alpha", "activation_beta", "activations", "clip", "direction", "hidden_size", "input_forget",
        "layout"},
       lstm},
      {"RNN",
       7,
       kNewestOpset,
       {"activation_alpha", "activation_beta", "activations", "clip", "direction", "hidden_size", "layout"},
       rnn},
  };
}

}  // namespace nestwright
