// Impossible exports say what is wrong and what to do, and leave no files.
#include <gmock/gmock.h>

#include <cstdlib>

#include "export_fixture.h"
#include "exporter/source/function_name.h"
#include "nestwright/error.h"
#include "nestwright/registry.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;

class ExportRefusal : public ExportTest {
 protected:
  std::string refusal(const ExportOptions& options) {
    const Task task{parse_workload("matmul m=8 n=8 k=8"), host_with(1)};
    return message<UsageError>([&] { export_kernel(task, look_up(task, nullptr), options); });
  }
};

TEST_F(ExportRefusal, NamesThatCannotBeFunctions) {
  for (const char* name : {"2fast", "a-b", "a b", "a/b", "../k", "_k", "k\n", "k\xc3\xa9"}) {
    EXPECT_THAT(refusal({file("out"), name}), HasSubstr("cannot be the name of a C function: begin with a letter"))
        << name;
  }
  for (const char* name : {"int",     "class", "main",    "malloc", "uniform",    "result", "launch",  "queue",
                           "A",       "stdin", "y0",      "gamma",  "EOF",        "NULL",   "size_t",  "INT_MAX",
                           "signgam", "write", "kMargin", "sum",    "to_float16", "A_at",   "B_memory"}) {
    EXPECT_THAT(refusal({file("out"), name}), HasSubstr("choose another name, as my_")) << name;
  }
  EXPECT_THAT(refusal({file("out"), std::string(300, 'k')}), HasSubstr("too long"));
  EXPECT_FALSE(std::filesystem::exists(file("out")));
}

TEST_F(ExportRefusal, DirectoriesThatCannotBeWritten) {
  write_text(file("taken"), "a file");
  EXPECT_THAT(refusal({file("taken"), "k"}), HasSubstr("cannot make directory '" + file("taken") + "'"));
  EXPECT_THAT(refusal({file("taken/below"), "k"}), HasSubstr("cannot make directory"));
  EXPECT_THAT(refusal({"/proc/nestwright", "k"}), HasSubstr("cannot make directory '/proc/nestwright'"));
  EXPECT_THAT(refusal({"/proc/self", "k"}),
              HasSubstr("cannot write '/proc/self/k.h': check permissions and free space"));
  EXPECT_THAT(refusal({"", "k"}), HasSubstr("no directory was named"));
}

TEST_F(ExportRefusal, NoCompilerAndNoArchiver) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", "", 1);
  const std::string nothing = refusal({file("out"), "k"});
  std::filesystem::create_directory(file("bin"));
  std::filesystem::create_symlink("/bin/true", file("bin/cc"));
  setenv("PATH", file("bin").c_str(), 1);
  const std::string no_archiver = refusal({file("out"), "k"});
  std::filesystem::create_symlink("/bin/false", file("bin/ar"));
  const std::string failing = refusal({file("out"), "k"});
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(nothing, "'cc' was not found on PATH, and exporting needs it: install gcc and libc6-dev");
  EXPECT_EQ(no_archiver, "'ar' was not found on PATH, and exporting needs it: install binutils");
  EXPECT_THAT(failing, HasSubstr("/ar' failed with exit code 1"));
}

}  // namespace
}  // namespace nestwright
