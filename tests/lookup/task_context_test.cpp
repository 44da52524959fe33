// What follows from a task is resolved when it is first asked for, once for all copies of its context.
#include "nestwright/lookup.h"

#include <gtest/gtest.h>

#include "lookup/task_key.h"
#include "nestwright/error.h"
#include "tests/lookup/counting_operator.h"

namespace nestwright {
namespace {

TEST(TaskContext, ResolvesWhenAskedAndOnce) {
  const CountingOperator counting;
  const TaskContext context(counting.task(64));
  const TaskContext copy = context;
  EXPECT_EQ(counting.counts().defined, 1) << "when the workload was parsed";
  EXPECT_EQ(counting.counts().discovered + counting.counts().seeded, 0);

  const Template& source = *context.templates().at(0);
  EXPECT_EQ(&context.space(source), &copy.space(source));
  EXPECT_EQ(&context.seeds(source), &copy.seeds(source));
  EXPECT_EQ(&context.key(), &copy.key());
  EXPECT_EQ(&context.provenance(), &copy.provenance());
  EXPECT_EQ(context.key().workload.text, task_key(context.task()).workload.text);
  EXPECT_EQ(counting.counts().defined, 1);
  EXPECT_EQ(counting.counts().discovered, 1);
  EXPECT_EQ(counting.counts().seeded, 1);
}

TEST(TaskContext, ALookupWithoutADatabaseDiscoversNoSpace) {
  const CountingOperator counting;
  EXPECT_EQ(look_up(counting.task(64), nullptr).config.str(), "lanes=8");
  EXPECT_EQ(counting.counts().defined, 1);
  EXPECT_EQ(counting.counts().discovered, 0);
  EXPECT_EQ(counting.counts().seeded, 1);
}

TEST(TaskContext, AMissingTemplateIsRefusedWhenItIsAskedFor) {
  const TaskContext context(CountingOperator().task(64));
  EXPECT_THROW(context.templates("no.such"), UsageError);
  EXPECT_EQ(context.usable_templates().at(0).name, "counting.cpu");
}

}  // namespace
}  // namespace nestwright
