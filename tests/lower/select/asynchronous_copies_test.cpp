// asynchronous_copies on handwritten kernels.
#include <gmock/gmock.h>

#include <span>

#include "ir/traversal/rewrite.h"
#include "lower/passes.h"
#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"

namespace nestwright::testing {
namespace {

using namespace ir;

class Asynchronous : public ::testing::Test {
 protected:
  static std::size_t count(const Stmt& body) {
    std::size_t copies = 0;
    for_each_stmt(passes::asynchronous_copies(body, {}), [&](const Stmt& s) {
      const auto* store = s.as<Store>();
      if (store != nullptr && store->asynchronous) ++copies;
    });
    return copies;
  }
  static Stmt serial(const Var& var, std::int64_t extent, const Stmt& body) {
    return make_for(var, 0, Expr(extent), LoopKind::kSerial, body);
  }
  Stmt threads(const Stmt& body) const { return make_for(x_, 0, 8, LoopKind::kThreadX, body); }
  Stmt fill(const Expr& half, const Expr& from) const { return make_store(s_, {half, x_}, make_load(a_, {from})); }
  Stmt use(const Expr& half, const Expr& at) const { return make_store(c_, {x_}, make_load(s_, {half, at})); }

  Var x_{"x"}, k_{"k"};
  Buffer s_{"s", kFloat32, {2, 8}, Scope::kShared}, a_{"A", kFloat32, {64}}, c_{"C", kFloat32, {8}};
};

TEST_F(Asynchronous, BothFillsOfADoubleBuffer) {
  const Expr k(k_);
  const Stmt body = block(
      {fill(0, x_), make_barrier(),
       serial(k_, 6, block({make_if(k < 5, fill((k + 1) % 2, x_ + k)), use(k % 2, 7 - Expr(x_)), make_barrier()}))});
  EXPECT_EQ(count(threads(body)), 2u);
}

TEST_F(Asynchronous, NotWhatTheSameThreadReadsBeforeABarrier) {
  EXPECT_EQ(count(threads(block({fill(0, x_), use(0, x_)}))), 0u);
  EXPECT_EQ(count(threads(block({fill(0, x_), use(1, x_)}))), 1u);
  EXPECT_EQ(count(threads(block({fill(0, x_), make_barrier(), use(0, x_)}))), 1u);
  EXPECT_EQ(count(threads(block({fill(0, x_), make_if(Expr(x_) < 4, make_barrier()), use(0, x_)}))), 0u);
}

TEST_F(Asynchronous, NotWhatTheNextIterationReads) {
  const Expr k(k_);
  EXPECT_EQ(count(threads(serial(k_, 6, block({use(k % 2, x_), fill((k + 1) % 2, x_)})))), 0u);
  EXPECT_EQ(count(threads(serial(k_, 6, block({use(k % 2, x_), fill((k + 1) % 2, x_), make_barrier()})))), 1u);
  // The third iteration reads what the first one fills.
  EXPECT_EQ(count(threads(serial(k_, 2, block({fill(k, x_), use(1 - k, x_)})))), 0u);
}

TEST_F(Asynchronous, NotWhatIsStoredOverBeforeABarrier) {
  EXPECT_EQ(count(threads(block({fill(0, x_), make_store(s_, {0, x_}, 1.0)}))), 0u);
  EXPECT_EQ(count(threads(block({fill(0, x_), fill(0, x_ + Expr(8))}))), 1u);  // only the second
  const Var j("j");
  EXPECT_EQ(count(threads(serial(j, 4, fill(0, x_ + j)))), 0u);
  EXPECT_EQ(count(threads(serial(j, 4, block({fill(0, x_ + j), make_barrier()})))), 1u);
}

TEST_F(Asynchronous, EachElementOfALoopOnce) {
  const Buffer wide("wide", kFloat32, {8, 32}, Scope::kShared);
  const Var j("j"), i("i"), at("at");
  const auto copy = [&](const Expr& column) {
    return serial(i, 2, serial(j, 4, make_store(wide, {x_, column}, make_load(a_, {i * 4 + j}))));
  };
  EXPECT_EQ(count(threads(copy(i * 4 + j))), 1u);
  EXPECT_EQ(count(threads(copy(i * 3 + j))), 0u);
  EXPECT_EQ(count(threads(copy((i * 4 + j) % 7))), 0u);
  EXPECT_EQ(count(threads(serial(i, 4, make_let(at, i * 8, make_store(wide, {x_, at}, make_load(a_, {i})))))), 1u);
}

TEST_F(Asynchronous, TilesThatAllThreadsFetchByStrides) {
  const Buffer tile("tile", kFloat32, {2, 16, 32}, Scope::kShared);
  const Var j("j"), row("row");
  const Expr all = j * 8 + x_;  // 64 iterations of 8 threads
  const auto fetch = [&](const std::vector<Expr>& at, std::int64_t iterations = 64) {
    return threads(serial(j, iterations, make_store(tile, at, make_load(a_, {j}))));
  };
  EXPECT_EQ(count(fetch({0, all / 32, all % 32})), 1u);
  EXPECT_EQ(count(fetch({0, all % 16, all / 16})), 1u);
  EXPECT_EQ(count(fetch({0, all % 16, all / 32})), 0u);
  EXPECT_EQ(count(fetch({0, 0, all % 32})), 0u);
  EXPECT_EQ(count(fetch({0, (all + 32) / 32, all % 32}, 60)), 1u);
  EXPECT_EQ(count(fetch({0, (all + 31) / 32, all % 32}, 60)), 0u);
  // By vectors of four.
  const auto vectors = [&](const Expr& y, const Expr& x) {
    const Expr lanes = make_ramp(x, Expr(1), 4), from = make_ramp(Expr(j) * 4, Expr(1), 4);
    return threads(serial(j, 16, make_store(tile, {0, y, lanes}, make_load(a_, {from}))));
  };
  EXPECT_EQ(count(vectors(all / 8, all % 8 * 4)), 1u);
  EXPECT_EQ(count(vectors(all / 8, all % 8 * 3)), 0u);
  EXPECT_EQ(count(vectors(0, Expr(j) * 2)), 0u);
  // A loop around does not matter if each of its iterations waits.
  EXPECT_EQ(count(threads(serial(k_, 3, serial(row, 2, block({fill(0, x_ + row), make_barrier()}))))), 1u);
}

TEST_F(Asynchronous, OnlyPlainCopiesFromWhatStaysTheSame) {
  const Buffer bytes("bytes", kInt8, {8}), shared_bytes("sb", kInt8, {8}, Scope::kShared);
  const Buffer local("l", kFloat32, {8}, Scope::kLocal);
  const Expr x(x_);
  const auto store = [&](const Expr& value) { return threads(make_store(s_, {0, x_}, value)); };
  EXPECT_EQ(count(store(make_load(a_, {x}))), 1u);
  EXPECT_EQ(count(store(make_load(a_, {x}, x < 4))), 1u);
  const Buffer quads("quads", kFloat32, {8, 4}, Scope::kShared);
  const auto vector = [&](const Expr& mask) {
    const Expr from = make_ramp(x * 4, Expr(1), 4), to = make_ramp(Expr(0), Expr(1), 4);
    return threads(make_store(quads, {x_, to}, make_load(a_, {from}, mask)));
  };
  EXPECT_EQ(count(vector(make_broadcast(x < 4, 4))), 1u);
  EXPECT_EQ(count(vector(make_ramp(x, Expr(1), 4) < make_broadcast(Expr(6), 4))), 0u);
  EXPECT_EQ(count(store(make_load(a_, {x}) + 1.0)), 0u);
  EXPECT_EQ(count(store(make_load(local, {x}))), 0u);
  EXPECT_EQ(count(threads(make_store(shared_bytes, {x}, make_load(bytes, {x})))), 0u);
  EXPECT_EQ(count(threads(make_store(local, {x}, make_load(a_, {x})))), 0u);
  EXPECT_EQ(count(threads(block({fill(0, x), make_barrier(), make_store(a_, {x}, 1.0)}))), 0u);
}

/// The message of the interpreter, or "" where it accepts the kernel.
std::string interpreted(const Stmt& kernel, const Buffer& a, const Buffer& c) {
  Program program{"copies", {{a, Role::kInput}, {c, Role::kOutput}}, {}, {}, {}, {}, make_launch(0), {}};
  program.kernels = {{"main", kernel}};
  std::vector<float> from(64, 2), to(8);
  const std::vector<Memory> memory{std::as_writable_bytes(std::span(from)), std::as_writable_bytes(std::span(to))};
  try {
    interpret(program, memory, {}, {});
  } catch (const Error& error) {
    return error.what();
  }
  return to == std::vector<float>(8, 2) ? "" : "another result";
}

// What the pass marks happens as late as it may in the interpreter, so that a copy that was marked wrongly shows.
TEST_F(Asynchronous, TheInterpreterDelaysThemUntilTheBarrier) {
  const Stmt copy = make_asynchronous(*fill(0, x_).as<Store>());
  const auto kernel = [&](const Stmt& body) { return make_allocate(s_, threads(body)); };
  EXPECT_EQ(interpreted(kernel(block({copy, make_barrier(), use(0, x_)})), a_, c_), "");
  EXPECT_EQ(interpreted(kernel(block({fill(0, x_), use(0, x_)})), a_, c_), "");
  EXPECT_THAT(interpreted(kernel(block({copy, use(0, x_)})), a_, c_),
              ::testing::HasSubstr("is read while its copy is in flight"));
  EXPECT_THAT(interpreted(kernel(block({copy, copy, make_barrier(), use(0, x_)})), a_, c_),
              ::testing::HasSubstr("is written while its copy is in flight"));
}

}  // namespace
}  // namespace nestwright::testing
