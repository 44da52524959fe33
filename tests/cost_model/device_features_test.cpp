// Device features of hand-written loop nests with known values.
#include "cost_model/device_features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/cost_model/product.h"

namespace nestwright {
namespace {

using namespace ir;  // NOLINT(google-build-using-namespace)

constexpr DeviceShape kDevice{.multiprocessors = 10, .blocks = 16, .warps = 64, .shared_bytes = 48 << 10};

double feature(const Program& program, const std::string& name) {
  Features features;
  device_features(program, kDevice, features);
  const auto names = device_feature_names();
  EXPECT_EQ(features.size(), names.size());
  return features[static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin())];
}

double unscaled(double value) { return std::exp2(value) - 1; }

Program on_threads(const Var& block, const Var& thread, std::int64_t threads, Stmt s) {
  return program_of(make_for(block, 0, 64, LoopKind::kBlockX, make_for(thread, 0, threads, LoopKind::kThreadX, s)), {});
}

TEST(DeviceFeatures, CoalescingIsWhatIsAskedForOfTheSectorsThatAreMoved) {
  const Buffer from("from", kFloat32, {64, 64}), to("to", kFloat32, {64, 64});
  const Var block("block"), thread("thread");
  const auto copy = [&](const Expr& row, const Expr& column) {
    return on_threads(block, thread, 64, make_store(to, {block, thread}, make_load(from, {row, column})));
  };
  EXPECT_NEAR(feature(copy(block, thread), "coalescing"), 1, 1e-6);
  EXPECT_NEAR(unscaled(feature(copy(block, thread), "sector_bytes")), 2 * 64 * 64 * 4, 1);
  EXPECT_NEAR(feature(copy(thread, block), "coalescing"), 256.0 / (4 * 32 + 32 * 32), 1e-6) << "a row a thread";
  EXPECT_NEAR(feature(copy(block, 0), "coalescing"), 256.0 / (4 * 32 + 32), 1e-6) << "one element for all";
  EXPECT_TRUE(std::isnan(feature(copy(block, thread), "shared_ways")));
}

TEST(DeviceFeatures, RowsOfThreadsMakeOneWarp) {
  const Buffer to("to", kFloat32, {64, 8, 64});
  const Var block("block"), x("x"), y("y");
  const Stmt s = make_store(to, {block, y, x}, 1.0);
  const Stmt rows = make_for(y, 0, 8, LoopKind::kThreadY, make_for(x, 0, 8, LoopKind::kThreadX, s));
  const Program p = program_of(make_for(block, 0, 64, LoopKind::kBlockX, rows), {});
  EXPECT_NEAR(unscaled(feature(p, "sector_bytes")), 64 * 8 * 8 * 4, 1) << "four whole sectors, a row each";
  EXPECT_NEAR(unscaled(feature(p, "warps")), 2, 1e-3);
}

TEST(DeviceFeatures, BanksOfSharedMemoryGiveOneWordAtATime) {
  const Var block("block"), thread("thread"), i("i");
  const auto by_columns = [&](std::int64_t stride) {
    const Buffer tile("tile", kFloat32, {32, 32}, Scope::kShared, {stride, 1});
    const Stmt s = make_for(i, 0, 32, LoopKind::kSerial, make_store(tile, {thread, i}, 1.0));
    return on_threads(block, thread, 32, make_allocate(tile, s));
  };
  EXPECT_NEAR(feature(by_columns(32), "shared_ways"), 32, 1e-6);
  EXPECT_NEAR(feature(by_columns(36), "shared_ways"), 4, 1e-6);
  EXPECT_NEAR(feature(by_columns(33), "shared_ways"), 1, 1e-6);
  EXPECT_NEAR(unscaled(feature(by_columns(33), "shared_uses")), 64 * 32, 1);
}

TEST(DeviceFeatures, VectorsAreMovedByOneAccessAThread) {
  const Buffer from("from", kFloat32, {64, 128});
  const Var block("block"), thread("thread"), lane("lane");
  const Buffer tile("tile", kFloat32, {128}, Scope::kShared);
  const Expr column = Expr(thread) * 4 + lane;
  const Stmt s =
      make_for(lane, 0, 4, LoopKind::kVectorized, make_store(tile, {column}, make_load(from, {block, column})));
  const Program p = on_threads(block, thread, 32, make_allocate(tile, s));
  EXPECT_NEAR(feature(p, "coalescing"), 1, 1e-6);
  EXPECT_NEAR(feature(p, "shared_ways"), 1, 1e-6) << "eight threads at a time ask for all banks";
  EXPECT_NEAR(unscaled(feature(p, "shared_uses")), 64, 1e-2) << "one a block";
  EXPECT_NEAR(unscaled(feature(p, "sector_bytes")), 64 * 128 * 4, 1);
}

TEST(DeviceFeatures, BlocksComeInWaves) {
  const Var block("block"), thread("thread");
  const auto staged = [&](std::int64_t floats) {
    const Buffer tile("tile", kFloat32, {floats}, Scope::kShared);
    return on_threads(block, thread, 48, make_allocate(tile, make_store(tile, {thread}, 1.0)));
  };
  EXPECT_NEAR(unscaled(feature(staged(64), "waves")), 64.0 / (16 * 10), 1e-3) << "16 blocks a multiprocessor";
  EXPECT_NEAR(feature(staged(64), "wave_share"), 64.0 / (16 * 10), 1e-6);
  EXPECT_NEAR(feature(staged(64), "lanes_filled"), 0.75, 1e-6);
  EXPECT_NEAR(feature(staged(64), "resident_warps"), 32, 1e-6);
  EXPECT_NEAR(unscaled(feature(staged(5000), "waves")), 3.2, 1e-3) << "20 of 48 KiB each";
  EXPECT_NEAR(feature(staged(5000), "wave_share"), 0.8, 1e-6);
  EXPECT_NEAR(unscaled(feature(staged(5000), "shared_block")), 20000, 1);
}

TEST(DeviceFeatures, WithoutThreadsNothingIsKnown) {
  Features features;
  device_features(Product().naive(), kDevice, features);
  ASSERT_EQ(features.size(), device_feature_names().size());
  for (const float value : features) EXPECT_TRUE(std::isnan(value));
}

}  // namespace
}  // namespace nestwright
