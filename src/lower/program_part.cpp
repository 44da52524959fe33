#include "lower/program_part.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "ir/analysis/bounds.h"
#include "ir/analysis/preparation.h"
#include "ir/traversal/rewrite.h"

namespace nestwright {

using namespace ir;  // NOLINT(google-build-using-namespace): this file is about the IR

namespace {

constexpr double kMinRatio = 1.4;
// How much longer than wanted the nest with the most work may be before the loops inside its outermost one are
// shortened, too, which changes what stays in the caches between two iterations; and other nests, which follow the
// first one as closely as possible so that each has its share of the time.
constexpr double kSlackOfLongest = 4, kSlackOfOthers = 1.25;
constexpr double kFunctionWork = 8;  // of exp and the like, in operations

/// Operations on data and accesses of memory below.
double work_of(const Expr& e) {
  double work = 0;
  for_each_expr(e, [&](const Expr& each) {
    if (each.as<Load>() != nullptr) work += 1;
    if (each.as<CallExtern>() != nullptr) work += kFunctionWork;
    if (!reads_data(each)) return;
    if (const auto* call = each.as<Call>()) work += call->args.size() > 1 ? 1 : kFunctionWork;
    if (each.as<Binary>() != nullptr || each.as<Select>() != nullptr) work += 1;
  });
  return work;
}

/// What the statements around a place say.
struct Place {
  Ranges ranges;
  bool is_parallel = false;  ///< within a parallel loop: loops inside run on one thread
};

/// Buffers that a condition, an address, an extent or a divisor depends on.
std::set<Buffer> steering_buffers(const Stmt& body) {
  std::set<Buffer> found;
  const auto add_loads = [&](const Expr& e) {
    if (!e.defined()) return;
    for_each_expr(e, [&](const Expr& each) {
      if (const auto* load = each.as<Load>()) found.insert(load->buffer);
    });
  };
  const auto add_all = [&](const std::vector<Expr>& list) { std::for_each(list.begin(), list.end(), add_loads); };
  for_each_stmt(body, [&](const Stmt& s) {
    if (const auto* loop = s.as<For>()) add_all({loop->min, loop->extent});
    if (const auto* let = s.as<Let>()) add_loads(let->value);
    if (const auto* branch = s.as<IfThenElse>()) add_loads(branch->condition);
    if (const auto* prefetch = s.as<Prefetch>()) add_all(prefetch->indices);
    if (const auto* store = s.as<Store>()) {
      add_all(store->indices);
      add_loads(store->mask);
    }
  });
  for_each_expr(body, [&](const Expr& e) {
    if (const auto* load = e.as<Load>()) {
      add_all(load->indices);
      add_loads(load->mask);
    }
    const auto* binary = e.as<Binary>();
    const bool divides = binary != nullptr && (binary->op == BinaryOp::kDiv || binary->op == BinaryOp::kMod);
    if (divides && !e.type().is_float()) add_loads(binary->b);
  });
  return found;
}

class Shortener {
 public:
  Shortener(const Stmt& body, int threads) : threads_(std::max(threads, 1)), steering_(steering_buffers(body)) {}

  /// The time of `s` in operations, of a parallel loop that of the thread with the most iterations.
  double work(const Stmt& s, Place at) const {
    if (!s.defined()) return 0;
    if (const auto* store = s.as<Store>()) return 1 + work_of(store->value);
    if (const auto* block = s.as<Block>()) {
      double sum = 0;
      for (const Stmt& each : block->stmts) sum += work(each, at);
      return sum;
    }
    if (const auto* allocate = s.as<Allocate>()) return work(allocate->body, std::move(at));
    if (const auto* let = s.as<Let>()) {
      at.ranges.bind(let->var, bounds(let->value, at.ranges));
      return work(let->body, std::move(at));
    }
    if (const auto* branch = s.as<IfThenElse>()) {
      return std::max(work(branch->then_case, at), work(branch->else_case, at));
    }
    const auto* loop = s.as<For>();
    if (loop == nullptr) return 0;
    // The mean of an extent that depends on outer loops, if it is linear in one of them.
    const Interval extent = bounds(loop->extent, at.ranges);
    const double mean = (static_cast<double>(extent.lo) + static_cast<double>(extent.hi)) / 2;
    const double trips = rounds(mean, runs_in_threads(*loop, at));
    return trips > 0 ? trips * work(loop->body, inside(*loop, std::move(at))) : 0;
  }

