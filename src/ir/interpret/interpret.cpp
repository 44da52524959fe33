#include "nestwright/program.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <set>

#include "ir/analysis/preparation.h"
#include "ir/gpu/copies.h"
#include "ir/interpret/copy_queue.h"
#include "ir/interpret/expr_interpreter.h"
#include "ir/traversal/rewrite.h"
#include "nestwright/error.h"

namespace nestwright::ir {
namespace {

/// Whether the iterations run in lockstep, as vector lanes and the threads of a block do.
bool is_lockstep(LoopKind kind) { return kind == LoopKind::kVectorized || is_thread_index(kind); }

class Interpreter : private ExprInterpreter {
 public:
  Interpreter(const Program& program, const InterpretOptions& options)
      : ExprInterpreter(program.name, options.functions), program_(program), random_(options.seed) {}

  void run(std::span<const Memory> arguments, std::span<const std::int64_t> symbols) {
    const std::vector<Parameter> taken = operator_parameters(program_);
    const auto require = [&](std::size_t given, std::size_t takes, const char* what) {
      if (given != takes)
        throw UsageError(program_.name + " takes " + std::to_string(takes) + what + std::to_string(given) +
                         " were given");
    };
    require(arguments.size(), taken.size(), " tensors, ");
    require(symbols.size(), program_.symbols.size(), " symbolic values, ");
    Frame root;
    for (std::size_t i = 0; i < symbols.size(); ++i)
      root.variables.push_back({&program_.symbols[i], integer_scalar(symbols[i])});
    std::vector<Storage> storages(arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const BufferNode& buffer = *taken[i].buffer.operator->();
      shape_storage(storages[i], buffer, root);
      const bool is_input = taken[i].role == Role::kInput;
      const Strand writer = is_input ? RaceDetector::kRoot : 0;
      storages[i].bytes = arguments[i];
      if (!is_input || writes(taken[i].buffer)) {
        storages[i].history.assign(arguments[i].size() / static_cast<std::size_t>(buffer.element.bytes()),
                                   {writer, 0, 0});
      }
      root.buffers.emplace_back(&buffer, &storages[i]);
    }
    Frame* frame = &root;
    execute(with_preparation(program_), {&frame, 1});
  }

 private:
  bool writes(const Buffer& buffer) const {
    const auto is_store = [&](const Stmt& s) {
      const auto* const store = s.as<Store>();
      return store != nullptr && store->buffer == buffer;
    };
    return any_stmt(with_preparation(program_), is_store) ||
           std::any_of(program_.kernels.begin(), program_.kernels.end(),
                       [&](const Kernel& kernel) { return any_stmt(kernel.body, is_store); });
  }

  // --- Statements: executed for all frames before the next one ---------------------------------------------------

  void execute(const Stmt& s, Frames frames) {
    if (!s.defined() || frames.empty()) return;
    const Stmt* const outer = statement_;
    statement_ = &s;
    std::visit([&](const auto& value) { execute(value, frames); }, s.node().value);
    statement_ = outer;
  }

  void execute(const For& loop, Frames frames) {
    if (is_lockstep(loop.kind)) {
      run_lockstep(loop, frames);
    } else if (loop.kind == LoopKind::kSerial || loop.kind == LoopKind::kUnrolled) {
      run_serial(loop, frames);
    } else {
      for (Frame* frame : frames) run_concurrent(loop, *frame);
    }
  }

  void run_serial(const For& loop, Frames frames) {
    if (frames.size() == 1) return run_serial(loop, *frames.front());
    std::vector<std::int64_t> first, extent;
    for (Frame* frame : frames) {
      first.push_back(integer(loop.min, *frame));
      extent.push_back(integer(loop.extent, *frame));
    }
    const std::int64_t most = *std::max_element(extent.begin(), extent.end());
    std::vector<Frame*> active(frames.begin(), frames.end());
    for (std::int64_t i = 0; i < most; ++i) {
      active.clear();
      for (std::size_t f = 0; f < frames.size(); ++f) {
        if (i >= extent[f]) continue;
        frames[f]->variables.push_back({&loop.var, integer_scalar(first[f] + i)});
        active.push_back(frames[f]);
      }
      execute(loop.body, active);
      for (Frame* frame : active) frame->variables.pop_back();
    }
  }

