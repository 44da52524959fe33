// Images and their labels, as the files of MNIST and its successors have them.
// Thread rule: a pure function.
#pragma once

#include <string>

#include "runtime/array.h"

namespace mnist {

struct Dataset {
  nestwright::Array images;  ///< float32[n, rows * columns], from 0 to 1
  nestwright::Array labels;  ///< int64[n]
};

/// Reads PREFIX-images-idx3-ubyte.gz and PREFIX-labels-idx1-ubyte.gz. Throws nestwright::UsageError.
Dataset read_dataset(const std::string& prefix);

}  // namespace mnist
