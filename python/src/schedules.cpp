// Schedules and their primitives, and lowering.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>

#include "bindings.h"
#include "conversions.h"
#include "intrinsics.h"
#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "nestwright/schedule.h"

namespace nb = nanobind;

namespace nestwright::python {
namespace {

ir::Scope scope_from(const std::string& name) {
  for (const ir::Scope scope : {kGlobal, kShared, kLocal, kRegister, kTile, kFragment}) {
    if (name == ir::scope_name(scope)) return scope;
  }
  throw UsageError("there is no memory '" + name + "': use global, shared, local, register, tile or fragment");
}

ir::LoopKind thread_from(const std::string& name) {
  static const std::map<std::string, ir::LoopKind> kNames = {{"blockIdx.x", kBlockIdxX},   {"blockIdx.y", kBlockIdxY},
                                                             {"blockIdx.z", kBlockIdxZ},   {"threadIdx.x", kThreadIdxX},
                                                             {"threadIdx.y", kThreadIdxY}, {"threadIdx.z", kThreadIdxZ},
                                                             {"vthread", kVThread}};
  const auto found = kNames.find(name);
  if (found == kNames.end()) {
    throw UsageError("there is no thread index '" + name + "': use blockIdx.x to .z, threadIdx.x to .z, or vthread");
  }
  return found->second;
}

Tail tail_from(nb::handle object) { return Tail::parse(nb::cast<std::string>(nb::str(object))); }

SplitSize size_from(nb::handle factor_given, nb::handle parts) {
  if (factor_given.is_none() == parts.is_none()) throw UsageError("split takes either a factor or nparts");
  return parts.is_none() ? factor(integer_from(factor_given, "factor")) : nparts(integer_from(parts, "nparts"));
}

/// Loops that are given as several arguments, or as one sequence.
std::vector<IterVar> loops_from(const nb::args& loops) {
  constexpr const char* kLoops = "expected loops of the stage";
  if (loops.size() == 1 && is_list(loops[0])) return list_from<IterVar>(loops[0], kLoops);
  return list_from<IterVar>(loops, kLoops);
}

/// A stage by its schedule, which Python may hand to the library meanwhile: then using it is refused.
class PythonStage {
 public:
  PythonStage(nb::object schedule, Tensor tensor) : schedule_(std::move(schedule)), tensor_(std::move(tensor)) {
    stage();  // refuses a tensor that the schedule does not have
  }
  Stage stage() const { return nb::cast<Schedule&>(schedule_)[tensor_]; }