  void run_serial(const For& loop, Frame& frame) {
    const std::int64_t first = integer(loop.min, frame), extent = integer(loop.extent, frame);
    Frame* only = &frame;
    frame.variables.push_back({&loop.var, integer_scalar(first)});
    for (std::int64_t i = 0; i < extent; ++i) {
      frame.variables.back().value = integer_scalar(first + i);
      execute(loop.body, {&only, 1});
    }
    frame.variables.pop_back();
  }

  void run_concurrent(const For& loop, Frame& frame) {
    const std::int64_t first = integer(loop.min, frame), extent = integer(loop.extent, frame);
    std::vector<std::int64_t> order(static_cast<std::size_t>(std::max<std::int64_t>(extent, 0)));
    std::iota(order.begin(), order.end(), first);
    std::shuffle(order.begin(), order.end(), random_);
    const std::uint32_t open = races_.open_loop(loop);
    const Strand parent = frame.strand;
    Frame* only = &frame;
    for (const std::int64_t value : order) {
      frame.variables.push_back({&loop.var, integer_scalar(value)});
      frame.strand = races_.fork(parent, open, value);
      execute(loop.body, {&only, 1});
      frame.variables.pop_back();
    }
    frame.strand = parent;
  }

  void run_lockstep(const For& loop, Frames frames) {
    std::vector<Frame> lanes;
    std::deque<CopyQueue> queues;
    for (Frame* frame : frames) {
      const std::int64_t first = integer(loop.min, *frame), extent = integer(loop.extent, *frame);
      const std::uint32_t open = races_.open_loop(loop);
      for (std::int64_t i = 0; i < extent; ++i) {
        Frame& lane = lanes.emplace_back(*frame);
        lane.variables.push_back({&loop.var, integer_scalar(first + i)});
        lane.strand = races_.fork(frame->strand, open, first + i);
        if (loop.kind != LoopKind::kThreadX && loop.kind != LoopKind::kThreadY) lane.warp = ++warps_;
        if (is_device_thread(loop.kind)) lane.thread[dimension_of(loop.kind)] = i;
        if (is_thread_index(loop.kind)) lane.copies = &queues.emplace_back();
      }
    }
    std::vector<Frame*> pointers;
    for (Frame& lane : lanes) pointers.push_back(&lane);
    std::shuffle(pointers.begin(), pointers.end(), random_);

    // Barriers wait for the threads that an enclosing condition has not disabled.
    const Group outer = group_;
    if (!group_.loop) group_ = {&loop, frames.empty() ? 0 : frames.front()->strand, frames.size()};
    if (!frames.empty()) group_.threads *= lanes.size() / frames.size();
    execute(loop.body, pointers);
    group_ = outer;
  }

  void execute(const Block& b, Frames frames) {
    for (const Stmt& s : b.stmts) execute(s, frames);
  }

  void execute(const Let& let, Frames frames) {
    for (Frame* frame : frames) {
      std::vector<Frame::Lane> lanes = hold(let.value, *frame);
      frame->variables.push_back({&let.var, lanes.front().value, std::move(lanes)});
    }
    execute(let.body, frames);
    for (Frame* frame : frames) frame->variables.pop_back();
  }

  void execute(const IfThenElse& choice, Frames frames) {
    if (choice.condition.lanes() > 1) return execute_masked(choice, frames);
    std::vector<Frame*> yes, no;
    for (Frame* frame : frames) (evaluate(choice.condition, 0, *frame).i != 0 ? yes : no).push_back(frame);
    execute(choice.then_case, yes);
    execute(choice.else_case, no);
  }

  /// A condition on vector lanes disables lanes of the vector statements below it.
  void execute_masked(const IfThenElse& choice, Frames frames) {
    const auto lanes = static_cast<std::size_t>(choice.condition.lanes());
    std::vector<std::vector<char>> outer, otherwise;
    for (Frame* frame : frames) {
      if (!frame->mask.empty() && frame->mask.size() != lanes) fail("conditions of different lanes are nested");
      outer.push_back(frame->mask);
      std::vector<char> then_mask(lanes, 1), else_mask(lanes, 1);
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const bool on = frame->mask.empty() || frame->mask[lane];
        const bool holds = on && evaluate(choice.condition, static_cast<int>(lane), *frame).i != 0;
        then_mask[lane] = on && holds;
        else_mask[lane] = on && !holds;
      }
      frame->mask = std::move(then_mask);
      otherwise.push_back(std::move(else_mask));
    }
    execute(choice.then_case, frames);
    for (std::size_t f = 0; f < frames.size(); ++f) frames[f]->mask = std::move(otherwise[f]);
    execute(choice.else_case, frames);
    for (std::size_t f = 0; f < frames.size(); ++f) frames[f]->mask = std::move(outer[f]);
  }

