// The primitives of a trace as C++. The steps are replayed on a fresh schedule, which has the tensors and loops that
// each of them makes.
#include "schedule/trace/cpp_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "nestwright/error.h"
#include "schedule/state/state.h"
#include "schedule/trace/cpp_names.h"
#include "schedule/trace/step_reader.h"

namespace nestwright {
namespace {

/// A statement, and the identifiers that it declares.
struct Statement {
  std::string type;                ///< "const auto", "const IterVar", ...
  std::vector<std::string> names;  ///< none: it declares nothing; several: a structured binding
  std::string call;
};

const char* scope_enumerator(ir::Scope scope) {
  switch (scope) {
    case ir::Scope::kGlobal:
      return "ir::Scope::kGlobal";
    case ir::Scope::kShared:
      return "ir::Scope::kShared";
    case ir::Scope::kLocal:
      return "ir::Scope::kLocal";
    case ir::Scope::kRegister:
      return "ir::Scope::kRegister";
    case ir::Scope::kTile:
      return "ir::Scope::kTile";
    case ir::Scope::kFragment:
      return "ir::Scope::kFragment";
  }
  throw InternalError("internal error: unknown scope");
}

/// "threadIdx.x" -> "kThreadIdxX"
std::string thread_axis_text(ir::LoopKind axis) {
  const std::pair<ir::LoopKind, const char*> names[] = {{kBlockIdxX, "kBlockIdxX"},   {kBlockIdxY, "kBlockIdxY"},
                                                        {kBlockIdxZ, "kBlockIdxZ"},   {kThreadIdxX, "kThreadIdxX"},
                                                        {kThreadIdxY, "kThreadIdxY"}, {kThreadIdxZ, "kThreadIdxZ"},
                                                        {kVThread, "kVThread"}};
  for (const auto& [kind, name] : names) {
    if (kind == axis) return name;
  }
  throw InternalError("internal error: a loop is bound to no thread axis");
}

std::string size_text(const SplitSize& size) {
  if (size.nparts != 0) return fmt::format("nparts({})", size.nparts);
  if (size.factors.size() == 1) return fmt::format("factor({})", size.factors.front());
  return fmt::format("SplitSize{{{{{}}}, 0}}", fmt::join(size.factors, ", "));
}

/// The tail strategy as the last argument of a call; empty for the default.
std::string tail_text(const Tail& tail) {
  switch (tail.kind) {
    case TailKind::kGuard:
      return "";
    case TailKind::kPartition:
      return ", Tail::partition()";
    case TailKind::kPredicate:
      return ", Tail::predicate()";
    case TailKind::kCompose:
      return fmt::format(", Tail::compose({{{}}})", fmt::join(tail.segments, ", "));
  }
  throw InternalError("internal error: unknown tail strategy");
}

std::string intrinsic_text(const std::string& name) {
  try {
    find_tensor_intrinsic(name);
  } catch (const UsageError&) {
    throw UsageError(fmt::format("the intrinsic '{}' is the user's own, which has no text as C++", name));
  }
  return fmt::format("find_tensor_intrinsic(\"{}\")", name);
}

bool makes_loops(const std::string& primitive) {
  return primitive == "split" || primitive == "fuse" || primitive == "tile";
}

class PrimitivePrinter {
 public:
  PrimitivePrinter(const Schedule& printed, CppNames names)
      : names_(std::move(names)), schedule_(create_schedule(printed.state().outputs)) {
    for (const StageState& stage : printed.state().stages) {
      if (stage.tensorize) intrinsics_.push_back(*stage.tensorize->intrinsic);
    }
  }

  void add(const TraceStep& step) {
    const StepReader reader(schedule_, step, intrinsics_);
    Statement statement{"", {}, call_of(step.primitive, reader)};
    std::map<Tensor, std::size_t, TensorOrder> before;
    for (const StageState& stage : schedule_.state().stages) before[stage.origin] = stage.named.size();
    replay_step(schedule_, step, intrinsics_);
    if (step.primitive == "transform_layout") {
      name_layout(reader.tensor(0), statement);
    } else {
      for (const StageState& stage : schedule_.state().stages) {
        const auto was = before.find(stage.origin);
        if (was == before.end()) {
          name_tensor(stage, statement);
        } else if (stage.named.size() > was->second && makes_loops(step.primitive)) {
          name_loops(stage, was->second, step.primitive, statement);
        }
      }
    }
    statements_.push_back(std::move(statement));
  }

  std::string str() const {
    std::string text;
    for (const Statement& s : statements_) {
      const bool is_used =
          std::any_of(s.names.begin(), s.names.end(), [&](const std::string& name) { return used_.contains(name); });
      if (!is_used) {
        text += s.call + ";\n";
        continue;
      }
      const std::string names = s.names.size() == 1 ? s.names.front() : fmt::format("[{}]", fmt::join(s.names, ", "));
      text += fmt::format("{} {} = {};\n", s.type, names, s.call);
    }
    return text;
  }

