#include "bench/comparison/results/conditions.h"

#include <gmock/gmock.h>

#include "bench/comparison/timing/request.h"
#include "nestwright/error.h"
#include "nestwright/registry.h"

namespace nestwright::bench {
namespace {

using ::testing::ThrowsMessage;

TEST(Conditions, AreReadAsTheyAreWritten) {
  for (const Pages pages : {Pages::kSmall, Pages::kHuge}) EXPECT_EQ(parse_pages(name_of(pages)), pages);
  for (const Caches caches : {Caches::kWarm, Caches::kCold}) EXPECT_EQ(parse_caches(name_of(caches)), caches);
  for (const Weights weights : {Weights::kPlain, Weights::kPrepacked, Weights::kBlocked})
    EXPECT_EQ(parse_weights(name_of(weights)), weights);
}

TEST(Conditions, OthersAreRefused) {
  EXPECT_THAT([] { parse_pages("tiny"); }, ThrowsMessage<UsageError>("there are no pages 'tiny'; write small or huge"));
  EXPECT_THAT([] { parse_caches(""); }, ThrowsMessage<UsageError>("there are no caches ''; write warm or cold"));
  EXPECT_THAT([] { parse_weights("Plain"); },
              ThrowsMessage<UsageError>("there are no weights 'Plain'; write plain, prepacked or blocked"));
}

TEST(Conditions, PrepackedWeightsAreOursToPrepare) {
  const Workload matmul = parse_workload("matmul m=2 n=3 k=4"), softmax = parse_workload("softmax rows=2 columns=3");
  EXPECT_EQ(workload_of_ours(matmul, Weights::kPlain)->str(), matmul.str());
  EXPECT_EQ(workload_of_ours(matmul, Weights::kPrepacked)->str(), matmul.str() + " prepared=b");
  EXPECT_EQ(workload_of_ours(matmul, Weights::kBlocked)->str(), matmul.str() + " prepared=b");
  const Workload convolution = parse_workload("conv2d n=1 c=2 h=3 w=4 k=5 r=1 s=1");
  EXPECT_EQ(workload_of_ours(convolution, Weights::kPlain)->str(), convolution.str());
  EXPECT_EQ(workload_of_ours(convolution, Weights::kBlocked)->str(), convolution.str() + " prepared=w");
  EXPECT_EQ(workload_of_ours(softmax, Weights::kPlain)->str(), softmax.str());
  EXPECT_FALSE(workload_of_ours(softmax, Weights::kPrepacked));
  const Workload prepared = parse_workload("matmul m=2 n=3 k=4 prepared=b");
  EXPECT_THAT([&] { workload_of_ours(prepared, Weights::kPlain); },
              ThrowsMessage<UsageError>(prepared.str() + ": libraries would pack what ours is handed prepared; leave "
                                                         "prepared out and ask for --weights prepacked"));
}

TEST(Conditions, ReachTheContestant) {
  const ContestRequest sent{
      "matmul m=2 n=3 k=4", 2,
      Weights::kPrepacked,  Pages::kHuge,
      Caches::kCold,        "x.db",
      "generated.cpu",      {{kFloat32, ir::Role::kInput, 8, 0, 4096}, {kFloat64, ir::Role::kOutput, 6, 8192, 12288}}};
  const ContestRequest got = decode_contest_request(encode(sent));
  EXPECT_EQ(got.workload, sent.workload);
  EXPECT_EQ(got.threads, 2);
  EXPECT_EQ(got.weights, Weights::kPrepacked);
  EXPECT_EQ(got.pages, Pages::kHuge);
  EXPECT_EQ(got.caches, Caches::kCold);
  EXPECT_EQ(got.database, "x.db");
  EXPECT_EQ(got.template_name, "generated.cpu");
  ASSERT_EQ(got.tensors.size(), 2u);
  EXPECT_EQ(got.tensors[0].type, kFloat32);
  EXPECT_EQ(got.tensors[0].role, ir::Role::kInput);
  EXPECT_EQ(got.tensors[0].elements, 8);
  EXPECT_EQ(got.tensors[0].second, 4096);
  EXPECT_EQ(got.tensors[1].type, kFloat64);
  EXPECT_EQ(got.tensors[1].role, ir::Role::kOutput);
  EXPECT_EQ(got.tensors[1].first, 8192);
  EXPECT_THROW(decode_contest_request(encode(sent).substr(0, 40)), UsageError);
}

}  // namespace
}  // namespace nestwright::bench
