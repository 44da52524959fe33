// The wire format of messages between processes of one machine: fixed-width little-endian fields, and strings prefixed
// with their length.
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nestwright {

/// Appends values to a message.
class Encoder {
 public:
  Encoder& u8(std::uint8_t value);
  Encoder& i64(std::int64_t value);
  Encoder& f64(double value);
  Encoder& bytes(std::string_view value);
  const std::string& str() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Reads back what an Encoder wrote, in the same order. Every reader throws UsageError if the message ends too early.
/// The bytes must outlive the decoder.
class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : rest_(bytes) {}
  std::uint8_t u8();
  std::int64_t i64();
  double f64();
  std::string bytes();
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view take(std::size_t n);

  std::string_view rest_;
};

}  // namespace nestwright
