// Files get their names when they are complete, and nothing else is replaced.

#include "logs/exchange/files/output_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <thread>

#include "nestwright/error.h"
#include "tests/logs/exchange/exchanged_files.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

TEST(OutputFile, ReplacesItsFileOnlyWhenItIsComplete) {
  const TemporaryFolder folder;
  const std::string path = folder.file("out.json");
  write_file(path, "old");
  {
    OutputFile abandoned(path);
    abandoned.write("new");
  }
  EXPECT_EQ(contents(path), "old");
  OutputFile file(path);
  file.write("new");
  EXPECT_EQ(contents(path), "old");
  file.finish();
  EXPECT_EQ(contents(path), "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1) << "something is left";
  EXPECT_THROW(OutputFile(folder.file("none/out.json")), UsageError);
  EXPECT_THROW(OutputFile(folder.path()), UsageError);
}

TEST(OutputFile, WritesTheFileThatASymbolicLinkNames) {
  const TemporaryFolder folder;
  const std::string path = folder.file("real.json"), link = folder.file("link.json");
  write_file(path, "old");
  fs::create_symlink(path, link);
  OutputFile file(link);
  file.write("new");
  file.finish();
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(contents(path), "new");
}

TEST(OutputFile, APipeIsWrittenToAndStaysOne) {
  const TemporaryFolder folder;
  const std::string pipe = folder.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { std::getline(std::ifstream(pipe), read); });
  OutputFile file(pipe);
  file.write("a line\n");
  file.finish();
  reader.join();
  EXPECT_EQ(read, "a line");
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "something is left";
}

TEST(OutputFile, ADatabaseIsNotReplaced) {
  const TemporaryFolder folder;
  const std::string database = folder.file("log.db"), link = folder.file("link.jsonl");
  TuningLog::open(database, OpenMode::kWrite);
  fs::create_symlink(database, link);
  const std::string before = contents(database);
  for (const std::string& path : {database, link}) {
    try {
      OutputFile file(path);
      file.finish();
      FAIL() << "a database was replaced";
    } catch (const UsageError& e) {
      EXPECT_THAT(e.what(), HasSubstr("is a database and was left as it is"));
    }
  }
  EXPECT_EQ(contents(database), before);
}

}  // namespace
}  // namespace nestwright