 private:
  nb::object schedule_;
  Tensor tensor_;
};

void add_primitives(nb::class_<PythonStage>& stage) {
  const auto chained = nb::rv_policy::reference_internal;
  stage.def(
      "split",
      [](const PythonStage& s, const IterVar& loop, nb::handle factor_given, nb::handle parts, nb::handle tail) {
        return s.stage().split(loop, size_from(factor_given, parts), tail_from(tail));
      },
      nb::arg("parent"), nb::arg("factor") = nb::none(), nb::arg("nparts") = nb::none(), nb::arg("tail") = "guard",
      "Makes two loops of one and returns (outer, inner). factor: the extent of the inner loop; nparts: at most so "
      "many outer iterations. tail: guard, partition, predicate, or compose{14,12}.");
  stage.def(
      "tile",
      [](const PythonStage& s, const IterVar& i, const IterVar& j, nb::handle factor_i, nb::handle factor_j,
         nb::handle tail) {
        return s.stage().tile(i, j, integer_from(factor_i, "x_factor"), integer_from(factor_j, "y_factor"),
                              tail_from(tail));
      },
      nb::arg("x_parent"), nb::arg("y_parent"), nb::arg("x_factor"), nb::arg("y_factor"), nb::arg("tail") = "guard",
      "Splits both loops and reorders the result, which is returned: (x outer, y outer, x inner, y inner).");
  stage.def(
      "fuse",
      [](const PythonStage& s, const nb::args& args) {
        const std::vector<IterVar> loops = loops_from(args);
        if (loops.size() < 2) throw UsageError("fuse takes at least two loops");
        IterVar fused = loops[0];
        for (std::size_t i = 1; i < loops.size(); ++i) fused = s.stage().fuse(fused, loops[i]);
        return fused;
      },
      nb::arg("args"), "Makes one loop of adjacent ones, outermost first, and returns it.");
  stage.def(
      "reorder",
      [](PythonStage& s, const nb::args& args) -> PythonStage& {
        s.stage().reorder(loops_from(args));
        return s;
      },
      nb::arg("args"), chained, "Permutes the given loops among their positions, outermost first.");
  const auto of_loop = [&](const char* name, Stage& (Stage::*primitive)(const IterVar&), const char* doc) {
    stage.def(
        name,
        [primitive](PythonStage& s, const IterVar& loop) -> PythonStage& {
          Stage stage = s.stage();
          (stage.*primitive)(loop);
          return s;
        },
        nb::arg("var"), chained, doc);
  };
  of_loop("vectorize", &Stage::vectorize, "Runs the iterations as the lanes of vectors.");
  of_loop("unroll", &Stage::unroll, "Repeats the body for each iteration.");
  of_loop("parallel", &Stage::parallel, "Runs the iterations on several threads.");
  stage.def(
      "bind",
      [](PythonStage& s, const IterVar& loop, const std::string& thread) -> PythonStage& {
        s.stage().bind(loop, thread_from(thread));
        return s;
      },
      nb::arg("ivar"), nb::arg("thread_ivar"), chained,
      "Maps the iterations to an index of a GPU: \"blockIdx.x\", \"vthread\", ....");
  stage.def(
      "compute_at",
      [](PythonStage& s, const PythonStage& parent, const IterVar& scope) -> PythonStage& {
        s.stage().compute_at(parent.stage(), scope);
        return s;
      },
      nb::arg("parent"), nb::arg("scope"), chained, "Computes the stage inside a loop of its consumer.");
  const auto plain = [&](const char* name, Stage& (Stage::*primitive)(), const char* doc) {
    stage.def(
        name,
        [primitive](PythonStage& s) -> PythonStage& {
          Stage stage = s.stage();
          (stage.*primitive)();
          return s;
        },
        chained, doc);
  };
  plain("compute_inline", &Stage::compute_inline, "Computes the elements where they are read.");
  plain("compute_root", &Stage::compute_root, "Computes the whole stage before its consumers, as at first.");
  plain("prepare", &Stage::prepare, "Computes the stage once, before the calls, from inputs that do not change.");
  plain("stream", &Stage::stream,
        "Writes the output past the caches; calls then need memory at a multiple of 64 bytes.");
  stage.def(
      "set_scope",
      [](PythonStage& s, const std::string& scope) -> PythonStage& {
        s.stage().set_scope(scope_from(scope));
        return s;
      },
      nb::arg("scope"), chained, "Stores the result in global, shared, local, register, tile or fragment memory.");
  stage.def(
      "prefetch",
      [](PythonStage& s, const Tensor& tensor, const IterVar& loop, std::int64_t offset) -> PythonStage& {
        s.stage().prefetch(tensor, loop, offset);
        return s;
      },
      nb::arg("tensor"), nb::arg("var"), nb::arg("offset"), chained,
      "Prefetches what the iteration `offset` later reads of a tensor.");
  stage.def(
      "storage_align",
      [](PythonStage& s, const IterVar& axis, std::int64_t factor_given, std::int64_t offset) -> PythonStage& {
        s.stage().storage_align(axis, factor_given, offset);
        return s;
      },
      nb::arg("axis"), nb::arg("factor"), nb::arg("offset"), chained,
      "Pads the storage so that the stride of the axis is offset modulo factor.");
  stage.def(
      "double_buffer",
      [](PythonStage& s, std::int64_t stages) -> PythonStage& {
        s.stage().double_buffer(stages);
        return s;
      },
      nb::arg("stages") = 2, chained,
      "Keeps that many copies of the storage, one of which is filled while another is read.");
  stage.def(
      "tensorize",
      [](PythonStage& s, const IterVar& loop, nb::handle intrinsic) -> PythonStage& {
        s.stage().tensorize(loop, intrinsic_from(intrinsic));
        return s;
      },
      nb::arg("var"), nb::arg("tensor_intrin"), chained,
      "Replaces the loops from `var` inwards by an instruction: what decl_tensor_intrin made, or the name of a "
      "built-in "
      "one, \"dot_u8s8_16x4\".");
  stage.def(
      "pragma",
      [](PythonStage& s, const IterVar& loop, const std::string& name, std::int64_t value) -> PythonStage& {
        s.stage().pragma(loop, name, value);
        return s;
      },
      nb::arg("var"), nb::arg("pragma_type"), nb::arg("pragma_value"), chained,
      "A hint to the lowering: auto_unroll, in_threads, estrin.");
}

nb::tuple tuple_of(const std::vector<IterVar>& loops) { return nb::tuple(nb::cast(loops)); }

std::vector<IterVar> axes_of(const Stage& stage, bool reduced) {
  const ComputeOp* const compute = stage.tensor().op().compute();
  std::vector<IterVar> axes;
  if (compute == nullptr) return axes;
  const std::size_t count = reduced ? compute->reduce_axes.size() : compute->axes.size();
  for (std::size_t i = 0; i < count; ++i) {
    const int axis = static_cast<int>(i);
    axes.push_back(reduced ? stage.reduce_axis(axis) : stage.axis(axis));
  }
  return axes;
}

void add_stage(nb::module_& m) {
  nb::class_<PythonStage> stage(
      m, "Stage",
      "The loops of one operation in a schedule, and the primitives that change them. "
      "A primitive whose preconditions do not hold raises ScheduleError and changes nothing.");
  stage.def_prop_ro(
      "axes", [](const PythonStage& s) { return tuple_of(axes_of(s.stage(), false)); },
      "The axes of the operation, before any primitive.");
  stage.def_prop_ro(
      "reduce_axes", [](const PythonStage& s) { return tuple_of(axes_of(s.stage(), true)); },
      "Its reduce axes, before any primitive.");
  stage.def_prop_ro(
      "loops", [](const PythonStage& s) { return tuple_of(s.stage().loops()); }, "The loops now, outermost first.");
  stage.def_prop_ro("tensor", [](const PythonStage& s) { return s.stage().tensor(); });
  stage.def_prop_ro("op", [](const PythonStage& s) { return s.stage().tensor().op(); });
  add_primitives(stage);
}

void add_schedule(nb::module_& m) {
  constexpr const char* kReaders = "readers are tensors";
  nb::class_<Schedule> schedule(m, "Schedule",
                                "How all tensors that the outputs depend on are computed. s[C] is the stage of C.");
  schedule.def("__getitem__",
               [](nb::handle self, const Tensor& tensor) { return PythonStage(nb::borrow(self), tensor); });
  schedule.def(
      "cache_read",
      [](Schedule& s, const Tensor& tensor, const std::string& scope, nb::handle readers) {
        return s.cache_read(tensor, scope_from(scope), list_from<Tensor>(readers, kReaders));
      },
      nb::arg("tensor"), nb::arg("scope"), nb::arg("readers"),
      "Adds a stage that copies a tensor, which the readers then read instead.");
  schedule.def(
      "cache_write",
      [](Schedule& s, const Tensor& tensor, const std::string& scope, const std::optional<IterVar>& below) {
        return s.cache_write(tensor, scope_from(scope), below);
      },
      nb::arg("tensor"), nb::arg("scope"), nb::arg("below") = nb::none(),
      "Adds a stage that computes the tensor in this memory; the old stage copies it out.");
  schedule.def("rfactor", &Schedule::rfactor, nb::arg("tensor"), nb::arg("axis"), nb::arg("factor_axis") = 0,
               "Adds a stage of partial results, one for each iteration of a loop of the reduction.");
  schedule.def(
      "transform_layout",
      [](Schedule& s, const Tensor& cache, const nb::callable& layout) {
        return s.transform_layout(cache,
                                  [&](std::span<const Expr> axes) { return exprs_from(call_with(layout, axes)); });
      },
      nb::arg("cache"), nb::arg("layout"), "Stores a stage in another layout: layout(*axes) gives the new indices.");
  schedule.def_prop_ro(
      "trace", [](const Schedule& s) { return s.trace().str(); },
      "The primitives so far, one a line; replay() takes it.");
  schedule.def(
      "replay",
      [](Schedule& s, const std::string& trace, nb::handle intrinsics) {
        Trace::parse(trace).replay(s, intrinsics_from(intrinsics));
      },
      nb::arg("trace"), nb::arg("intrinsics") = nb::make_tuple(),
      "Applies the steps of a trace to a schedule that has none yet. intrinsics: those of decl_tensor_intrin that it "
      "names.");
  schedule.def("__str__", &Schedule::str);
  m.def(
      "thread_axis",
      [](const std::string& tag) {
        thread_from(tag);
        return tag;
      },
      nb::arg("tag"), "An index of a GPU, as bind() takes it: \"blockIdx.x\", \"threadIdx.y\", \"vthread\".");
  m.def(
      "create_schedule",
      [](nb::handle outputs) {
        return create_schedule(list_from<Tensor>(outputs, "create_schedule takes a tensor or several"));
      },
      nb::arg("ops"), "The default schedule of the outputs: every operation at root, its axes as loops.");
}

}  // namespace

void bind_schedules(nb::module_& m) {
  add_stage(m);
  add_schedule(m);
  nb::class_<ir::Program>(m, "Program", "A lowered program; str() prints its loops.")
      .def_ro("name", &ir::Program::name)
      .def("__str__", [](const ir::Program& program) { return ir::to_string(program); })
      .def("__repr__", [](const ir::Program& program) { return ir::to_string(program); });
  m.def(
      "lower",
      [](const Schedule& schedule, nb::handle args, nb::handle target, const std::string& name, bool vector_form) {
        const Target parsed = target_from(target);
        const ir::Program loops = lower(schedule, args_from(args), parsed, name);
        return vector_form ? expand(loops, parsed) : loops;
      },
      nb::arg("sch"), nb::arg("args"), nb::arg("target") = nb::none(), nb::arg("name") = "main",
      nb::arg("vector_form") = false,
      "The program of a schedule, in loop form; str() prints it. args: the tensors of the kernel, inputs first.");
}

}  // namespace nestwright::python
