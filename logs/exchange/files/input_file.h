// Reads a file, plain or compressed with gzip, as a stream of bytes.
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <streambuf>
#include <string>
#include <vector>

namespace nestwright {

/// A source of bytes for std::istream and for JSON's parser. Functions that read throw UsageError, which names the
/// file, if it cannot be read or its compressed data are damaged.
class InputFile final : public std::streambuf {
 public:
  explicit InputFile(const std::string& path);
  ~InputFile() override;

  /// The next line without its end; absent at the end of the file.
  std::optional<std::string> line();
  /// Up to `size` bytes from here; fewer only at the end of the file.
  std::string read(std::size_t size);
  /// A hash of all (decompressed) bytes. Requires that the file was read to its end.
  std::uint64_t content_hash() const { return hash_; }
  /// The last byte that is not white space; 0: there was none. Requires that the file was read to its end.
  char last_character() const { return last_; }
  /// Bytes read so far.
  std::uint64_t size() const { return size_; }

 protected:
  int_type underflow() override;

 private:
  struct Handle;
  std::string path_;
  std::unique_ptr<Handle> file_;
  std::vector<char> buffer_;
  std::uint64_t hash_ = 0, size_ = 0;
  char last_ = 0;
};

}  // namespace nestwright
