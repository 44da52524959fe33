#include "bench/comparison/timing/field.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "nestwright/error.h"
#include "support/os/scratch_folder.h"

namespace nestwright::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

/// A folder with the executables of oneDNN and BLIS.
class FieldTest : public ::testing::Test {
 protected:
  FieldTest() {
    for (const char* name : {"onednn", "blis"})
      std::ofstream(folder / (std::string("bench_contestant_") + name)) << '.';
  }

  static std::vector<std::string> names(const Field& field) {
    std::vector<std::string> list;
    for (const Competitor& competitor : field.libraries) list.push_back(competitor.name);
    return list;
  }

  const ScratchFolder scratch{"field"};
  const std::filesystem::path folder = scratch.path();
};

TEST_F(FieldTest, AllThatAreThereAndWhatIsNot) {
  const Field field = find_field({}, folder);
  EXPECT_THAT(names(field), ElementsAre("oneDNN", "BLIS"));
  EXPECT_THAT(field.absent, ElementsAre("OpenBLAS", "Eigen", "MKL", "oneDNN-gomp", "oneDNN-new", "OpenBLAS-new"));
}

TEST_F(FieldTest, TheOnesAskedFor) {
  const Field field = find_field({"BLIS"}, folder);
  EXPECT_THAT(names(field), ElementsAre("BLIS"));
  EXPECT_THAT(field.absent, IsEmpty());
  EXPECT_THAT([&] { find_field({"BLIS", "MKL"}, folder); },
              ThrowsMessage<UsageError>("MKL is not there to compare with: run bench/peers first"));
  EXPECT_THAT(
      [&] { find_field({"ATLAS"}, folder); },
      ThrowsMessage<UsageError>("there is no library 'ATLAS' to compare with; there are oneDNN, OpenBLAS, BLIS, "
                                "Eigen, MKL, oneDNN-gomp, oneDNN-new, OpenBLAS-new"));
}

}  // namespace
}  // namespace nestwright::bench
