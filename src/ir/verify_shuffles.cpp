// Shuffles: each is reached by all threads of a warp, which then are of one mind about whom they ask.
#include <array>
#include <set>

#include "ir/rewrite.h"
#include "ir/verify_checks.h"

namespace nestwright::ir {
namespace {

constexpr std::int64_t kWarp = 32;

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
    refuse(loop.min);
    refuse(loop.extent);
    const bool is_thread = loop.kind >= LoopKind::kThreadX && loop.kind <= LoopKind::kThreadZ;
    const auto d = static_cast<std::size_t>(loop.kind) - static_cast<std::size_t>(LoopKind::kThreadX);
    if (is_thread) threads_[d] = &loop;
    const bool parts = !is_thread && (varies(loop.min) || varies(loop.extent));
    if (parts) parting_.push_back("the loop over " + loop.var.name());
    visit(loop.body);
    if (parts) parting_.pop_back();
    if (is_thread) threads_[d] = nullptr;
  }
  void visit(const Block& b) {
    for (const Stmt& s : b.stmts) visit(s);
  }
  void visit(const Let& let) {
    refuse(let.value);
    if (varies(let.value)) lets_.insert(let.var);
    visit(let.body);
  }
  void visit(const IfThenElse& choice) {
    refuse(choice.condition);
    const bool parts = varies(choice.condition);
    if (parts) parting_.emplace_back("a condition");
    visit(choice.then_case);
    visit(choice.else_case);
    if (parts) parting_.pop_back();
  }
  void visit(const Store& store) {
    for (const Expr& index : store.indices) refuse(index);
    if (store.mask.defined()) refuse(store.mask);
    const Call* const call = shuffle(store.value);
    if (call == nullptr) return refuse(store.value);
    refuse(call->args[0]);
    check(store, *call);
  }
  void visit(const Allocate& allocation) { visit(allocation.body); }
  void visit(const Prefetch& prefetch) {
    for (const Expr& index : prefetch.indices) refuse(index);
  }
  void visit(const Barrier&) {}
  void visit(const Launch&) {}

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
    std::int64_t all = 1;
    for (std::size_t d = 0; d < threads_.size(); ++d) all *= extent(d);
    if (all == 0 || all % kWarp != 0) {
      report("a shuffle runs in a block of " + std::to_string(all) + " threads, which are no whole warps");
    } else if (is_bit && extent(0) % (2 * *bit) != 0) {
      report("a shuffle asks for bit " + std::to_string(*bit) + " of " + std::to_string(extent(0)) +
             " threads along x, no multiple of twice that");
    }
    if (!parting_.empty())
      report("a shuffle is not reached by all threads of a warp: they may part at " + parting_.back());
  }

  /// 0 where it is not constant.
  std::int64_t extent(std::size_t d) const {
    if (threads_[d] == nullptr) return 1;
    const std::int64_t* extent = as_const_int(threads_[d]->extent);
    return extent != nullptr ? *extent : 0;
  }

  /// Whether threads of one warp may have different values of it. Those of one have the same threadIdx.y and z where
  /// there are whole warps along x.
  bool varies(const Expr& e) const {
    const bool is_along_x = extent(0) > 0 && extent(0) % kWarp == 0;
    bool found = false;
    for_each_expr(e, [&](const Expr& part) {
      found = found || part.as<Load>() != nullptr;
      const auto* ref = part.as<VarRef>();
      if (ref == nullptr) return;
      found = found || lets_.count(ref->var) > 0;
      for (std::size_t d = 0; d < threads_.size(); ++d) {
        found = found || (threads_[d] != nullptr && threads_[d]->var == ref->var && (d == 0 || !is_along_x));
      }
    });
    return found;
  }

  /// No shuffle in here.
  void refuse(const Expr& e) {
    bool found = false;
    for_each_expr(e, [&](const Expr& part) { found = found || shuffle(part) != nullptr; });
    if (found) report("a shuffle is not the whole value of a store");
  }

  const Form form_;
  std::vector<std::string> violations_;
  std::array<const For*, 3> threads_{};  ///< the loops around that are bound to threadIdx.x, y and z
  std::set<Var> lets_;                   ///< that differ between threads of a warp
  std::vector<std::string> parting_;     ///< branches and loops around, where threads of a warp may part
  const Stmt* statement_ = nullptr;
};

}  // namespace

std::vector<std::string> check_shuffles(const Program& program, Form form) { return ShuffleCheck(form).run(program); }

}  // namespace nestwright::ir
