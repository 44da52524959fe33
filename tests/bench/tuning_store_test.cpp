#include "bench/figures/tunings/tuning_store.h"

#include <gmock/gmock.h>

#include <fstream>

#include "nestwright/error.h"
#include "support/os/scratch_folder.h"

namespace nestwright::bench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(TuningStore, GoesOnWithWhatIsThere) {
  const ScratchFolder scratch("store");
  const std::string folder = scratch.path() + "/deep/er";
  TuningStore(folder, {{"seconds", 5}}).put("one", {{"best", 7}});
  const TuningStore again(folder, {{"seconds", 5}});
  EXPECT_EQ(again.find("one"), (nlohmann::json{{"best", 7}}));
  EXPECT_EQ(again.find("two"), std::nullopt);
}

TEST(TuningStore, EntryThatWasNotFinishedIsNotThere) {
  const ScratchFolder scratch("store");
  const TuningStore store(scratch.path(), {{"seconds", 5}});
  std::ofstream(store.path("one.json.unfinished")) << "{\"best\":";
  EXPECT_EQ(store.find("one"), std::nullopt);
  store.put("one", 3);
  EXPECT_EQ(store.find("one"), nlohmann::json(3));
}

TEST(TuningStore, RefusesOtherConditions) {
  const ScratchFolder scratch("store");
  TuningStore(scratch.path(), {{"seconds", 5}});
  EXPECT_THAT(
      [&] { TuningStore(scratch.path(), {{"seconds", 20}}); },
      ThrowsMessage<UsageError>(AllOf(HasSubstr("was made with {\"seconds\":5}"), HasSubstr("give another --out"))));
}

TEST(TuningStore, SaysWhereItCannotWrite) {
  const ScratchFolder scratch("store");
  const TuningStore store(scratch.path(), {});
  EXPECT_THAT([&] { store.put("no/such/folder", 1); }, ThrowsMessage<Error>(HasSubstr("cannot write")));
}

}  // namespace
}  // namespace nestwright::bench
