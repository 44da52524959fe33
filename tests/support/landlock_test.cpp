#include "support/os/landlock.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "support/os/scratch_folder.h"
#include "support/os/unique_fd.h"

namespace nestwright {
namespace {

// Returns errno of opening the file; 0 on success.
int error_of_opening(const std::string& path, int flags) {
  const UniqueFd fd(open(path.c_str(), flags | O_CLOEXEC, 0600));
  return fd.get() < 0 ? errno : 0;
}

int error_of_connecting() {
  const UniqueFd fd(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(9);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
}

class Landlock : public ::testing::Test {
 protected:
  void SetUp() override {
    if (landlock_version() == 0) GTEST_SKIP() << "this kernel has no Landlock";
    std::ofstream(folder_.path() + "/mine") << "text";
    std::ofstream(other_.path() + "/secret") << "text";
  }

  // Restricts a child process, which exits with 0 if `is_so` holds in it.
  template <class Predicate>
  void expect_confined(const FileAccess& access, const Predicate& is_so) {
    EXPECT_EXIT(_exit(restrict_files_and_network(access) && is_so() ? 0 : 1), ::testing::ExitedWithCode(0), "");
  }

  ScratchFolder folder_{"nestwright-test"}, other_{"nestwright-test"};
};

TEST_F(Landlock, FilesElsewhereAreRefused) {
  const std::string mine = folder_.path() + "/mine", secret = other_.path() + "/secret";
  expect_confined({.readable = {folder_.path()}, .writable = {}, .executable = {}}, [&] {
    return error_of_opening(mine, O_RDONLY) == 0 && error_of_opening(secret, O_RDONLY) == EACCES;
  });
}

TEST_F(Landlock, WhatIsReadableIsNotWritable) {
  const std::string mine = folder_.path() + "/mine", fresh = folder_.path() + "/fresh";
  expect_confined({.readable = {folder_.path()}, .writable = {}, .executable = {}}, [&] {
    return error_of_opening(mine, O_WRONLY) == EACCES && error_of_opening(fresh, O_WRONLY | O_CREAT) == EACCES &&
           unlink(mine.c_str()) != 0;
  });
  EXPECT_EQ(access(mine.c_str(), F_OK), 0);
}

TEST_F(Landlock, WhatIsWritableMayBeMadeAndRemoved) {
  const std::string mine = folder_.path() + "/mine", fresh = folder_.path() + "/fresh";
  expect_confined({.readable = {}, .writable = {folder_.path()}, .executable = {}}, [&] {
    return error_of_opening(fresh, O_RDWR | O_CREAT | O_TRUNC) == 0 && unlink(mine.c_str()) == 0;
  });
  EXPECT_EQ(access(fresh.c_str(), F_OK), 0);
  EXPECT_NE(access(mine.c_str(), F_OK), 0);
}

TEST_F(Landlock, ProgramsStartFromWhereTheyMay) {
  const auto runs = [](const char* program) {
    execl(program, program, nullptr);
    return false;
  };
  expect_confined({.readable = {}, .writable = {}, .executable = {"/usr", "/lib", "/lib64", "/etc"}},
                  [&] { return runs("/usr/bin/true"); });
  EXPECT_EXIT(
      {
        restrict_files_and_network({.readable = {"/usr", "/lib", "/lib64", "/etc"}, .writable = {}, .executable = {}});
        runs("/usr/bin/true");
        _exit(errno == EACCES ? 7 : 1);
      },
      ::testing::ExitedWithCode(7), "");
}

TEST_F(Landlock, NoTcpAndNoSignalToOthers) {
  if (landlock_version() < 6) GTEST_SKIP() << "needs version 6";
  expect_confined({}, [] { return error_of_connecting() == EACCES && kill(getppid(), 0) != 0 && errno == EPERM; });
}

TEST_F(Landlock, AFolderThatIsNotThereIsLeftOut) {
  expect_confined({.readable = {"/no/such/folder", folder_.path()}, .writable = {}, .executable = {}},
                  [&] { return error_of_opening(folder_.path() + "/mine", O_RDONLY) == 0; });
}

}  // namespace
}  // namespace nestwright
