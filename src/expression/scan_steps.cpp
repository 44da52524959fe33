#include "expression/scan_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ir/traversal/linear.h"
#include "ir/traversal/rewrite.h"
#include "nestwright/error.h"
#include "nestwright/program.h"

namespace nestwright {
namespace {

using ir::Interval;

bool contains(const std::vector<Buffer>& buffers, const Buffer& buffer) {
  return std::find(buffers.begin(), buffers.end(), buffer) != buffers.end();
}

/// Decides which operations depend on a state.
class Origin {
 public:
  explicit Origin(const std::vector<Buffer>& states) : states_(states) {}

  bool is_made_from_state(const Operation& op) {
    if (const auto known = known_.find(op); known != known_.end()) return known->second;
    bool result = op.is_placeholder() && contains(states_, op->results.front());
    const bool ends_here = op.scan() != nullptr && contains(states_, op.scan()->states.front());
    for (std::size_t i = 0; !ends_here && i < op->inputs.size(); ++i) {
      result = is_made_from_state(op->inputs[i]) || result;
    }
    return known_[op] = result;
  }

 private:
  const std::vector<Buffer>& states_;
  std::map<Operation, bool> known_;
};

class StepAnalysis {
 public:
  StepAnalysis(const ScanOp& scan, const std::vector<Operation>& updates, const std::vector<Operation>& feeders,
               const std::string& name)
      : scan_(scan), name_(name), origin_(scan.states), time_("t"), order_(feeders) {
    for (const Operation& update : updates) collect(update, updates);
    for (const Operation& update : updates) {
      offsets_[update].assign(update.compute()->axes.size(), {});
      offsets_[update][0] = Interval{0, 0};
    }
    // Readers before their producers.
    for (auto op = order_.rbegin(); op != order_.rend(); ++op) look_at(*op);
  }

  StepOffsets take() { return std::move(offsets_); }

 private:
  void collect(const Operation& op, const std::vector<Operation>& updates) {
    const bool is_update = std::find(updates.begin(), updates.end(), op) != updates.end();
    if (op.is_placeholder() || (!is_update && !origin_.is_made_from_state(op)) || !seen_.insert(op).second) return;
    if (op.scan() != nullptr) {
      throw UsageError(fmt::format(
          "scan '{}': scan '{}' is made from a state of it: a step cannot hold another scan, write out its steps",
          name_, op->name));
    }
    for (const Operation& input : op->inputs) collect(input, updates);
    order_.push_back(op);
  }

  void look_at(const Operation& op) {
    const ComputeOp& compute = *op.compute();
    ir::Ranges ranges;
    ranges.bind(time_, scan_.time().min(), scan_.time().extent());
    ir::Substitution values;
    offsets_[op].resize(compute.axes.size());
    for (std::size_t a = 0; a < compute.axes.size(); ++a) {
      const IterVar& axis = compute.axes[a];
      const std::optional<Interval>& offset = offsets_[op][a];
      if (!offset) {
        ranges.bind(axis.var(), axis.min(), axis.extent());
      } else if (offset->is_point()) {
        values[axis.var()] = time_ + Expr(offset->lo);
      } else {
        const Var apart(axis.name());
        ranges.bind(apart, *offset);
        values[axis.var()] = time_ + apart;
      }
    }
    for (const IterVar& axis : compute.reduce_axes) ranges.bind(axis.var(), axis.min(), axis.extent());
    const auto look = [&](const Expr& part) {
      if (const auto* load = part.as<ir::Load>()) read(op, *load, values, ranges);
    };
    for (const Expr& e : compute.operands()) ir::for_each_expr(e, look);
  }

