// Random expressions, evaluated before and after simplification for every assignment of their variables. A run tries a
// quarter of them (tests/support/soak.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "ir/analysis/bounds.h"
#include "ir/simplify/simplify.h"
#include "nestwright/program.h"
#include "tests/ir/programs.h"
#include "tests/support/soak.h"

namespace nestwright::ir {
namespace {

constexpr int kSlices = 4;

using Values = std::map<Var, std::int64_t>;

std::int64_t evaluate(const Expr& e, const Values& at);

std::int64_t evaluate(const Binary& n, const Values& at) {
  const std::int64_t a = evaluate(n.a, at), b = evaluate(n.b, at);
  switch (n.op) {
    case BinaryOp::kAdd:
      return a + b;
    case BinaryOp::kSub:
      return a - b;
    case BinaryOp::kMul:
      return a * b;
    case BinaryOp::kDiv:
      return floor_div(a, b);
    case BinaryOp::kMod:
      return floor_mod(a, b);
    case BinaryOp::kMin:
      return std::min(a, b);
    case BinaryOp::kMax:
      return std::max(a, b);
    case BinaryOp::kEq:
      return a == b;
    case BinaryOp::kNe:
      return a != b;
    case BinaryOp::kLt:
      return a < b;
    case BinaryOp::kLe:
      return a <= b;
    case BinaryOp::kGt:
      return a > b;
    case BinaryOp::kGe:
      return a >= b;
    case BinaryOp::kAnd:
      return a && b;
    case BinaryOp::kOr:
      return a || b;
  }
  return 0;
}

std::int64_t evaluate(const Expr& e, const Values& at) {
  if (const auto* n = e.as<IntImm>()) return n->value;
  if (const auto* n = e.as<VarRef>()) return at.at(n->var);
  if (const auto* n = e.as<Binary>()) return evaluate(*n, at);
  if (const auto* n = e.as<Not>()) return !evaluate(n->a, at);
  if (const auto* n = e.as<Cast>()) return evaluate(n->value, at);
  if (const auto* n = e.as<Select>()) return evaluate(evaluate(n->condition, at) ? n->if_true : n->if_false, at);
  if (const auto* n = e.as<Call>()) {
    const std::int64_t value = evaluate(n->args[0], at);
    return n->intrinsic == Intrinsic::kAbs ? std::abs(value) : value;
  }
  ADD_FAILURE() << "no evaluation of " << to_string(e);
  return 0;
}

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_(seed) {}

  Expr index(int depth) {
    if (depth == 0) return pick(4) == 0 ? Expr(constant()) : Expr(variables_[pick(4)]);
    const auto sub = [&] { return index(depth - 1); };
    switch (pick(12)) {
      case 0:
      case 1:
        return make_binary(BinaryOp::kAdd, sub(), sub());
      case 2:
        return make_binary(BinaryOp::kSub, sub(), sub());
      case 3:
        return make_binary(BinaryOp::kMul, sub(), Expr(constant()));
      case 4:
        return make_binary(BinaryOp::kMul, sub(), sub());
      case 5:
      case 6:
        return make_binary(BinaryOp::kDiv, sub(), divisor());
      case 7:
      case 8:
        return make_binary(BinaryOp::kMod, sub(), divisor());
      case 9:
        return make_binary(pick(2) ? BinaryOp::kMin : BinaryOp::kMax, sub(), sub());
      case 10:
        return make_select(condition(depth - 1), sub(), sub());
      default:
        return pick(2) ? make_cast(kIndex, condition(depth - 1)) : make_call(Intrinsic::kAbs, {sub()}, kIndex);
    }
  }

  Expr condition(int depth) {
    const int kind = depth <= 0 ? 0 : pick(6);
    if (kind < 3) {
      const auto op = static_cast<BinaryOp>(static_cast<int>(BinaryOp::kEq) + pick(6));
      return make_binary(op, index(std::max(depth - 1, 0)), index(std::max(depth - 1, 0)));
    }
    if (kind == 3) return make_binary(BinaryOp::kAnd, condition(depth - 1), condition(depth - 1));
    if (kind == 4) return make_binary(BinaryOp::kOr, condition(depth - 1), condition(depth - 1));
    return pick(2) ? make_not(condition(depth - 1)) : make_call(Intrinsic::kLikely, {condition(depth - 1)}, kBool);
  }

  /// Loops over all variables around guards, blocks and stores to a buffer of 64 elements.
  Stmt statement(const Buffer& to) {
    Stmt body = tree(to, 3);
    for (const int v : {3, 2, 1, 0}) {
      const Interval limits = limits_[std::size_t(v)];
      body = make_for(variables_[std::size_t(v)], limits.lo, limits.hi - limits.lo + 1,
                      pick(2) ? LoopKind::kSerial : LoopKind::kUnrolled, body);
    }
    return body;
  }

  Ranges ranges() const {
    Ranges result;
    for (std::size_t v = 0; v < variables_.size(); ++v) result.bind(variables_[v], limits_[v]);
    return result;
  }

  template <class F>
  void each_assignment(F&& f) const {
    Values at;
    assign(0, at, f);
  }

