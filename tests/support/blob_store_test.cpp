#include "support/data/blob_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/os/scratch_folder.h"

namespace nestwright {
namespace {

TEST(BlobStore, FindsWhatWasKeptLast) {
  const ScratchFolder folder("blobs");
  const std::string directory = folder.path() + "/store";
  const BlobStore store(directory);
  EXPECT_FALSE(store.find("a").has_value());
  EXPECT_FALSE(std::filesystem::exists(directory)) << "looking makes nothing";
  const std::string blob{"one\0\n two", 9};
  store.keep("a", blob);
  store.keep("b", "");
  EXPECT_EQ(store.find("a"), blob);
  EXPECT_EQ(BlobStore(directory).find("b"), "");
  EXPECT_FALSE(store.find("c").has_value());
  store.keep("a", "two");
  EXPECT_EQ(store.find("a"), "two");
}

TEST(BlobStore, FindsNothingInDamagedFiles) {
  const ScratchFolder folder("blobs");
  const BlobStore store(folder.path() + "/store");
  store.keep("key", "content");
  const std::string path = std::filesystem::directory_iterator(folder.path() + "/store")->path();
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  EXPECT_FALSE(store.find("key").has_value());
  std::ofstream(path) << "something else";
  EXPECT_FALSE(store.find("key").has_value());
  store.keep("key", "again");
  EXPECT_EQ(store.find("key"), "again");
}

TEST(BlobStore, KeepsNothingWithoutADirectory) {
  const BlobStore none;
  none.keep("a", "x");
  EXPECT_FALSE(none.find("a").has_value());
  const BlobStore impossible("/proc/none/of/these");
  impossible.keep("a", "x");
  EXPECT_FALSE(impossible.find("a").has_value());
}

}  // namespace
}  // namespace nestwright
