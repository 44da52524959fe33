// Concurrent loops that split a fused loop by factors that need not divide it: the verifier proves all of them that
// are made as the lowering makes them, and none in which two iterations touch one element, as enumeration finds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <compare>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "ir/analysis/evaluate.h"
#include "nestwright/program.h"
#include "tests/ir/programs.h"
#include "tests/support/soak.h"

namespace nestwright::ir {
namespace {

/// A fused loop over all axes of a tensor, split by `part` and then by `lanes`. The outermost part is parallel, the
/// innermost one vectorized.
struct SplitFusedLoop {
  std::vector<std::int64_t> extents;           ///< of the axes, outermost first
  std::int64_t part = 1, lanes = 1;            ///< what the two splits leave inside
  std::int64_t step = 1;                       ///< between the starts of two parts; `part` where they do not overlap
  std::vector<std::int64_t> divisors, moduli;  ///< of each axis; modulus 0: no remainder
  bool is_guarded = true;                      ///< whether an inner loop ends where its part does
  std::vector<std::size_t> order;              ///< the axis of each dimension of the tensor

  SplitFusedLoop(std::vector<std::int64_t> of_axes, std::int64_t of_part, std::int64_t of_lanes)
      : extents(std::move(of_axes)), part(of_part), lanes(of_lanes), step(of_part), order(extents.size()) {
    std::iota(order.begin(), order.end(), 0U);
    std::int64_t inside = 1;
    for (std::size_t d = extents.size(); d-- > 0;) {
      divisors.insert(divisors.begin(), inside);
      moduli.insert(moduli.begin(), d == 0 ? 0 : extents[d]);
      inside *= extents[d];
    }
  }

  std::int64_t points() const {
    return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
  }
  std::int64_t parts() const { return (points() - 1) / step + 1; }
  std::int64_t vectors() const { return (part - 1) / lanes + 1; }

  std::vector<Expr> indices(const Expr& number) const {
    std::vector<Expr> result;
    for (const std::size_t axis : order) {
      const Expr quotient = number / Expr(divisors[axis]);
      result.push_back(moduli[axis] == 0 ? quotient : quotient % Expr(moduli[axis]));
    }
    return result;
  }

