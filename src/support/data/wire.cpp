#include "support/data/wire.h"

#include <bit>
#include <cstring>

#include "nestwright/error.h"

namespace nestwright {

static_assert(std::endian::native == std::endian::little);

Encoder& Encoder::u8(std::uint8_t value) {
  bytes_.push_back(static_cast<char>(value));
  return *this;
}

Encoder& Encoder::i64(std::int64_t value) {
  bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  return *this;
}

Encoder& Encoder::f64(double value) { return i64(std::bit_cast<std::int64_t>(value)); }

Encoder& Encoder::bytes(std::string_view value) {
  i64(static_cast<std::int64_t>(value.size()));
  bytes_.append(value);
  return *this;
}

std::string_view Decoder::take(std::size_t n) {
  if (n > rest_.size())
    throw UsageError("a message ends too early: the two processes are of different versions, rebuild both");
  std::string_view taken = rest_.substr(0, n);
  rest_.remove_prefix(n);
  return taken;
}

std::uint8_t Decoder::u8() { return static_cast<std::uint8_t>(take(1)[0]); }

std::int64_t Decoder::i64() {
  std::int64_t value = 0;
  std::memcpy(&value, take(sizeof value).data(), sizeof value);
  return value;
}

double Decoder::f64() { return std::bit_cast<double>(i64()); }

std::string Decoder::bytes() {
  const std::int64_t n = i64();
  return std::string(take(n < 0 ? SIZE_MAX : static_cast<std::size_t>(n)));
}

}  // namespace nestwright
