#include "cost_model/device_resources.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cost_model/cost_model.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

const DeviceResources kNeeds{64, 0, 1023, 0.5};

Features plain(float x) {
  Features features{x};
  append_unknown_resources(features);
  return features;
}

TEST(DeviceResources, AreTheLastColumnsAndNotANumberUntilToldOf) {
  const Features unknown = plain(7);
  ASSERT_EQ(unknown.size(), 1 + device_resource_names().size());
  EXPECT_EQ(unknown[0], 7);
  for (std::size_t i = 1; i < unknown.size(); ++i) EXPECT_TRUE(std::isnan(unknown[i]));
  EXPECT_EQ(with_resources(unknown, kNeeds), (Features{7, 64, 0, 10, 0.5F}));
  EXPECT_EQ(device_resource_names(),
            (std::vector<std::string>{"registers", "spill_bytes", "shared_bytes", "occupancy"}));
  EXPECT_THROW(with_resources({1, 2, 3}, kNeeds), InternalError);
}

TEST(DeviceResources, AnObservationIsGivenBeforeAndAfterCompiling) {
  const std::vector<Observation> given =
      with_and_without_resources({{plain(1), 10, 1, kNeeds}, {plain(2), 20, 0.5, {}}});
  ASSERT_EQ(given.size(), 3u);
  EXPECT_TRUE(std::isnan(given[0].features[1]));
  EXPECT_EQ(given[0].weight, 0.5);
  EXPECT_EQ(given[1].features[0], 2);
  EXPECT_EQ(given[1].weight, 0.5) << "no compiler told: once, as it was";
  EXPECT_EQ(given[2].features, with_resources(plain(1), kNeeds));
  EXPECT_EQ(given[2].weight, 0.5);
  EXPECT_EQ(given[2].throughput, 10);
}

/// The speed depends on the knob, where a kernel compiles, and equally on the occupancy; every third candidate fails to
/// compile.
std::vector<Observation> trials() {
  std::vector<Observation> list;
  for (int i = 0; i < 120; ++i) {
    const double share = (i * 7 % 8 + 1) / 8.0, knob = i % 10;
    if (i % 3 == 0) {
      list.push_back({plain(static_cast<float>(knob)), 0});
    } else {
      list.push_back({plain(static_cast<float>(knob)), knob + 10 * share, 1, DeviceResources{64, 0, 0, share}});
    }
  }
  return list;
}

TEST(DeviceResources, RankWhatIsCompiledAndDoNotCondemnWhatIsNot) {
  const auto model = make_cost_model("xgboost", 1);
  model->update(with_and_without_resources(trials()));
  const auto score = [&](const Features& row) { return model->predict(std::vector<Features>{row})[0]; };
  const Features full = with_resources(plain(5), {64, 0, 0, 1}), empty = with_resources(plain(5), {64, 0, 0, 0.125});
  EXPECT_GT(score(full), 1.5 * score(empty));
  EXPECT_GT(score(plain(9)), score(plain(0))) << "before it is compiled, the knob is what there is to go by";
  EXPECT_GT(score(plain(5)), 0.25 * score(full));

  // Trained on rows with resources only, the model takes uncompiled candidates for failures.
  std::vector<Observation> after;
  for (const Observation& o : trials()) {
    after.push_back({o.resources ? with_resources(o.features, *o.resources) : o.features, o.throughput});
  }
  model->update(after);
  EXPECT_LT(score(plain(5)), 0.1 * score(full));
}

}  // namespace
}  // namespace nestwright