  void read(const Operation& reader, const ir::Load& load, const ir::Substitution& values, const ir::Ranges& ranges) {
    if (contains(scan_.states, load.buffer)) {
      check_state(reader, load, ir::to_linear(ir::substitute(load.indices[0], values)), ranges);
      return;
    }
    const auto made_here = [&](const Operation& op) { return contains(op->results, load.buffer); };
    const auto producer = std::find_if(order_.begin(), order_.end(), made_here);
    if (producer == order_.end()) return;
    std::vector<std::optional<Interval>> moves;
    for (const Expr& index : load.indices) {
      const ir::Linear at = ir::to_linear(ir::substitute(index, values));
      const Interval apart = ir::bounds(at.expr() - time_, ranges);
      const bool moves_along = at.coefficient(time_) == 1 && !at.is_nonlinear_in(time_) && apart.bounded();
      moves.push_back(moves_along ? std::optional(apart) : std::nullopt);
    }
    if (contains(scan_.update, load.buffer)) {
      if (moves[0] && moves[0]->is_point() && moves[0]->lo == 0) return;
      throw UsageError(fmt::format(
          "scan '{}': '{}' reads update '{}' at {}, which is not the step that is computed: read the state instead",
          name_, reader->name, load.buffer->name, ir::to_string(load.indices[0])));
    }
    auto& known = offsets_[*producer];
    if (known.empty()) {
      known = std::move(moves);
      return;
    }
    for (std::size_t a = 0; a < known.size(); ++a) {
      known[a] =
          known[a] && moves[a]
              ? std::optional(Interval{std::min(known[a]->lo, moves[a]->lo), std::max(known[a]->hi, moves[a]->hi)})
              : std::nullopt;
    }
  }

  void check_state(const Operation& reader, const ir::Load& load, const ir::Linear& at,
                   const ir::Ranges& ranges) const {
    const std::int64_t k = scan_.first_steps();
    const Interval apart = ir::bounds(at.expr() - time_, ranges);
    if (apart.lo >= -k && apart.hi <= -1) return;
    const bool moves_along = at.coefficient(time_) == 1 && !at.is_nonlinear_in(time_) && apart.bounded();
    std::string why = "cannot be shown to be an earlier step";
    if (apart.lo >= 0 || (moves_along && apart.hi >= 0)) {
      why = "is the step that is computed, or a later one";
    } else if (apart.hi < -k || (moves_along && apart.lo < -k)) {
      why = fmt::format("lies further back than the {} that init gives", k == 1 ? "step" : fmt::format("{} steps", k));
    }
    throw UsageError(fmt::format("scan '{}': '{}' reads state '{}' at {}, which {}: step t may read {}", name_,
                                 reader->name, load.buffer->name, ir::to_string(load.indices[0]), why,
                                 k == 1 ? "t - 1" : fmt::format("t - 1 to t - {}", k)));
  }

  const ScanOp& scan_;
  const std::string& name_;
  Origin origin_;
  Var time_;
  std::set<Operation> seen_;
  std::vector<Operation> order_;  ///< producers first
  StepOffsets offsets_;
};

}  // namespace

StepOffsets step_offsets(const ScanOp& scan, const std::vector<Operation>& updates, const std::string& name) {
  return StepAnalysis(scan, updates, {}, name).take();
}

StepOffsets step_offsets(const Operation& op, const std::vector<Operation>& feeders) {
  std::vector<Operation> updates;
  for (const Operation& input : op->inputs) {
    if (contains(op.scan()->update, input->results.front())) updates.push_back(input);
  }
  return StepAnalysis(*op.scan(), updates, feeders, op->name).take();
}

std::vector<IterVar> step_axes(const Operation& op, const StepOffsets& offsets, const ScanOp& scan) {
  std::vector<IterVar> axes = op.compute()->axes;
  const auto moves = offsets.find(op);
  for (std::size_t a = 0; moves != offsets.end() && a < axes.size(); ++a) {
    const std::optional<Interval>& offset = moves->second[a];
    if (!offset) continue;
    axes[a] = IterVar(axes[a].var(), scan.time().min() + Expr(offset->lo),
                      scan.time().extent() + Expr(offset->hi - offset->lo), axes[a].kind());
  }
  return axes;
}

bool depends_on_states(const Operation& op, const std::vector<Buffer>& states) {
  return Origin(states).is_made_from_state(op);
}

}  // namespace nestwright
