#include <algorithm>
#include <map>
#include <set>

#include "ir/core/intrinsic_table.h"
#include "ir/simplify/vector_access.h"
#include "ir/traversal/quote.h"
#include "ir/traversal/rewrite.h"
#include "ir/verify/checks.h"

namespace nestwright::ir {
namespace {

class StructureCheck {
 public:
  StructureCheck(const Program& program, Form form) : program_(program), form_(form) {}

  std::vector<std::string> run() {
    for (const Var& symbol : program_.symbols) define(symbol, "a symbol");
    for (const Parameter& parameter : program_.parameters) {
      if (!buffers_.insert(parameter.buffer).second)
        report("buffer " + parameter.buffer->name + " is a parameter twice");
      visit_shape(parameter.buffer);
      check_passed_shape(parameter);
    }
    check_requirements();
    check_size(program_.workspace.symbolic_shared_bytes);
    check_size(program_.workspace.symbolic_per_thread_bytes);
    // The preparation does not store outputs; calls do not access constant inputs and do not store prepared parameters.
    for (const Parameter& parameter : program_.parameters) {
      if (parameter.role != Role::kOutput) visible_.insert(parameter.buffer);
      if (parameter.role == Role::kInput) inputs_.insert(parameter.buffer);
    }
    visit(program_.preparation);
    for (const Parameter& parameter : program_.parameters) {
      if (parameter.role == Role::kOutput) visible_.insert(parameter.buffer);
      if (parameter.role == Role::kPrepared) inputs_.insert(parameter.buffer);
      if (parameter.is_constant) visible_.erase(parameter.buffer);
    }
    visit(program_.host);
    in_kernel_ = true;
    for (std::size_t k = 0; k < program_.kernels.size(); ++k) visit_kernel(k);
    return std::move(violations_);
  }

 private:
  void report(std::string what) {
    if (statement_) what += ", in " + quote(*statement_);
    violations_.push_back(std::move(what));
  }

  void visit_kernel(std::size_t k) {
    if (!visited_.insert(k).second) return;
    const bool outer = in_kernel_;
    in_kernel_ = true;
    visit(program_.kernels[k].body);
    in_kernel_ = outer;
  }

  void define(const Var& var, const char* as) {
    if (!defined_.insert(var).second)
      report("variable " + var.name() + " is defined again as " + as +
             "; every definition needs a variable of its own");
    scope_.insert(var);
  }

  // --- Statements ---------------------------------------------------------------------------------------------------

  void visit(const Stmt& s) {
    if (!s.defined()) return;
    const Stmt* const outer = statement_;
    statement_ = &s;
    std::visit([&](const auto& value) { visit(value); }, s.node().value);
    statement_ = outer;
  }

  void visit(const For& loop) {
    visit(loop.min);
    visit(loop.extent);
    if (!loop.var.type().is_int() || loop.var.type().lanes != 1)
      report("loop variable " + loop.var.name() + " is no scalar integer");
    if (loop.min.type() != loop.var.type() || loop.extent.type() != loop.var.type())
      report("the bounds of the loop over " + loop.var.name() + " differ in type from it");
    const bool expands = loop.kind == LoopKind::kVectorized || loop.kind == LoopKind::kUnrolled;
    const bool stays = form_ == Form::kLoop || (form_ == Form::kDeviceVector && loop.kind == LoopKind::kUnrolled);
    const bool is_virtual = form_ == Form::kDeviceVector && loop.kind == LoopKind::kVirtualThread;
    if ((expands && !stays) || is_virtual)
      report(std::string("the vector form has a ") + loop_kind_name(loop.kind) + " loop over " + loop.var.name());
    if (expands && !as_const_int(loop.extent))
      report(std::string("the ") + loop_kind_name(loop.kind) + " loop over " + loop.var.name() +
             " has no constant extent");
    define(loop.var, "a loop");
    loops_.push_back(&loop);
    visit(loop.body);
    loops_.pop_back();
    scope_.erase(loop.var);
  }
  void visit(const Block& b) {
    for (const Stmt& s : b.stmts) visit(s);
  }
  void visit(const Let& let) {
    visit(let.value);
    if (form_ == Form::kLoop && let.var.type().lanes != 1)
      report("variable " + let.var.name() + " of the loop form is a vector");
    if (let.var.type() != let.value.type()) report("variable " + let.var.name() + " differs in type from its value");
    define(let.var, "a let");
    visit(let.body);
    scope_.erase(let.var);
  }
  void visit(const IfThenElse& choice) {
    visit(choice.condition);
    if (!choice.condition.type().is_bool()) report("the condition is " + choice.condition.type().str() + ", not bool");
    visit(choice.then_case);
    visit(choice.else_case);
  }
  void visit(const Store& store) {
    const int lanes = visit_access(store.buffer, store.indices, store.mask);
    visit(store.value);
    if (inputs_.count(store.buffer) > 0) report("input " + store.buffer->name + " is stored to");
    if (store.value.type() != store.buffer->element.with_lanes(lanes))
      report("a value of type " + store.value.type().str() + " is stored to " +
             store.buffer->element.with_lanes(lanes).str() + " of " + store.buffer->name);
  }
  void visit(const Allocate& allocation) {
    const Buffer& buffer = allocation.buffer;
    visit_shape(buffer);
    if (!buffers_.insert(buffer).second) report("buffer " + buffer->name + " is allocated twice");
    visible_.insert(buffer);
    allocated_[buffer] = loops_.size();
    check_scope(allocation);
    visit(allocation.body);
    visible_.erase(buffer);
    check_placement(allocation);
  }
  void visit(const Prefetch& prefetch) { visit_access(prefetch.buffer, prefetch.indices, {}); }
  void visit(const CommitCopies&) {
    if (!in_kernel_) report("copies are committed outside of a kernel");
  }
  void visit(const Barrier&) {}
  void visit(const TensorInstruction& instruction) {
    if (form_ == Form::kLoop) report("the loop form has a tensor instruction");
    for (const Operand& operand : instruction.operands) {
      if (operand.buffer.defined() && visible_.count(operand.buffer) == 0)
        report("buffer " + operand.buffer->name + " is neither a parameter nor allocated here");
      visit(operand.at);
    }
    visit(instruction.body);
  }
  void visit(const Launch& launch) {
    if (in_kernel_) report("a kernel launches a kernel");
    if (launch.kernel < 0 || static_cast<std::size_t>(launch.kernel) >= program_.kernels.size())
      return report("kernel " + std::to_string(launch.kernel) + " does not exist");
    visit_kernel(static_cast<std::size_t>(launch.kernel));
  }

