// The choice of groupings and layouts by the times of a log.
#include "search/network/variant_search.h"

#include <gmock/gmock.h>

#include "network/variant.h"
#include "tests/search/tuned_network.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class VariantSearchTest : public TunedNetwork {
 protected:
  /// Two 1 x 1 convolutions, which may have blocked channels.
  static Graph convolutions() {
    Graph graph;
    ValueId x = graph.add_input("x", {kFloat32, {32, 6, 7}});
    for (int layer = 0; layer < 2; ++layer) {
      const TensorType type{kFloat32, {32, 32}};
      const ValueId w = graph.add_constant(type, std::vector<float>(32 * 32, 0.25F));
      x = graph.apply("Conv", "Y[o,y,x]=sum(c,X[c,y,x]*W[o,c])", {{"X", x}, {"W", w}});
      x = graph.apply("Relu", "Y[o,y,x]=max(X[o,y,x],0)", {{"X", x}});
    }
    graph.add_output("y", x);
    return graph;
  }

  /// Records that the kernel of this workload takes so long.
  void record(TuningLog& log, const std::string& workload, double ns) {
    const TaskContext context(Task{workload_of(workload), target(), CacheState::kStream});
    const Template* source = context.templates().front();
    const SessionId session = log.begin_session(context.key(), {.strategy = "test", .made_by = context.provenance()});
    const Batch batch = log.commit_batch(session, 0, {{source->name, source->version, context.seeds(*source).front()}});
    Measurement measured;
    measured.timing.median_ns = measured.timing.low_ns = measured.timing.high_ns = ns;
    measured.timing.samples_ns = measured.timing.raw_ns = measured.timing.reference_ns = {ns, ns, ns};
    measured.evidence.verified = true;
    log.record(session, batch.ids.at(0), measured);
    log.end_session(session, SessionStatus::kDone, "");
  }
};

TEST_F(VariantSearchTest, AnUnknownTimeChangesNothing) {
  const Graph groups = joined(convolutions());
  const TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
  VariantSearch search(groups, target(), CacheState::kStream, log);
  EXPECT_TRUE(search.best().is_default());
  EXPECT_THAT(search.promising(), IsEmpty());
}

TEST_F(VariantSearchTest, TasksOfLayoutsAreKnownOnceTheyAreTimed) {
  const Graph groups = joined(convolutions());
  TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
  VariantSearch search(groups, target(), CacheState::kStream, log);
  if (search.blocks().size() < 2 || search.blocks()[1] > 32) GTEST_SKIP() << "the vectors do not fit the channels";
  const std::vector<VariantTask> two = search.unknown();
  ASSERT_EQ(two.size(), 2U) << "both kernels are equal, and conversions are estimated";
  EXPECT_EQ(two[0].calls, 2);
  EXPECT_THAT(two[0].label, HasSubstr("in blocks of " + std::to_string(search.blocks()[0])));
  record(log, two[0].workload, 100);
  ASSERT_EQ(search.unknown().size(), 1U);
  EXPECT_EQ(search.unknown()[0].workload, two[1].workload);
}

TEST_F(VariantSearchTest, TheCheapestLayoutsAreChosenWithTheirConversions) {
  const Graph groups = joined(convolutions());
  TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
  VariantSearch search(groups, target(), CacheState::kStream, log);
  if (search.blocks().empty() || search.blocks()[0] > 32) GTEST_SKIP() << "the vectors do not fit the channels";
  record(log, search.unknown().at(0).workload, 600);
  // Two kernels of 600 and two conversions are less than 2 x 10000.
  for (const std::string& workload : workloads_of(named(groups))) record(log, workload, 10'000);
  const std::vector<VariantTask> promising = search.promising();
  ASSERT_EQ(promising.size(), 3U) << "the kernel, and the conversions of the fastest variant";
  const NetworkVariant best = search.best();
  ASSERT_EQ(best.blocked.size(), 1U);
  EXPECT_EQ(best.blocked.begin()->first, search.blocks()[0]);
  EXPECT_EQ(best.blocked.begin()->second.size(), 2U);
  EXPECT_EQ(best, search.uniform(search.blocks()[0]));
  EXPECT_NO_THROW(kernels_of_variant(groups, best));
}

TEST_F(VariantSearchTest, ConversionsThatCostMoreThanTheyGainAreLeftOut) {
  const Graph groups = joined(convolutions());
  TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
  VariantSearch search(groups, target(), CacheState::kStream, log);
  for (const std::string& workload : workloads_of(named(groups))) record(log, workload, 1000);
  record(log, search.unknown().at(0).workload, 900);
  EXPECT_TRUE(search.best().is_default()) << "two conversions take more than 200 ns";
}

}  // namespace
}  // namespace nestwright
