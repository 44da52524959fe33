#include "dataset.h"

#include <zlib.h>

#include <algorithm>
#include <memory>

#include "support/error.h"

namespace mnist {
namespace {

using nestwright::Array;

/// Reads bytes in `dimensions` dimensions: the file has two zeros, the type, the number of dimensions, the extents as
/// big-endian numbers of 32 bits, and the elements.
Array read_bytes(const std::string& file, std::size_t dimensions) {
  const auto refuse = [&](const char* why) { throw nestwright::UsageError("file '" + file + "' " + why); };
  const std::unique_ptr<gzFile_s, decltype(&gzclose)> stream(gzopen(file.c_str(), "rb"), gzclose);
  if (!stream) refuse("cannot be read: install Debian's package dataset-fashion-mnist, or give a folder with --data");
  std::vector<std::uint8_t> header(4 + 4 * dimensions);
  const auto read = [&](void* to, std::size_t bytes) {
    if (gzfread(to, 1, bytes, stream.get()) != bytes) refuse("ends too soon");
  };
  read(header.data(), header.size());
  if (header[2] != 8 || header[3] != dimensions) refuse("does not have bytes in as many dimensions as expected");
  std::vector<std::int64_t> shape;
  for (std::size_t at = 4; at < header.size(); at += 4) {
    shape.push_back(header[at] << 24 | header[at + 1] << 16 | header[at + 2] << 8 | header[at + 3]);
  }
  Array bytes = Array::empty(nestwright::kUInt8, shape);
  read(bytes.data(), bytes.size_bytes());
  return bytes;
}

}  // namespace

Dataset read_dataset(const std::string& prefix) {
  const Array pixels = read_bytes(prefix + "-images-idx3-ubyte.gz", 3);
  const Array classes = read_bytes(prefix + "-labels-idx1-ubyte.gz", 1);
  const std::int64_t images = pixels.shape()[0];
  if (classes.elements() != images) throw nestwright::UsageError("'" + prefix + "' has not one label per image");
  Dataset data{Array::empty(nestwright::kFloat32, {images, pixels.elements() / images}),
               Array::empty(nestwright::kInt64, {images})};
  std::ranges::transform(pixels.as<std::uint8_t>(), data.images.as<float>().begin(),
                         [](std::uint8_t pixel) { return static_cast<float>(pixel) / 255; });
  std::ranges::copy(classes.as<std::uint8_t>(), data.labels.as<std::int64_t>().begin());
  return data;
}

}  // namespace mnist
