#include "ir/traversal/quote.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <unordered_map>

#include "ir/traversal/linear.h"

namespace nestwright::ir {
namespace {

// The precedence of an expression; an operand of a lower precedence than its context requires is parenthesised.
enum Precedence { kLowest, kOr, kAnd, kComparison, kSum, kProduct, kAtom };

Precedence precedence(BinaryOp op) {
  switch (op) {
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
      return Precedence::kSum;
    case BinaryOp::kMul:
    case BinaryOp::kDiv:
    case BinaryOp::kMod:
      return Precedence::kProduct;
    case BinaryOp::kMin:
    case BinaryOp::kMax:
      return Precedence::kAtom;
    case BinaryOp::kAnd:
      return Precedence::kAnd;
    case BinaryOp::kOr:
      return Precedence::kOr;
    case BinaryOp::kEq:
    case BinaryOp::kNe:
    case BinaryOp::kLt:
    case BinaryOp::kLe:
    case BinaryOp::kGt:
    case BinaryOp::kGe:
      break;
  }
  return Precedence::kComparison;
}

Precedence precedence(const Expr& e) {
  const auto* n = e.as<Binary>();
  return n ? precedence(n->op) : Precedence::kAtom;
}

std::string float_text(double value, Type type) {
  std::string text = type.bits == 64 ? fmt::format("{}", value) : fmt::format("{}", static_cast<float>(value));
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

class Printer {
 public:
  void print(const Expr& e, Precedence place = Precedence::kLowest) {
    if (!e.defined()) {
      out_ += "<undefined>";
      return;
    }
    const bool wrapped = precedence(e) < place;
    if (wrapped) out_ += '(';
    std::visit([&](const auto& n) { print_node(n, e.type()); }, e.node().value);
    if (wrapped) out_ += ')';
  }

  void print(const Stmt& s) {
    if (s.defined()) std::visit([&](const auto& n) { print_stmt(n); }, s.node().value);
  }

  void print(const Program& p) {
    program_ = &p;
    out_ += "program " + p.name;
    if (!p.symbols.empty()) {
      out_ += '<';
      list(p.symbols, [&](const Var& v) { out_ += name(v.id(), v.name()); });
      out_ += '>';
    }
    for (const auto& [role, opening] : {std::pair{Role::kInput, "("}, std::pair{Role::kOutput, " -> ("},
                                        std::pair{Role::kPrepared, ", prepared ("}}) {
      std::vector<const Parameter*> parameters;
      for (const Parameter& parameter : p.parameters) {
        if (parameter.role == role) parameters.push_back(&parameter);
      }
      if (role == Role::kPrepared && parameters.empty()) continue;
      out_ += opening;
      list(parameters, [&](const Parameter* parameter) {
        if (parameter->is_constant) out_ += "constant ";
        declare(parameter->buffer);
        if (parameter->shape) out_ += fmt::format(" passed as [{}]", fmt::join(*parameter->shape, ", "));
      });
      out_ += ')';
    }
    out_ += '\n';
    ++depth_;
    for (const Requirement& requirement : p.requirements) {
      start();
      out_ += "requires ";
      print(requirement.slack);
      out_ += " >= 0\n";
    }
    const Workspace& space = p.workspace;
    if (space.shared_bytes != 0 || space.per_thread_bytes != 0 || space.is_symbolic()) {
      start();
      out_ += "workspace ";
      sum(space.shared_bytes, space.symbolic_shared_bytes);
      out_ += " bytes shared, ";
      sum(space.per_thread_bytes, space.symbolic_per_thread_bytes);
      out_ += " bytes per thread\n";
    }
    if (p.preparation.defined()) {
      line("prepare:");
      inside(p.preparation);
    }
    print(p.host);
    for (const Kernel& kernel : p.kernels) {
      line("kernel " + kernel.name + ":");
      inside(kernel.body);
    }
    --depth_;
  }

  std::string take() { return std::move(out_); }

 private:
  void print_node(const IntImm& n, Type type) {
    if (type.is_bool()) {
      out_ += n.value ? "true" : "false";
    } else if (type == kUInt64) {
      out_ += std::to_string(static_cast<std::uint64_t>(n.value));
    } else {
      out_ += std::to_string(n.value);
    }
  }
  void print_node(const FloatImm& n, Type type) { out_ += float_text(n.value, type); }
  void print_node(const VarRef& n, Type) { out_ += name(n.var.id(), n.var.name()); }
  void print_node(const Binary& n, Type) {
    if (n.op == BinaryOp::kMin || n.op == BinaryOp::kMax) return call(binary_op_name(n.op), {n.a, n.b});
    const Precedence own = precedence(n.op);
    // Comparisons are not associative; the others associate to the left.
    print(n.a, own == Precedence::kComparison ? Precedence::kSum : own);
    const bool tight = own == Precedence::kProduct;
    out_ += tight ? binary_op_name(n.op) : std::string(" ") + binary_op_name(n.op) + " ";
    const bool same_again = n.op == BinaryOp::kAnd || n.op == BinaryOp::kOr;
    print(n.b, same_again ? own : static_cast<Precedence>(own + 1));
  }
  void print_node(const Not& n, Type) {
    out_ += '!';
    print(n.a, Precedence::kAtom);
  }
  void print_node(const Select& n, Type) { call("select", {n.condition, n.if_true, n.if_false}); }
  void print_node(const Cast& n, Type type) { call(type.str(), {n.value}); }
  void print_node(const Load& n, Type) {
    if (n.mask.defined()) out_ += '(';
    element(n.buffer, n.indices);
    if (!n.mask.defined()) return;
    out_ += " if ";
    print(n.mask);
    out_ += ')';
  }
  void print_node(const Ramp& n, Type type) { call("ramp", {n.base, n.stride, Expr(static_cast<int>(type.lanes))}); }
  void print_node(const Broadcast& n, Type type) { call("x" + std::to_string(type.lanes), {n.value}); }
  void print_node(const Call& n, Type type) {
    const std::string to = n.intrinsic == Intrinsic::kReinterpret ? "_" + type.str() : "";
    call(intrinsic_name(n.intrinsic) + to, n.args);
  }
  void print_node(const CallExtern& n, Type type) { call(n.function + ":" + type.element().str(), n.args); }
  void print_node(const Reduce& n, Type) {
    out_ += (n.combiner ? n.combiner->name : reducer_name(n.reducer)) + "(";
    list(n.values, [&](const Expr& value) { print(value); });
    for (const ReduceAxis& axis : n.axes) {
      out_ += ", ";
      range(axis.var, axis.min, axis.extent);
    }
    if (!n.init.empty()) {
      out_ += ", from ";
      list(n.init, [&](const Expr& start) { print(start); });
    }
    out_ += ')';
    if (n.values.size() > 1) out_ += "." + std::to_string(n.result);
  }

  void print_stmt(const For& n) {
    start();
    out_ += std::string(loop_kind_name(n.kind)) + " ";
    range(n.var, n.min, n.extent);
    out_ += ":\n";
    inside(n.body);
  }
  void print_stmt(const Block& n) {
    for (const Stmt& child : n.stmts) print(child);
  }
  void print_stmt(const Let& n) {
    start();
    out_ += "let " + name(n.var.id(), n.var.name()) + " = ";
    print(n.value);
    out_ += '\n';
    print(n.body);
  }
  void print_stmt(const IfThenElse& n) {
    start();
    out_ += "if ";
    print(n.condition);
    out_ += ":\n";
    inside(n.then_case);
    if (!n.else_case.defined()) return;
    line("else:");
    inside(n.else_case);
  }
  void print_stmt(const Store& n) {
    start();
    if (n.non_temporal) out_ += "stream ";
    if (n.asynchronous) out_ += "async ";
    element(n.buffer, n.indices);
    out_ += " = ";
    print(n.value);
    if (n.mask.defined()) {
      out_ += " if ";
      print(n.mask);
    }
    out_ += '\n';
  }
  void print_stmt(const Allocate& n) {
    start();
    out_ += std::string(scope_name(n.buffer->scope)) + " ";
    declare(n.buffer);
    if (n.offset >= 0) {
      out_ += " at ";
      sum(n.offset, n.symbolic_offset);
    }
    if (n.per_thread) out_ += " per thread";
    out_ += '\n';
    print(n.body);
  }
  void print_stmt(const Prefetch& n) {
    start();
    out_ += "prefetch ";
    element(n.buffer, n.indices);
    if (n.for_write) out_ += " for write";
    if (n.locality != 3) out_ += " locality " + std::to_string(n.locality);
    out_ += '\n';
  }
  void print_stmt(const CommitCopies&) { line("commit copies"); }
  void print_stmt(const Barrier& n) {
    line(n.pending == 0 ? "barrier" : "barrier, copies in flight " + std::to_string(n.pending));
  }
  void print_stmt(const Launch& n) {
    const bool known = program_ && n.kernel >= 0 && n.kernel < static_cast<int>(program_->kernels.size());
    line("launch " + (known ? program_->kernels[static_cast<std::size_t>(n.kernel)].name : std::to_string(n.kernel)));
  }

  void print_stmt(const TensorInstruction& n) {
    start();
    out_ += tensor_op_name(n.op);
    if (!n.operands.empty()) out_ += ' ';
    list(n.operands, [&](const Operand& operand) {
      if (operand.buffer.defined()) {
        call_brackets("&" + name(operand.buffer.operator->(), operand.buffer->name), {operand.at});
      } else {
        print(operand.at);
      }
    });
    if (n.columns > 0) out_ += " columns " + std::to_string(n.columns);
    if (n.transposes_a) out_ += " transposed a";
    if (n.transposes_b) out_ += " transposed b";
    if (n.swizzles_a) out_ += " swizzled a";
    if (n.swizzles_b) out_ += " swizzled b";
    out_ += n.body.defined() ? ":\n" : "\n";
    if (n.body.defined()) inside(n.body);
  }

  void sum(std::int64_t constant, const Expr& symbolic) {
    if (!symbolic.defined()) {
      out_ += std::to_string(constant);
    } else {
      print(symbolic + Expr(constant));
    }
  }
  template <class List, class F>
  void list(const List& items, F&& one) {
    bool first = true;
    for (const auto& item : items) {
      if (!first) out_ += ", ";
      first = false;
      one(item);
    }
  }
  void call(const std::string& function, const std::vector<Expr>& args) {
    out_ += function + "(";
    list(args, [&](const Expr& e) { print(e); });
    out_ += ')';
  }
  void element(const Buffer& buffer, const std::vector<Expr>& indices) {
    call_brackets(name(buffer.operator->(), buffer->name), indices);
  }
  void call_brackets(const std::string& what, const std::vector<Expr>& indices) {
    out_ += what + "[";
    list(indices, [&](const Expr& e) { print(e); });
    out_ += ']';
  }
  void declare(const Buffer& buffer) {
    out_ += name(buffer.operator->(), buffer->name) + ": ";
    call_brackets(buffer->element.str(), buffer->shape);
    if (!buffer->strides.empty()) call_brackets(" strides ", buffer->strides);
  }
  void range(const Var& var, const Expr& min, const Expr& extent) {
    out_ += name(var.id(), var.name()) + " in ";
    print(min, Precedence::kAtom);
    out_ += "..";
    const Expr end = min + extent;
    print(end.type() == kIndex ? to_linear(end).expr() : end, Precedence::kAtom);
  }

  void start() { out_.append(static_cast<std::size_t>(depth_) * 2, ' '); }
  void line(const std::string& text) {
    start();
    out_ += text + "\n";
  }
  void inside(const Stmt& body) {
    ++depth_;
    print(body);
    --depth_;
  }

  // The printed name of `id`: its own, with a number appended where another one has it already.
  const std::string& name(const void* id, const std::string& wanted) {
    const auto [entry, added] = names_.try_emplace(id);
    if (!added) return entry->second;
    std::string& chosen = entry->second;
    chosen = wanted;
    for (int n = 1; !taken_.insert(chosen).second; ++n) chosen = wanted + "_" + std::to_string(n);
    return chosen;
  }

  std::string out_;
  int depth_ = 0;
  const Program* program_ = nullptr;
  std::unordered_map<const void*, std::string> names_;
  std::set<std::string> taken_;
};

template <class T>
std::string printed(const T& what) {
  Printer printer;
  printer.print(what);
  return printer.take();
}

}  // namespace

std::string to_string(const Expr& e) { return printed(e); }
std::string to_string(const Stmt& s) { return printed(s); }
std::string to_string(const Program& p) { return printed(p); }

std::string quote(const Stmt& statement) {
  const std::string text = to_string(statement);
  const std::size_t start = text.find_first_not_of(" \n");
  if (start == std::string::npos) return "``";
  return "`" + text.substr(start, text.find('\n', start) - start) + "`";
}

}  // namespace nestwright::ir
