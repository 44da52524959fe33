#include "nestwright/template.h"

#include <algorithm>
#include <memory>

#include "support/base/chunks.h"

namespace nestwright {

InputSource::InputSource(std::vector<double> values)
    : size_(values.size()),
      chunk_([kept = std::make_shared<const std::vector<double>>(std::move(values))](std::size_t begin,
                                                                                     std::span<double> chunk) {
        std::copy_n(kept->begin() + static_cast<std::ptrdiff_t>(begin), chunk.size(), chunk.begin());
      }) {}

std::vector<double> InputSource::values() const {
  std::vector<double> all(size_);
  for_chunks(size_,
             [&](std::size_t begin, std::size_t end) { chunk_(begin, std::span(all).subspan(begin, end - begin)); });
  return all;
}

std::vector<std::vector<double>> values_of(const InputSources& sources) {
  std::vector<std::vector<double>> tensors;
  for (const InputSource& source : sources) tensors.push_back(source.values());
  return tensors;
}

InputSources sources_of(const std::vector<std::vector<double>>& tensors) { return {tensors.begin(), tensors.end()}; }

}  // namespace nestwright