 private:
  struct TensorOrder {
    bool operator()(const Tensor& a, const Tensor& b) const { return a.buffer() < b.buffer(); }
  };

  const StageState& state_of(const Tensor& origin) const {
    const auto& stages = schedule_.state().stages;
    return *std::find_if(stages.begin(), stages.end(), [&](const StageState& s) { return s.origin == origin; });
  }

  std::string text_of(const Tensor& tensor) {
    const std::string& name = names_.tensors.at(tensor.buffer());
    used_.insert(name);
    return name;
  }

  /// The identifier of a loop; declares one for an axis that has none yet.
  std::string text_of(const std::pair<Tensor, IterVar>& place) {
    const auto& [origin, loop] = place;
    if (const auto known = names_.axes.find(loop.var()); known != names_.axes.end()) {
      used_.insert(known->second.substr(0, known->second.find('[')));
      return known->second;
    }
    const ComputeOp& op = *state_of(origin).op.compute();
    const auto axis_text = [&](const std::vector<IterVar>& axes, const char* call) -> std::string {
      const auto found = std::find(axes.begin(), axes.end(), loop);
      return found == axes.end() ? "" : fmt::format("s[{}].{}({})", text_of(origin), call, found - axes.begin());
    };
    std::string call = axis_text(op.axes, "axis");
    if (call.empty()) call = axis_text(op.reduce_axes, "reduce_axis");
    check(!call.empty(), "a loop of a schedule is neither an axis nor made by a primitive");
    const std::string name = names_.make(names_.tensors.at(origin.buffer()) + "_" + loop.name());
    names_.axes[loop.var()] = name;
    used_.insert(name);
    statements_.push_back({"const IterVar", {name}, call});
    return name;
  }

  std::string loop_text(const StepReader& r, std::size_t i) { return text_of(r.find_loop(r.word(i), i)); }
  /// The stage of a loop.
  std::string stage_text(const StepReader& r, std::size_t i) {
    return fmt::format("s[{}]", text_of(r.find_loop(r.word(i), i).first));
  }

  std::string call_of(const std::string& primitive, const StepReader& r) {
    if (primitive == "split") {
      const std::string loop = loop_text(r, 0);
      return fmt::format("{}.split({}, {}{})", stage_text(r, 0), loop, size_text(r.split_size(1)),
                         tail_text(Tail::parse(r.after(2, "tail="))));
    }
    if (primitive == "tile") {
      return fmt::format("{}.tile({}, {}, {}, {}{})", stage_text(r, 0), loop_text(r, 0), loop_text(r, 1), r.number(2),
                         r.number(3), tail_text(Tail::parse(r.after(4, "tail="))));
    }
    if (primitive == "fuse") return fmt::format("{}.fuse({}, {})", stage_text(r, 0), loop_text(r, 0), loop_text(r, 1));
    if (primitive == "reorder") {
      std::vector<std::string> loops;
      for (std::size_t i = 0; i < r.count(); ++i) loops.push_back(loop_text(r, i));
      return fmt::format("{}.reorder({{{}}})", stage_text(r, 0), fmt::join(loops, ", "));
    }
    if (primitive == "vectorize" || primitive == "unroll" || primitive == "parallel") {
      return fmt::format("{}.{}({})", stage_text(r, 0), primitive, loop_text(r, 0));
    }
    if (primitive == "bind") {
      return fmt::format("{}.bind({}, {})", stage_text(r, 0), loop_text(r, 0), thread_axis_text(r.thread_axis(1)));
    }
    if (primitive == "compute_at") {
      return fmt::format("s[{}].compute_at({}, {})", text_of(r.tensor(0)), stage_text(r, 1), loop_text(r, 1));
    }
    if (primitive == "compute_inline" || primitive == "compute_root" || primitive == "prepare" ||
        primitive == "stream") {
      return fmt::format("s[{}].{}()", text_of(r.tensor(0)), primitive);
    }
    if (primitive == "set_scope") {
      return fmt::format("s[{}].set_scope({})", text_of(r.tensor(0)), scope_enumerator(r.scope(1)));
    }
    if (primitive == "double_buffer") {
      return fmt::format("s[{}].double_buffer({})", text_of(r.tensor(0)), r.count() > 1 ? r.after(1, "stages=") : "2");
    }
    if (primitive == "prefetch") {
      return fmt::format("{}.prefetch({}, {}, {})", stage_text(r, 1), text_of(r.tensor(0)), loop_text(r, 1),
                         r.number(2));
    }
    if (primitive == "storage_align") {
      return fmt::format("{}.storage_align({}, {}, {})", stage_text(r, 0), loop_text(r, 0), r.number(1), r.number(2));
    }
    if (primitive == "pragma") {
      return fmt::format("{}.pragma({}, \"{}\", {})", stage_text(r, 0), loop_text(r, 0), r.word(1), r.number(2));
    }
    if (primitive == "tensorize") {
      return fmt::format("{}.tensorize({}, {})", stage_text(r, 0), loop_text(r, 0), intrinsic_text(r.word(1)));
    }
    return call_of_new_stage(primitive, r);
  }