  std::string str() const {
    std::string text;
    for (const std::size_t axis : order) {
      text += std::to_string(extents[axis]) + " by " + std::to_string(divisors[axis]) + " % " +
              std::to_string(moduli[axis]) + ", ";
    }
    return text + "parts of " + std::to_string(part) + " every " + std::to_string(step) + ", lanes " +
           std::to_string(lanes);
  }
};

const Var kPart("part"), kVector("vector"), kLane("lane");

/// The violations that are about a concurrent loop.
std::vector<std::string> races(const SplitFusedLoop& loop) {
  std::vector<Expr> shape;
  for (const std::size_t axis : loop.order) shape.emplace_back(loop.extents[axis] * 64);  // no guard is for bounds
  const Buffer x("X", kFloat32, shape);
  const Expr inside = Expr(kVector) * loop.lanes + kLane, number = Expr(kPart) * loop.step + inside;
  Stmt body = make_store(x, loop.indices(number), make_float(0, kFloat32));
  if (loop.is_guarded) body = make_if(inside < Expr(loop.part), body);
  body = make_if(number < Expr(loop.points()), body);
  body = make_for(kLane, 0, loop.lanes, LoopKind::kVectorized, body);
  body = make_for(kVector, 0, loop.vectors(), LoopKind::kSerial, body);
  body = make_for(kPart, 0, loop.parts(), LoopKind::kParallel, body);
  std::vector<std::string> found = verify(program_of({{x, Role::kOutput}}, body), Form::kLoop);
  std::erase_if(found,
                [](const std::string& violation) { return violation.find("two iterations") == std::string::npos; });
  return found;
}

/// Whether two iterations of the parallel loop, or two lanes of one vector, store to one element.
bool overlaps(const SplitFusedLoop& loop) {
  const Var number("number");
  const std::vector<Expr> indices = loop.indices(number);
  struct Vector {
    std::int64_t part, number;
    auto operator<=>(const Vector&) const = default;
  };
  std::map<std::vector<std::int64_t>, std::set<Vector>> stored;  // by element
  for (std::int64_t part = 0; part < loop.parts(); ++part) {
    for (std::int64_t inside = 0; inside < loop.vectors() * loop.lanes; ++inside) {
      const std::int64_t at = part * loop.step + inside;
      if (at >= loop.points() || (loop.is_guarded && inside >= loop.part)) continue;
      std::vector<std::int64_t> element;
      for (const Expr& index : indices) element.push_back(evaluate(index, std::vector{number}, std::vector{at}));
      std::set<Vector>& by = stored[element];
      const bool is_new = by.insert({part, inside / loop.lanes}).second;
      if (!is_new || by.begin()->part != part) return true;
    }
  }
  return false;
}

class FusedRaces : public ::testing::Test {
 protected:
  std::int64_t draw(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  SplitFusedLoop draw_loop(const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& lanes) {
    std::vector<std::int64_t> axes;
    for (std::int64_t n = draw(2, 4); n > 0; --n)
      axes.push_back(extents[static_cast<std::size_t>(draw(0, 1000)) % extents.size()]);
    SplitFusedLoop loop(axes, 1, lanes[static_cast<std::size_t>(draw(0, 1000)) % lanes.size()]);
    const std::int64_t points = loop.points(), parts = draw(1, std::min<std::int64_t>(points, 12));
    loop.part = loop.step = draw(0, 1) == 0 ? (points - 1) / parts + 1 : draw(1, points);  // nparts, factor
    if (draw(0, 1) == 0) std::shuffle(loop.order.begin(), loop.order.end(), random_);
    return loop;
  }

  std::mt19937_64 random_{20260151};
};

TEST_F(FusedRaces, SeveralAxesAndFactorsThatDoNotDivide) {
  for (const std::vector<std::int64_t>& axes :
       {std::vector<std::int64_t>{64, 56, 56}, {1, 64, 56, 56}, {14, 14, 1024}}) {
    for (const std::int64_t part : {33451, 1001, 66902, 1, 56, 57}) {
      for (const std::int64_t lanes : {16, 8, 1}) {
        const SplitFusedLoop loop(axes, part, lanes);
        EXPECT_THAT(races(loop), ::testing::IsEmpty()) << loop.str();
      }
    }
  }
}

TEST_F(FusedRaces, SplitsThatDoNotOverlapAreProved) {
  for (int round = 0; round < 100 * testing::soak(); ++round) {
    const SplitFusedLoop small = draw_loop({1, 2, 3, 4, 5, 6, 7}, {1, 2, 4, 8});
    ASSERT_FALSE(overlaps(small)) << small.str();
    EXPECT_THAT(races(small), ::testing::IsEmpty()) << small.str();
    const SplitFusedLoop large = draw_loop({1, 7, 14, 28, 56, 64, 100, 1024}, {1, 4, 8, 16});
    EXPECT_THAT(races(large), ::testing::IsEmpty()) << large.str();
  }
}

TEST_F(FusedRaces, NoneThatOverlapsIsProved) {
  int overlapping = 0, proved = 0;
  for (int round = 0; round < 60 * testing::soak(); ++round) {
    SplitFusedLoop loop = draw_loop({1, 2, 3, 4, 5, 6}, {1, 2, 4});
    const auto axis = static_cast<std::size_t>(draw(0, static_cast<std::int64_t>(loop.extents.size()) - 1));
    switch (draw(0, 3)) {
      case 0:
        loop.divisors[axis] = std::max<std::int64_t>(1, loop.divisors[axis] + draw(-2, 2));
        break;
      case 1:
        loop.moduli[axis] = std::max<std::int64_t>(0, loop.moduli[axis] + draw(-2, 2));
        break;
      case 2:
        loop.step = std::max<std::int64_t>(1, loop.step + draw(-2, 2));
        break;
      default:
        loop.is_guarded = false;
    }
    const bool is_proved = races(loop).empty();
    if (overlaps(loop)) {
      ++overlapping;
      EXPECT_FALSE(is_proved) << loop.str();
    } else {
      proved += is_proved;
    }
  }
  EXPECT_GT(overlapping, 12);
  EXPECT_GT(proved, 12);
}

}  // namespace
}  // namespace nestwright::ir