 private:
  Stmt tree(const Buffer& to, int depth) {
    const int kind = depth == 0 ? 0 : pick(5);
    if (kind == 0) return make_store(to, {make_binary(BinaryOp::kMod, index(1), Expr(64))}, index(2));
    if (kind == 1) return block({tree(to, depth - 1), tree(to, depth - 1)});
    if (kind == 2) {
      const Var held("held");
      const Stmt inner = make_store(to, {make_binary(BinaryOp::kMod, held, Expr(64))}, Expr(held) + index(1));
      return make_let(held, index(2), make_if(Expr(held) > constant(), inner, tree(to, depth - 1)));
    }
    return make_if(condition(2), tree(to, depth - 1), pick(3) == 0 ? tree(to, depth - 1) : Stmt());
  }

  int pick(int n) { return static_cast<int>(random_() % static_cast<std::uint32_t>(n)); }
  std::int64_t constant() { return std::vector<std::int64_t>{-7, -1, 0, 1, 2, 3, 4, 6, 8, 12}[std::size_t(pick(10))]; }
  // A divisor is never 0: a literal, or the variable that starts at 1.
  Expr divisor() {
    if (pick(5) == 0) return variables_[3];
    return Expr(std::vector<std::int64_t>{1, 2, 3, 4, 6, 8, 12, -3}[std::size_t(pick(8))]);
  }

  template <class F>
  void assign(std::size_t v, Values& at, F& f) const {
    if (v == variables_.size()) return f(at);
    for (std::int64_t value = limits_[v].lo; value <= limits_[v].hi; ++value) {
      at[variables_[v]] = value;
      assign(v + 1, at, f);
    }
  }

  std::mt19937 random_;
  std::vector<Var> variables_{Var("a"), Var("b"), Var("c"), Var("d")};
  std::vector<Interval> limits_{{-3, 4}, {0, 3}, {0, 7}, {1, 3}};
};

TEST(SimplifyProperty, KeepsEveryValueAndIsIdempotent) {
  const testing::CaseRange cases = testing::cases_of_run(2500, kSlices);
  for (int seed = cases.first; seed < cases.end; ++seed) {
    Generator generator(static_cast<std::uint32_t>(seed));
    const Expr before = seed % 3 == 0 ? generator.condition(4) : generator.index(2 + seed % 3);
    const Ranges ranges = generator.ranges();
    const Expr after = simplify(before, ranges);
    const Interval limits = bounds(before, ranges);
    ASSERT_EQ(after.type(), before.type());
    ASSERT_TRUE(simplify(after, ranges).same_as(after))
        << seed << ": " << to_string(before) << "  ->  " << to_string(after) << "  ->  "
        << to_string(simplify(after, ranges));
    const bool proven = before.type() == kBool && prove(before, ranges);
    const bool disproven = before.type() == kBool && disprove(before, ranges);
    bool good = true;
    generator.each_assignment([&](const Values& at) {
      const std::int64_t expected = evaluate(before, at);
      good = good && evaluate(after, at) == expected && expected >= limits.lo && expected <= limits.hi &&
             !(proven && !expected) && !(disproven && expected);
    });
    ASSERT_TRUE(good) << seed << ": " << to_string(before) << "  ->  " << to_string(after) << " in [" << limits.lo
                      << ", " << limits.hi << "]";
  }
}

TEST(SimplifyProperty, AssumptionsHoldWhereTheConditionDoes) {
  const testing::CaseRange cases = testing::cases_of_run(600, kSlices);
  for (int seed = cases.first; seed < cases.end; ++seed) {
    Generator generator(static_cast<std::uint32_t>(seed));
    const Expr condition = generator.condition(3), value = generator.index(2), claim = generator.condition(2);
    for (const bool wanted : {true, false}) {
      Ranges ranges = generator.ranges();
      wanted ? ranges.assume(condition) : ranges.assume_not(condition);
      const Expr after = simplify(value, ranges);
      const Interval limits = bounds(value, ranges);
      const bool proven = prove(claim, ranges);
      bool good = true;
      generator.each_assignment([&](const Values& at) {
        if ((evaluate(condition, at) != 0) != wanted) return;
        const std::int64_t expected = evaluate(value, at);
        good = good && evaluate(after, at) == expected && expected >= limits.lo && expected <= limits.hi &&
               !(proven && !evaluate(claim, at));
      });
      ASSERT_TRUE(good) << seed << ": " << to_string(value) << "  ->  " << to_string(after) << "  given "
                        << (wanted ? "" : "not ") << to_string(condition) << ", claim " << to_string(claim);
    }
  }
}

TEST(SimplifyProperty, KeepsWhatStatementsDoAndIsIdempotent) {
  const testing::CaseRange cases = testing::cases_of_run(160, kSlices);
  for (int seed = cases.first; seed < cases.end; ++seed) {
    Generator generator(static_cast<std::uint32_t>(seed));
    const Buffer c("C", kInt64, {64});
    const Stmt before = generator.statement(c), after = simplify(before);
    if (after.defined()) {
      ASSERT_TRUE(simplify(after).same_as(after)) << seed << ":\n"
                                                  << to_string(after) << "->\n"
                                                  << to_string(simplify(after));
    }
    const auto run = [&](const Stmt& body) {
      std::vector<std::int64_t> values(64, 1234567);
      interpret(program_of({{c, Role::kOutput}}, body), std::vector<Memory>{memory(values)});
      return values;
    };
    ASSERT_EQ(after.defined() ? run(after) : std::vector<std::int64_t>(64, 1234567), run(before))
        << seed << ":\n"
        << to_string(before) << "->\n"
        << (after.defined() ? to_string(after) : "nothing");
  }
}

}  // namespace
}  // namespace nestwright::ir