  std::string call_of_new_stage(const std::string& primitive, const StepReader& r) {
    if (primitive == "rfactor") {
      return fmt::format("s.rfactor({}, {}, {})", text_of(r.find_loop(r.word(0), 0).first), loop_text(r, 0),
                         r.after(1, "axis="));
    }
    if (primitive == "cache_read") {
      std::vector<std::string> readers;
      for (std::size_t i = 2; i < r.count(); ++i) readers.push_back(text_of(r.tensor(i)));
      return fmt::format("s.cache_read({}, {}, {{{}}})", text_of(r.tensor(0)), scope_enumerator(r.scope(1)),
                         fmt::join(readers, ", "));
    }
    if (primitive == "cache_write") {
      const std::string below = r.count() > 2 ? ", " + text_of(r.find_loop(r.after(2, "below="), 2)) : "";
      return fmt::format("s.cache_write({}, {}{})", text_of(r.tensor(0)), scope_enumerator(r.scope(1)), below);
    }
    check(primitive == "transform_layout", "a primitive has no text as C++");
    std::vector<std::string> indices;
    for (std::size_t i = 1; i < r.count(); ++i) {
      const std::string& word = r.word(i);
      const std::size_t sign = word.find_first_of("/%");
      const std::string by = sign == std::string::npos ? "" : fmt::format(" {} {}", word[sign], word.substr(sign + 1));
      indices.push_back(fmt::format("at[{}]{}", word.substr(0, sign), by));
    }
    return fmt::format("s.transform_layout({}, [](auto at) {{ return std::vector<Expr>{{{}}}; }})",
                       text_of(r.tensor(0)), fmt::join(indices, ", "));
  }

  void name_tensor(const StageState& stage, Statement& statement) {
    const std::string name = names_.make(stage.name);
    names_.tensors[stage.origin.buffer()] = name;
    statement.type = "const Tensor";
    statement.names = {name};
  }

  /// Names the loops that a split, a fuse or a tile has made, from number `first` on.
  void name_loops(const StageState& stage, std::size_t first, const std::string& primitive, Statement& statement) {
    std::vector<IterVar> made(stage.named.begin() + static_cast<std::ptrdiff_t>(first), stage.named.end());
    if (primitive == "tile") std::swap(made[1], made[2]);  // as the primitive returns them: both outer loops first
    statement.type = made.size() == 1 ? "const IterVar" : "const auto";
    for (const IterVar& loop : made) {
      const std::string name = names_.make(names_.tensors.at(stage.origin.buffer()) + "_" + loop.name());
      names_.axes[loop.var()] = name;
      statement.names.push_back(name);
    }
  }

  void name_layout(const Tensor& tensor, Statement& statement) {
    const std::string name = names_.make(names_.tensors.at(tensor.buffer()) + "_loops");
    const std::vector<IterVar>& loops = state_of(tensor).layout;  // as the primitive returns them
    for (std::size_t i = 0; i < loops.size(); ++i) names_.axes[loops[i].var()] = fmt::format("{}[{}]", name, i);
    statement.type = "const std::vector<IterVar>";
    statement.names = {name};
  }

  CppNames names_;
  Schedule schedule_;
  std::vector<TensorIntrinsic> intrinsics_;
  std::vector<Statement> statements_;
  std::set<std::string> used_;  ///< identifiers that a later statement reads
};

}  // namespace

std::string cpp_text(const Schedule& schedule, const std::vector<Tensor>& args) {
  CppNames names;
  const std::vector<Tensor>& outputs = schedule.state().outputs;
  std::string text = cpp_tensors(outputs, args, names);
  const auto list = [&](const std::vector<Tensor>& tensors) {
    std::vector<std::string> texts;
    for (const Tensor& tensor : tensors) texts.push_back(names.tensors.at(tensor.buffer()));
    return fmt::format("{}", fmt::join(texts, ", "));
  };
  text += fmt::format("const std::vector<Tensor> args = {{{}}};\n\n", list(args));
  const char* const call = outputs.size() == 1 ? "create_schedule({})" : "create_schedule(std::vector<Tensor>{{{}}})";
  text += fmt::format("Schedule s = {};\n", fmt::format(fmt::runtime(call), list(outputs)));
  PrimitivePrinter printer(schedule, names);
  for (const TraceStep& step : schedule.trace().steps()) printer.add(step);
  return text + printer.str();
}

}  // namespace nestwright
