// Checks that shuffles execute in uniform control flow: all threads of a warp reach each of them.
#include "ir/gpu/divergence.h"
#include "ir/traversal/quote.h"
#include "ir/traversal/rewrite.h"
#include "ir/verify/checks.h"

namespace nestwright::ir {
namespace {

const Call* shuffle(const Expr& e) {
  const auto* call = e.as<Call>();
  return call != nullptr && call->intrinsic == Intrinsic::kShuffleXor ? call : nullptr;
}

class ShuffleCheck {
 public:
  explicit ShuffleCheck(Form form) : form_(form) {}

  std::vector<std::string> run(const Program& program) {
    visit(program.preparation);
    visit(program.host);
    for (const Kernel& kernel : program.kernels) visit(kernel.body);
    return std::move(violations_);
  }

 private:
  void report(const std::string& what) { violations_.push_back(what + ", in " + quote(*statement_)); }

  void visit(const Stmt& s) {
    if (!s.defined()) return;
    const Stmt* const outer = statement_;
    statement_ = &s;
    std::visit([&](const auto& n) { visit(n); }, s.node().value);
    statement_ = outer;
  }
  void visit(const For& loop) {
    report_shuffles(loop.min);
    report_shuffles(loop.extent);
    warp_.within(loop, [&] { visit(loop.body); });
  }
  void visit(const Block& b) {
    for (const Stmt& s : b.stmts) visit(s);
  }
  void visit(const Let& let) {
    report_shuffles(let.value);
    warp_.define(let);
    visit(let.body);
  }
  void visit(const IfThenElse& choice) {
    report_shuffles(choice.condition);
    warp_.within(choice, [&] {
      visit(choice.then_case);
      visit(choice.else_case);
    });
  }
  void visit(const Store& store) {
    for (const Expr& index : store.indices) report_shuffles(index);
    if (store.mask.defined()) report_shuffles(store.mask);
    const Call* const call = shuffle(store.value);
    if (call == nullptr) return report_shuffles(store.value);
    report_shuffles(call->args[0]);
    check(store, *call);
  }
  void visit(const Allocate& allocation) { visit(allocation.body); }
  void visit(const Prefetch& prefetch) {
    for (const Expr& index : prefetch.indices) report_shuffles(index);
  }
  void visit(const CommitCopies&) {}
  void visit(const Barrier&) {}
  void visit(const Launch&) {}
  void visit(const TensorInstruction& instruction) { visit(instruction.body); }

  void check(const Store& store, const Call& call) {
    const Scope scope = store.buffer->scope;
    if (form_ != Form::kDeviceVector) report("a shuffle stands outside of the vector form of a device");
    if (scope != Scope::kLocal && scope != Scope::kRegister) {
      report("a shuffle is stored to " + store.buffer->name + ", which is not private to a thread");
    }
    if (store.mask.defined() || store.value.lanes() != 1) report("a shuffle is masked or of a vector");
    const std::int64_t* bit = as_const_int(call.args[1]);
    const bool is_bit = bit != nullptr && *bit > 0 && *bit < kWarp && (*bit & (*bit - 1)) == 0;
    if (!is_bit) report("a shuffle asks for no bit of a thread's place in its warp");
    const std::int64_t along_x = warp_.threads(0), all = along_x * warp_.threads(1) * warp_.threads(2);
    if (all == 0 || all % kWarp != 0) {
      report("a shuffle runs in a block of " + std::to_string(all) + " threads, which are no whole warps");
    } else if (is_bit && along_x % (2 * *bit) != 0) {
      report("a shuffle asks for bit " + std::to_string(*bit) + " of " + std::to_string(along_x) +
             " threads along x, no multiple of twice that");
    }
    if (const std::string at = warp_.innermost_divergence(); !at.empty()) {
      report("a shuffle is not reached by all threads of a warp: they may diverge at " + at);
    }
  }

  /// Reports shuffles in `e`.
  void report_shuffles(const Expr& e) {
    const auto is_shuffle = [](const Expr& part) { return shuffle(part) != nullptr; };
    if (any_expr(e, is_shuffle)) report("a shuffle is not the whole value of a store");
  }

  const Form form_;
  std::vector<std::string> violations_;
  DivergenceAnalysis warp_;
  const Stmt* statement_ = nullptr;
};

}  // namespace

std::vector<std::string> check_shuffles(const Program& program, Form form) { return ShuffleCheck(form).run(program); }

}  // namespace nestwright::ir