  /// Shared memory is allocated inside of the loops over blocks.
  void check_scope(const Allocate& allocation) {
    if (allocation.buffer->scope != Scope::kShared) return;
    bool in_block = std::any_of(loops_.begin(), loops_.end(), [&](const For* loop) { return is_bound(loop->kind); });
    bool holds_blocks = false;
    for_each_stmt(allocation.body, [&](const Stmt& inner) {
      const auto* loop = inner.as<For>();
      if (!loop) return;
      in_block |= is_bound(loop->kind);
      holds_blocks |= is_block_index(loop->kind);
    });
    if (holds_blocks || !in_block)
      report("shared buffer " + allocation.buffer->name + " is allocated outside of the loops over blocks");
  }

  /// Memory that is private to a thread is not accessed by several.
  void check_private(const Buffer& buffer) {
    const auto allocated = allocated_.find(buffer);
    if ((buffer->scope == Scope::kGlobal || buffer->scope == Scope::kShared) || allocated == allocated_.end()) return;
    for (std::size_t l = allocated->second; l < loops_.size(); ++l) {
      const LoopKind kind = loops_[l]->kind;
      const bool has_threads = kind == LoopKind::kParallel || is_block_index(kind) || is_device_thread(kind);
      if (!has_threads) continue;
      report(std::string(scope_name(buffer->scope)) + " buffer " + buffer->name +
             " is shared by the iterations of the " + loop_kind_name(kind) + " loop over " + loops_[l]->var.name() +
             ": it is allocated outside of it");
      return;
    }
  }

  /// Planned storage lies within the workspace, per thread where iterations are concurrent.
  void check_placement(const Allocate& allocation) {
    const Buffer& buffer = allocation.buffer;
    if (buffer->scope != Scope::kGlobal || allocation.offset < 0) return;
    const bool constant = std::all_of(buffer->shape.begin(), buffer->shape.end(),
                                      [](const Expr& extent) { return as_const_int(extent) != nullptr; });
    const Workspace& workspace = program_.workspace;
    const Expr& symbolic_size =
        allocation.per_thread ? workspace.symbolic_per_thread_bytes : workspace.symbolic_shared_bytes;
    if (allocation.symbolic_offset.defined()) {
      if (!symbolic_size.defined())
        report("the place of buffer " + buffer->name + " depends on symbols, but the size of the workspace does not");
      visit(allocation.symbolic_offset);
      only_symbols(allocation.symbolic_offset, "the place of buffer " + buffer->name);
    }
    const std::int64_t end = constant ? allocation.offset + buffer->elements() * buffer->element.bytes() : 0;
    const std::int64_t size = allocation.per_thread ? workspace.per_thread_bytes : workspace.shared_bytes;
    if (end > size && !symbolic_size.defined())
      report("buffer " + buffer->name + " ends at byte " + std::to_string(end) + " of a workspace of " +
             std::to_string(size));
    const auto parallel =
        std::find_if(loops_.begin(), loops_.end(), [](const For* loop) { return loop->kind == LoopKind::kParallel; });
    if (!allocation.per_thread && parallel != loops_.end())
      report("buffer " + buffer->name + " is allocated in the parallel loop over " + (*parallel)->var.name() +
             " but lies where all threads share it");
  }