  void execute(const Store& store, Frames frames) {
    const auto* call = store.value.as<Call>();
    if (call && call->intrinsic == Intrinsic::kShuffleXor) return exchange(store, *call, frames);
    int lanes = 1;
    for (const Expr& index : store.indices) lanes = std::max(lanes, index.lanes());
    if (frames.size() == 1 && lanes == 1 && store.value.lanes() == 1) {
      Frame& frame = *frames.front();
      if (frame.mask.empty() && frame.copies == nullptr) return store_scalar(store, frame);
    }
    struct Write {
      Frame* frame;
      std::size_t element;
      Scalar value;
    };
    std::vector<Write> writes;  // lanes in lockstep read all values before one is written
    const bool is_fragment = store.buffer->scope == Scope::kFragment;
    std::set<std::uint32_t> warps;
    for (Frame* frame : frames) {
      // All threads of a warp store the same values, so that one of them stores for all (ir/verify/fragments.h).
      if (is_fragment && !warps.insert(frame->warp).second) continue;
      if (store.value.lanes() != lanes) fail("the value and the indices differ in lanes");
      if (!frame->mask.empty() && frame->mask.size() != static_cast<std::size_t>(lanes))
        fail("a condition of " + std::to_string(frame->mask.size()) + " lanes encloses a statement of " +
             std::to_string(lanes));
      const std::size_t start = writes.size();
      for (int lane = 0; lane < lanes; ++lane) {
        if (!frame->mask.empty() && !frame->mask[static_cast<std::size_t>(lane)]) continue;
        if (store.mask.defined() && evaluate(store.mask, lane, *frame).i == 0) continue;
        const std::size_t element = locate(store.buffer, store.indices, lane, *frame);
        for (std::size_t w = start; w < writes.size(); ++w)
          if (writes[w].element == element)
            fail("two lanes of one vector write " + name(store.buffer, store.indices, lane, *frame), frame);
        writes.push_back({frame, element, evaluate(store.value, lane, *frame)});
      }
    }
    for (const Write& w : writes) {
      const bool copies = w.frame->copies != nullptr && is_copy(store);
      if (copies) begin_copy(store.buffer, w.element, *w.frame);
      write(store.buffer, w.element, w.value, *w.frame);
      if (copies && store.asynchronous) w.frame->copies->delay_last();
    }
  }

  void store_scalar(const Store& store, Frame& frame) {
    if (store.mask.defined() && evaluate(store.mask, 0, frame).i == 0) return;
    const std::size_t element = locate(store.buffer, store.indices, 0, frame);
    write(store.buffer, element, evaluate(store.value, 0, frame), frame);
  }

  void begin_copy(const Buffer& buffer, std::size_t element, Frame& frame) {
    Storage& storage = find(buffer, frame);
    if (storage.in_flight.contains(element)) return;  // write() reports it
    frame.copies->begin(storage, element, static_cast<std::size_t>(buffer->element.bytes()));
  }

  /// Shuffles: every thread evaluates its value before any thread stores the value of its partner.
  void exchange(const Store& store, const Call& call, Frames frames) {
    std::map<std::array<std::int64_t, 3>, Frame*> by_thread;
    for (Frame* frame : frames) by_thread.emplace(frame->thread, frame);
    std::vector<Scalar> values;
    for (Frame* frame : frames) {
      std::array<std::int64_t, 3> across = frame->thread;
      across[0] ^= integer(call.args[1], *frame);
      const auto partner = by_thread.find(across);
      if (partner == by_thread.end()) fail("a shuffle is reached by one thread and not by the one that it asks", frame);
      values.push_back(evaluate(call.args[0], 0, *partner->second));
    }
    for (std::size_t f = 0; f < frames.size(); ++f)
      write(store.buffer, locate(store.buffer, store.indices, 0, *frames[f]), values[f], *frames[f]);
  }

