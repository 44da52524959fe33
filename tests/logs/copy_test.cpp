// A copy of a database appears whole, and in no other file's place.
#include "logs/sqlite/copy.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "tests/logs/sample.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class CopyTest : public ::testing::Test {
 protected:
  sqlite::Database opened(const std::string& path) {
    return {path, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, 1000};
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_.path()), {}));
  }

  TemporaryFolder folder_;
  std::string to_ = folder_.file("to.db");
  sqlite::Database from_ = opened("");
};

TEST_F(CopyTest, AppearsUnderItsNameAlone) {
  from_.execute("CREATE TABLE t(x); INSERT INTO t VALUES (3)");
  sqlite::copy_to_file(from_, to_);
  EXPECT_EQ(opened(to_).integer("SELECT x FROM t"), 3);
  EXPECT_EQ(files(), 1u);
}

TEST_F(CopyTest, LeavesExistingFilesAsTheyAre) {
  for (const char* end : {"", "-wal", "-journal"}) {
    std::ofstream(to_ + end) << "mine";
    EXPECT_THAT([&] { sqlite::copy_to_file(from_, to_); },
                ThrowsMessage<LogError>(HasSubstr(to_ + end + "' exists and was left as it is")));
    EXPECT_EQ(std::filesystem::file_size(to_ + end), 4u);
    EXPECT_EQ(files(), 1u);
    std::filesystem::remove(to_ + end);
  }
}

TEST_F(CopyTest, MayReplaceAFileWithItsWriteAheadLog) {
  from_.execute("CREATE TABLE t(x)");
  for (const char* end : {"", "-wal"}) std::ofstream(to_ + end) << "older";
  sqlite::replace_by_copy(from_, to_);
  EXPECT_EQ(opened(to_).integer("SELECT count(*) FROM t"), 0);
  EXPECT_EQ(files(), 1u);
}

}  // namespace
}  // namespace nestwright