  /// The part of `s` that takes about `share` of its time.
  Stmt shorten(const Stmt& s, double share, double slack, const Place& at) const {
    if (!s.defined()) return s;
    if (const auto* block = s.as<Block>()) return shorten_block(*block, share, slack, at);
    if (const auto* allocate = s.as<Allocate>()) {
      return with_body(*allocate, allocate->buffer, shorten(allocate->body, share, slack, at));
    }
    if (const auto* let = s.as<Let>()) {
      Place below = at;
      below.ranges.bind(let->var, bounds(let->value, at.ranges));
      return make_let(let->var, let->value, shorten(let->body, share, slack, below));
    }
    if (const auto* branch = s.as<IfThenElse>()) {
      return make_if(branch->condition, shorten(branch->then_case, share, slack, at),
                     shorten(branch->else_case, share, slack, at));
    }
    const auto* loop = s.as<For>();
    return loop == nullptr ? s : shorten_loop(s, *loop, share, slack, at);
  }

 private:
  /// The nest with the most work sets the share of the others: what is left of it after whole iterations.
  Stmt shorten_block(const Block& block, double share, double slack, const Place& at) const {
    std::vector<double> works;
    for (const Stmt& each : block.stmts) works.push_back(work(each, at));
    const auto longest = static_cast<std::size_t>(std::max_element(works.begin(), works.end()) - works.begin());
    std::vector<Stmt> stmts = block.stmts;
    stmts[longest] = shorten(stmts[longest], share, slack, at);
    if (works[longest] <= 0) return ir::block(std::move(stmts));
    const double taken = work(stmts[longest], at) / works[longest];
    for (std::size_t i = 0; i < stmts.size(); ++i) {
      if (i != longest && taken < 1) stmts[i] = shorten(stmts[i], taken, kSlackOfOthers, at);
    }
    return ir::block(std::move(stmts));
  }

  Stmt shorten_loop(const Stmt& s, const For& loop, double share, double slack, const Place& at) const {
    const std::int64_t* extent = as_const_int(loop.extent);
    const bool is_plain = loop.kind == LoopKind::kSerial || loop.kind == LoopKind::kParallel;
    if (!is_plain || extent == nullptr || *extent < 1 || !may_end_early(loop)) return s;
    const bool in_threads = runs_in_threads(loop, at);
    const auto whole = static_cast<double>(*extent), unit = in_threads ? static_cast<double>(threads_) : 1;
    const double wanted = whole * share / unit;
    const double turns = slack > kSlackOfOthers ? std::round(wanted) : std::ceil(wanted);
    const double kept = std::min(whole, std::max(turns, 1.0) * unit);
    const double rest = share * rounds(whole, in_threads) / rounds(kept, in_threads);
    Stmt body = loop.body;
    if (rest * slack < 1) {
      body = shorten(body, rest, slack, inside(loop, at));
    }
    return make_for(loop.var, loop.min, make_int(static_cast<std::int64_t>(kept), loop.extent.type()), loop.kind,
                    std::move(body));
  }

  /// Whether what the loop stores may be left out: in memory outside of it, if nothing is steered by it, or in buffers
  /// that exist in one iteration only.
  bool may_end_early(const For& loop) const {
    std::set<Buffer> own;
    for_each_stmt(loop.body, [&](const Stmt& s) {
      if (const auto* allocate = s.as<Allocate>()) own.insert(allocate->buffer);
    });
    return !any_stmt(loop.body, [&](const Stmt& s) {
      const auto* store = s.as<Store>();
      if (store == nullptr) return s.as<TensorInstruction>() != nullptr;
      if (own.contains(store->buffer)) return false;
      return store->buffer->scope != Scope::kGlobal || steering_.contains(store->buffer);
    });
  }

  bool runs_in_threads(const For& loop, const Place& at) const {
    return loop.kind == LoopKind::kParallel && !at.is_parallel && threads_ > 1;
  }
  double rounds(double trips, bool in_threads) const { return in_threads ? std::ceil(trips / threads_) : trips; }

  Place inside(const For& loop, Place at) const {
    at.is_parallel = at.is_parallel || runs_in_threads(loop, at);
    at.ranges.bind(loop.var, loop.min, loop.extent);
    return at;
  }

  int threads_;
  std::set<Buffer> steering_;
};

bool is_for_device(const Stmt& body) {
  return any_stmt(body, [](const Stmt& s) { return as_bound(s) != nullptr; });
}

}  // namespace

std::optional<ProgramPart> part_of(const Program& program, double share, int threads) {
  if (!program.symbols.empty()) return std::nullopt;
  std::optional<std::size_t> called;
  for (std::size_t k = 0; k < program.kernels.size(); ++k) {
    if (!is_of_call(program, k)) continue;
    if (called || is_for_device(program.kernels[k].body)) return std::nullopt;
    called = k;
  }
  if (!called) return std::nullopt;
  ProgramPart part{program};
  Stmt& body = part.program.kernels[*called].body;
  const Shortener shortener(body, threads);
  const double whole = shortener.work(body, {});
  body = shortener.shorten(body, share, kSlackOfLongest, {});
  const double rest = shortener.work(body, {});
  if (rest <= 0 || whole < kMinRatio * rest) return std::nullopt;
  part.ratio = whole / rest;
  return part;
}

}  // namespace nestwright