  void execute(const Allocate& allocation, Frames frames) {
    const BufferNode& buffer = *allocation.buffer.operator->();
    std::vector<std::unique_ptr<Storage>> storages;
    const bool one_for_all = buffer.scope == Scope::kShared && group_.loop;
    std::map<std::uint32_t, Storage*> of_warps;
    for (Frame* frame : frames) {
      if (one_for_all && !storages.empty()) {
        frame->buffers.emplace_back(&buffer, storages.front().get());
        continue;
      }
      if (const auto of_warp = of_warps.find(frame->warp); of_warp != of_warps.end()) {
        frame->buffers.emplace_back(&buffer, of_warp->second);
        continue;
      }
      auto storage = std::make_unique<Storage>();
      shape_storage(*storage, buffer, *frame);
      std::int64_t elements = 1;
      for (std::size_t d = 0; d < storage->shape.size(); ++d)
        elements =
            storage->shape[d] <= 0 ? 0 : elements + (elements > 0 ? (storage->shape[d] - 1) * storage->strides[d] : 0);
      constexpr std::int64_t kMaxElements = std::int64_t{1} << 30;
      if (elements < 0 || elements > kMaxElements)
        fail("buffer " + buffer.name + " of " + std::to_string(elements) + " elements is too large to interpret",
             frame);
      storage->own.resize(static_cast<std::size_t>(elements * buffer.element.bytes()));
      storage->bytes = storage->own;
      storage->history.resize(static_cast<std::size_t>(elements));
      frame->buffers.emplace_back(&buffer, storage.get());
      if (buffer.scope == Scope::kFragment) of_warps.emplace(frame->warp, storage.get());
      storages.push_back(std::move(storage));
    }
    execute(allocation.body, frames);
    for (Frame* frame : frames) {
      if (frame->copies != nullptr) frame->copies->forget(*frame->buffers.back().second);
      frame->buffers.pop_back();
    }
  }

  void execute(const Prefetch& prefetch, Frames frames) {
    for (Frame* frame : frames)
      for (const Expr& index : prefetch.indices) evaluate(index, 0, *frame);
  }

  void execute(const CommitCopies&, Frames frames) {
    for (Frame* frame : frames) {
      if (frame->copies != nullptr) frame->copies->commit();
    }
  }

  void execute(const Barrier& barrier, Frames frames) {
    if (!group_.loop) return;  // a block of one thread
    if (frames.size() != group_.threads)
      fail("a barrier is reached by " + std::to_string(frames.size()) + " of " + std::to_string(group_.threads) +
               " threads",
           frames.front());
    for (Frame* frame : frames) {
      if (frame->copies != nullptr) frame->copies->wait(static_cast<std::size_t>(barrier.pending));
    }
    // Statements after the barrier are ordered after all those before it, so they count as another execution of the
    // concurrent loop.
    const std::uint32_t phase = races_.open_loop(*group_.loop);
    std::int64_t thread = 0;
    for (Frame* frame : frames) frame->strand = races_.fork(group_.base, phase, thread++);
  }

  void execute(const TensorInstruction& instruction, Frames frames) { execute(instruction.body, frames); }

  void execute(const Launch& launch, Frames frames) {
    if (launch.kernel < 0 || static_cast<std::size_t>(launch.kernel) >= program_.kernels.size())
      fail("kernel " + std::to_string(launch.kernel) + " does not exist");
    execute(program_.kernels[static_cast<std::size_t>(launch.kernel)].body, frames);
  }

  /// The threads of the block being executed, for which barriers wait.
  struct Group {
    const For* loop = nullptr;
    Strand base = 0;  ///< the strand from which all of its threads were forked
    std::size_t threads = 0;
  };

  const Program& program_;
  std::mt19937_64 random_;
  Group group_;
  std::uint32_t warps_ = 0;  ///< the number of warps so far
};

}  // namespace

void interpret(const Program& program, std::span<const Memory> arguments, std::span<const std::int64_t> symbols,
               const InterpretOptions& options) {
  Interpreter(program, options).run(arguments, symbols);
}

}  // namespace nestwright::ir
