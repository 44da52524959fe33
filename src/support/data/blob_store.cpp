#include "support/data/blob_store.h"

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "support/data/hash.h"

namespace nestwright {
namespace {

std::string fixed_width(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  return std::string(20 - digits.size(), '0') + digits;
}

/// The head of a file: the key, and a checksum of what follows it.
std::string head_of(std::string_view key, std::string_view blob) {
  return std::to_string(key.size()) + "\n" + std::string(key) + "\n" + fixed_width(stable_hash(blob)) + "\n";
}

}  // namespace

std::string BlobStore::path_of(std::string_view key) const { return directory_ + "/" + fixed_width(stable_hash(key)); }

std::optional<std::string> BlobStore::find(std::string_view key) const {
  if (directory_.empty()) return std::nullopt;
  std::ifstream file(path_of(key), std::ios::binary);
  if (!file) return std::nullopt;
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  const std::size_t head = head_of(key, {}).size();
  if (content.size() < head) return std::nullopt;
  std::string blob = content.substr(head);
  if (content.compare(0, head, head_of(key, blob)) != 0) return std::nullopt;
  return blob;
}

void BlobStore::keep(std::string_view key, std::string_view blob) const {
  if (directory_.empty()) return;
  static std::atomic<int> number = 0;
  std::error_code failed;
  std::filesystem::create_directories(directory_, failed);
  const std::string path = path_of(key);
  const std::string unfinished = path + "." + std::to_string(getpid()) + "." + std::to_string(number++);
  std::ofstream file(unfinished, std::ios::binary);
  file << head_of(key, blob) << blob;
  file.close();
  if (file) std::filesystem::rename(unfinished, path, failed);
  if (!file || failed) std::filesystem::remove(unfinished, failed);
}

}  // namespace nestwright
