#include "dataset.h"

#include <zlib.h>

#include <algorithm>
#include <memory>

#include "support/error.h"

namespace mnist {

using namespace nestwright;

namespace {

/// Reads bytes. The file has two zeros, 8 (for bytes), the number of dimensions, and their extents, the high byte
/// first.
Array read_bytes(const std::string& file, std::size_t dimensions) {
  const std::unique_ptr<gzFile_s, decltype(&gzclose)> stream(gzopen(file.c_str(), "rb"), gzclose);
  if (!stream) throw UsageError("file '" + file + "' cannot be read: install dataset-fashion-mnist, or give --data");
  std::vector<std::uint8_t> header(4 + 4 * dimensions);
  bool is_right = gzfread(header.data(), 1, header.size(), stream.get()) == header.size() && header[3] == dimensions;
  std::vector<std::int64_t> shape;
  for (std::size_t at = 4; at < header.size(); at += 4) {
    shape.push_back(header[at] << 24 | header[at + 1] << 16 | header[at + 2] << 8 | header[at + 3]);
  }
  Array bytes = Array::empty(kUInt8, is_right ? shape : std::vector<std::int64_t>{0});
  is_right = is_right && gzfread(bytes.data(), 1, bytes.size_bytes(), stream.get()) == bytes.size_bytes();
  if (!is_right) throw UsageError("file '" + file + "' does not have the format of MNIST's files, or is not complete");
  return bytes;
}

}  // namespace

Dataset read_dataset(const std::string& prefix) {
  const Array pixels = read_bytes(prefix + "-images-idx3-ubyte.gz", 3);
  const Array labels = read_bytes(prefix + "-labels-idx1-ubyte.gz", 1);
  const std::int64_t n = labels.elements();
  if (n == 0 || n != pixels.shape()[0]) throw UsageError("'" + prefix + "' does not have one label for each image");
  Dataset data{Array::empty(kFloat32, {n, pixels.elements() / n}), Array::empty(kInt64, {n})};
  std::ranges::transform(pixels.as<std::uint8_t>(), data.images.as<float>().begin(), [](int x) { return x / 255.0F; });
  std::ranges::copy(labels.as<std::uint8_t>(), data.labels.as<std::int64_t>().begin());
  return data;
}

}  // namespace mnist