  void check_size(const Expr& bytes) {
    if (!bytes.defined()) return;
    if (bytes.type() != Type{kIndex})
      report("the size of the workspace is " + bytes.type().str() + ", not " + Type{kIndex}.str());
    only_symbols(bytes, "the size of the workspace");
  }
  void check_requirements() {
    for (const Requirement& requirement : program_.requirements) {
      if (requirement.slack.type() != Type{kIndex})
        report("a requirement is " + requirement.slack.type().str() + ", not " + Type{kIndex}.str());
      only_symbols(requirement.slack, "a requirement");
    }
  }
  void only_symbols(const Expr& e, const std::string& what) {
    for_each_expr(e, [&](const Expr& part) {
      const auto* ref = part.as<VarRef>();
      if (ref && std::find(program_.symbols.begin(), program_.symbols.end(), ref->var) == program_.symbols.end())
        report(what + " depends on " + ref->var.name() + ", which is no symbol");
    });
  }

  void check_passed_shape(const Parameter& parameter) {
    if (!parameter.shape) return;
    const Buffer& buffer = parameter.buffer;
    std::vector<std::int64_t> own;
    for (const Expr& extent : buffer->shape) {
      const std::int64_t* constant = as_const_int(extent);
      own.push_back(constant != nullptr ? *constant : -1);
    }
    if (!buffer->strides.empty() || !count_elements(own) || count_elements(own) != count_elements(*parameter.shape))
      report("parameter " + buffer->name + " is passed in a shape that does not hold its elements");
  }

  void visit_shape(const Buffer& buffer) {
    for (const Expr& e : buffer->shape) visit(e);
    for (const Expr& e : buffer->strides) visit(e);
  }

  /// Checks an access and returns its lanes.
  int visit_access(const Buffer& buffer, const std::vector<Expr>& indices, const Expr& mask) {
    if (visible_.count(buffer) == 0) report("buffer " + buffer->name + " is neither a parameter nor allocated here");
    check_private(buffer);
    if (indices.size() != buffer->shape.size())
      report(std::to_string(indices.size()) + " indices are given to " + buffer->name + " of rank " +
             std::to_string(buffer->rank()));
    int lanes = 1;
    for (const Expr& index : indices) {
      visit(index);
      if (!index.type().is_int()) report("an index of " + buffer->name + " is " + index.type().str());
      if (index.lanes() != 1 && lanes != 1 && index.lanes() != lanes)
        report("the indices of " + buffer->name + " differ in lanes");
      lanes = std::max(lanes, index.lanes());
      if (form_ != Form::kLoop && buffer->scope == Scope::kRegister && !is_constant(index))
        report("register buffer " + buffer->name + " has the index " + to_string(index) +
               ", which is not constant in the vector form");
    }
    if (mask.defined()) {
      visit(mask);
      if (mask.type() != kBool.with_lanes(lanes) && mask.type() != kBool)
        report("the mask of " + buffer->name + " is " + mask.type().str() + ", its access has " +
               std::to_string(lanes) + " lanes");
    }
    return lanes;
  }

  bool is_constant(const Expr& index) const {
    if (const auto* ramp = index.as<Ramp>()) return is_constant(ramp->base) && is_constant(ramp->stride);
    if (const auto* broadcast = index.as<Broadcast>()) return is_constant(broadcast->value);
    if (form_ != Form::kDeviceVector) return as_const_int(index) != nullptr;
    // It is constant if it is so after the device compiler has unrolled loops.
    return !any_expr(index, [&](const Expr& part) {
      const auto* ref = part.as<VarRef>();
      return part.as<Load>() != nullptr || (ref != nullptr && !is_unrolled(ref->var));
    });
  }
  bool is_unrolled(const Var& var) const {
    return std::any_of(loops_.begin(), loops_.end(),
                       [&](const For* loop) { return loop->kind == LoopKind::kUnrolled && loop->var == var; });
  }

  // --- Expressions --------------------------------------------------------------------------------------------------

  void visit(const Expr& e) {
    if (form_ == Form::kLoop && e.lanes() > 1) return report("the loop form has the vector value " + to_string(e));
    std::visit([&](const auto& value) { visit(value, e.type()); }, e.node().value);
  }
  void visit(const IntImm&, Type) {}
  void visit(const FloatImm&, Type) {}
  void visit(const VarRef& ref, Type) {
    if (scope_.count(ref.var) == 0) report("variable " + ref.var.name() + " is used outside of its definition");
  }
  void visit(const Binary& binary, Type type) {
    visit(binary.a);
    visit(binary.b);
    const Type operands = binary.a.type();
    if (operands != binary.b.type())
      report(std::string("operator ") + binary_op_name(binary.op) + " is applied to " + operands.str() + " and " +
             binary.b.type().str());
    if (type != (is_comparison(binary.op) ? kBool.with_lanes(operands.lanes) : operands))
      report(std::string("operator ") + binary_op_name(binary.op) + " on " + operands.str() + " gives " + type.str());
  }
  void visit(const Not& value, Type type) {
    visit(value.a);
    if (!type.is_bool() || value.a.type() != type) report("operator ! is applied to " + value.a.type().str());
  }
  void visit(const Select& select, Type type) {
    visit(select.condition);
    visit(select.if_true);
    visit(select.if_false);
    const Type condition = select.condition.type();
    if (!condition.is_bool() || (condition.lanes != 1 && condition.lanes != type.lanes))
      report("a select of " + type.str() + " has a condition of type " + condition.str());
    if (select.if_true.type() != type || select.if_false.type() != type)
      report("a select of " + type.str() + " chooses between " + select.if_true.type().str() + " and " +
             select.if_false.type().str());
  }
  void visit(const Cast& cast, Type type) {
    visit(cast.value);
    if (cast.value.lanes() != type.lanes) report("a cast from " + cast.value.type().str() + " to " + type.str());
  }
  void visit(const Load& load, Type type) {
    const int lanes = visit_access(load.buffer, load.indices, load.mask);
    if (type != load.buffer->element.with_lanes(lanes))
      report("a load of " + load.buffer->name + " is " + type.str() + " instead of " +
             load.buffer->element.with_lanes(lanes).str());
  }
  void visit(const Ramp& ramp, Type type) {
    visit(ramp.base);
    visit(ramp.stride);
    if (ramp.base.type() != type.element() || ramp.stride.type() != type.element())
      report("a ramp of " + type.str() + " starts from " + ramp.base.type().str());
  }
  void visit(const Broadcast& broadcast, Type type) {
    visit(broadcast.value);
    if (broadcast.value.type() != type.element())
      report("a broadcast to " + type.str() + " of " + broadcast.value.type().str());
  }
  void visit(const Call& call, Type type) {
    for (std::size_t i = 0; i < call.args.size(); ++i) {
      const Expr& arg = call.args[i];
      visit(arg);
      const bool retypes = call.intrinsic == Intrinsic::kReinterpret && arg.type().bits == type.bits;
      const Type wanted = argument_type(call.intrinsic, i, type);
      if (retypes ? arg.lanes() != type.lanes : arg.type() != wanted)
        report(std::string(intrinsic_name(call.intrinsic)) + " of type " + type.str() + " has an argument of type " +
               arg.type().str());
    }
    if (is_cpu_instruction(call.intrinsic)) check_cpu_instruction(call, type.lanes);
  }
  void visit(const CallExtern& call, Type type) {
    for (const Expr& arg : call.args) {
      visit(arg);
      if (arg.lanes() != type.lanes)
        report(call.function + " of type " + type.str() + " has an argument of other lanes");
    }
    if (form_ == Form::kDeviceVector) report(call.function + ", a C function, is called on a device");
  }
  void check_cpu_instruction(const Call& call, int lanes) {
    const std::string name = intrinsic_name(call.intrinsic);
    if (form_ != Form::kVector) report(name + " stands outside of the vector form of a CPU");
    const bool loads = call.intrinsic == Intrinsic::kLoadBytes || call.intrinsic == Intrinsic::kLoadHalves;
    if (loads && first_of_adjacent(call.args, lanes) == nullptr) report("the parts of " + name + " are not adjacent");
    if (!loads && lanes != 4 && lanes != 8 && lanes != 16) report(name + " has " + std::to_string(lanes) + " lanes");
  }
  void visit(const Reduce&, Type) { report("a reduction was left unlowered"); }

  const Program& program_;
  const Form form_;
  std::vector<std::string> violations_;
  std::set<Var> defined_, scope_;
  std::set<Buffer> buffers_, visible_, inputs_;
  std::vector<const For*> loops_;
  std::map<Buffer, std::size_t> allocated_;  ///< number of loops around the allocation
  std::set<std::size_t> visited_;            ///< kernels, each visited at its launch
  const Stmt* statement_ = nullptr;
  bool in_kernel_ = false;
};

}  // namespace

std::vector<std::string> check_structure(const Program& program, Form form) {
  return StructureCheck(program, form).run();
}

}  // namespace nestwright::ir
