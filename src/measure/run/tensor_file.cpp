#include "measure/run/tensor_file.h"

#include <fmt/core.h>
#include <sys/mman.h>
#include <tbb/enumerable_thread_specific.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <list>
#include <span>
#include <string>
#include <utility>

#include "measure/check/elements.h"
#include "measure/process/guarded_region.h"
#include "nestwright/error.h"
#include "support/base/chunks.h"
#include "support/base/clock.h"
#include "support/os/descriptors.h"

namespace nestwright {

namespace {

[[noreturn]] void fail(int error) {
  throw Error(
      fmt::format("cannot keep the tensors in memory ({}); free memory or choose smaller ones", std::strerror(error)));
}

void write_at(int fd, const void* data, std::size_t bytes, std::int64_t at) {
  if (const int error = write_all_at(fd, data, bytes, at); error != 0) fail(error);
}

/// Appends whole pages, which have room for `bytes` bytes and are still zero, to a file of `size` bytes, and returns
/// their offset.
std::int64_t append_pages(int fd, std::int64_t& size, std::int64_t bytes) {
  const std::int64_t at = size;
  size += GuardedRegion::padded(bytes);
  if (ftruncate(fd, size) != 0) fail(errno);
  return at;
}

/// Appends values and returns their offset.
std::int64_t append_doubles(int fd, std::int64_t& size, std::span<const double> values) {
  const std::int64_t at = append_pages(fd, size, static_cast<std::int64_t>(values.size_bytes()));
  for_chunks(values.size(), [&](std::size_t begin, std::size_t end) {
    write_at(fd, &values[begin], (end - begin) * sizeof(double),
             at + static_cast<std::int64_t>(begin * sizeof(double)));
  });
  return at;
}

/// Appends the memory of an input under one placement, with the canary around it, and returns its offset. Calls
/// `read(begin, values)` for each chunk of the elements, from several threads at once.
template <typename Read>
std::int64_t append_input(int fd, std::int64_t& size, ir::Type type, std::int64_t elements, Placement placement,
                          const Read& read) {
  const std::int64_t bytes = elements * type.bytes(), at = append_pages(fd, size, bytes);
  const std::int64_t before = GuardedRegion::offset(bytes, placement);
  const std::string canary(static_cast<std::size_t>(GuardedRegion::padded(bytes) - bytes),
                           static_cast<char>(GuardedRegion::kCanary));
  write_at(fd, canary.data(), canary.size(), before > 0 ? at : at + bytes);
  // Of each thread, as the pages of new ones would take longer to get than to fill.
  tbb::enumerable_thread_specific<std::pair<std::vector<double>, std::vector<std::byte>>> buffers;
  for_chunks(static_cast<std::size_t>(elements), [&](std::size_t begin, std::size_t end) {
    auto& [values, memory] = buffers.local();
    values.resize(end - begin);
    read(begin, values);
    memory.resize(values.size() * static_cast<std::size_t>(type.bytes()));
    encode_elements(type, values, memory.data());
    write_at(fd, memory.data(), memory.size(), at + before + static_cast<std::int64_t>(begin) * type.bytes());
  });
  return at;
}

/// The same of values that are there.
std::int64_t append_values(int fd, std::int64_t& size, ir::Type type, const std::vector<double>& all,
                           Placement placement) {
  return append_input(fd, size, type, static_cast<std::int64_t>(all.size()), placement,
                      [&](std::size_t begin, std::span<double> values) {
                        std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(begin), values.size(), values.begin());
                      });
}

bool is_placed_differently(std::int64_t bytes) { return GuardedRegion::offset(bytes, Placement::kAtEnd) != 0; }

/// A part of the file, mapped to be read.
class Mapping {
 public:
  Mapping(int fd, std::int64_t offset, std::int64_t bytes)
      : bytes_(static_cast<std::size_t>(bytes)), data_(mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, fd, offset)) {
    if (data_ == MAP_FAILED) fail(errno);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() { munmap(data_, bytes_); }
  const char* data() const { return static_cast<const char*>(data_); }

 private:
  std::size_t bytes_;
  void* data_;
};

void require(bool condition, std::size_t parameter, const char* what) {
  if (!condition) throw UsageError(fmt::format("data for checking, parameter {}: {}", parameter, what));
}

}  // namespace

TensorFile::TensorFile(const CheckData& data) : fd_(make_memory_file("nestwright-tensors")), large_(data.large) {
  const std::size_t parameters = data.types.size();
  require(data.elements.size() == parameters && data.roles.size() == parameters, parameters,
          "types, elements and roles must be as many");
  if (large_) {
    for (std::size_t i = 0; i < parameters; ++i)
      layout_.push_back({data.types[i], data.roles[i], data.elements[i], -1});
    for (const std::size_t i : data.constants) layout_.at(i).is_constant = true;
    append_large();
  } else {
    append_all(data);
  }
}

void TensorFile::append_all(const CheckData& data) {
  const std::size_t parameters = data.types.size();
  require(data.expected.size() == data.bound.size(), parameters, "expected values and bounds must be as many");
  const bool has_integers = !data.integer_inputs.empty();
  require(!has_integers || (data.integer_inputs.size() == data.inputs.size() &&
                            data.integer_expected.size() == data.expected.size()),
          parameters, "integers must be as many as other values");
  const bool has_integer_bound = has_integers && !data.integer_bound.empty();
  require(!has_integer_bound || data.integer_bound.size() == data.expected.size(), parameters,
          "bounds of integers must be as many as other bounds");
  const bool has_wide = !data.wide_inputs.empty();
  require(!has_wide ||
              (data.wide_inputs.size() == data.inputs.size() && data.wide_expected.size() == data.expected.size() &&
               data.wide_bound.size() == data.expected.size()),
          parameters, "values of large and small magnitudes must be as many as other values");
  std::size_t input = 0, output = 0;
  for (std::size_t i = 0; i < parameters; ++i) {
    TensorLayout layout{data.types[i], data.roles[i], data.elements[i]};
    require(layout.elements > 0 && layout.type.is_scalar(), i, "a tensor needs at least one element, of a scalar type");
    const auto n = static_cast<std::size_t>(layout.elements);
    if (layout.role == ir::Role::kInput) {
      require(input < data.inputs.size() && data.inputs[input].size() == n, i,
              "an input needs a value for each element");
      const std::vector<double>& values = data.inputs[input++];
      layout.first = layout.second = append_values(fd_.get(), bytes_, layout.type, values, Placement::kAtEnd);
      if (is_placed_differently(layout.elements * layout.type.bytes())) {
        layout.second = append_values(fd_.get(), bytes_, layout.type, values, Placement::kAtStart);
      }
      if (has_integers) {
        const std::vector<double>& integers = data.integer_inputs[input - 1];
        require(integers.size() == n, i, "an input needs an integer for each element");
        layout.integers = append_values(fd_.get(), bytes_, layout.type, integers, Placement::kAtEnd);
      }
      if (has_wide) {
        const std::vector<double>& wide = data.wide_inputs[input - 1];
        require(wide.size() == n, i, "an input needs a value of each magnitude for each element");
        layout.wide = append_values(fd_.get(), bytes_, layout.type, wide, Placement::kAtEnd);
      }
    } else {
      require(output < data.expected.size() && data.expected[output].size() == n && data.bound[output].size() == n, i,
              "an output needs an expected value and a bound for each element");
      layout.first = append_doubles(fd_.get(), bytes_, data.expected[output]);
      layout.second = append_doubles(fd_.get(), bytes_, data.bound[output]);
      if (has_integers) {
        require(data.integer_expected[output].size() == n, i, "an output needs an integer for each element");
        layout.integers = append_doubles(fd_.get(), bytes_, data.integer_expected[output]);
      }
      if (has_integer_bound) {
        require(data.integer_bound[output].size() == n, i, "an output needs a bound for each integer");
        layout.integer_bound = append_doubles(fd_.get(), bytes_, data.integer_bound[output]);
      }
      if (has_wide) {
        require(data.wide_expected[output].size() == n && data.wide_bound[output].size() == n, i,
                "an output needs an expected value and a bound for each element of large and small magnitudes");
        layout.wide = append_doubles(fd_.get(), bytes_, data.wide_expected[output]);
        layout.wide_bound = append_doubles(fd_.get(), bytes_, data.wide_bound[output]);
      }
      ++output;
    }
    layout.is_constant = std::find(data.constants.begin(), data.constants.end(), i) != data.constants.end();
    layout_.push_back(layout);
  }
  require(input == data.inputs.size() && output == data.expected.size(), parameters,
          "there is data for more parameters");
}

void TensorFile::append_large() {
  const LargeData& data = *large_;
  const auto outputs = std::count_if(layout_.begin(), layout_.end(),
                                     [](const TensorLayout& layout) { return layout.role == ir::Role::kOutput; });
  require(outputs == 1, layout_.size(), "large tensors need one output");
  require(!data.places.empty() && data.read_input && data.reference, layout_.size(),
          "large tensors need elements to be compared, and functions");
  append_set(InputSet::kUniform);
  if (data.has_integers) append_set(InputSet::kIntegers);
}

void TensorFile::append_wide() {
  if (has_wide_to_come()) append_set(InputSet::kWide);
}

bool TensorFile::has_wide_to_come() const { return large_ && large_->has_wide && layout_.front().wide < 0; }

void TensorFile::append_set(InputSet set) {
  const std::int64_t start_ns = steady_clock().now_ns();
  const bool is_uniform = set == InputSet::kUniform;
  const int fd = fd_.get();
  std::size_t input = 0;
  for (TensorLayout& layout : layout_) {
    if (layout.role != ir::Role::kInput) continue;
    const auto append = [&](Placement placement) {
      return append_input(
          fd, bytes_, layout.type, layout.elements, placement,
          [&](std::size_t begin, std::span<double> values) { large_->read_input(set, input, begin, values); });
    };
    if (is_uniform) {
      layout.second = append(Placement::kAtStart);
      // Other sets that are placed at the end make these values there unnecessary.
      if (!is_placed_differently(layout.elements * layout.type.bytes())) layout.first = layout.second;
      if (layout.first < 0 && !large_->has_integers) layout.first = append(Placement::kAtEnd);
    } else {
      (set == InputSet::kIntegers ? layout.integers : layout.wide) = append(Placement::kAtEnd);
    }
    ++input;
  }
  append_reference(set);
  set_s_ = 1e-9 * static_cast<double>(steady_clock().now_ns() - start_ns);
}

void TensorFile::append_reference(InputSet set) {
  const bool is_uniform = set == InputSet::kUniform;
  std::list<Mapping> mappings;
  std::vector<const void*> inputs;
  for (const TensorLayout& layout : layout_) {
    if (layout.role != ir::Role::kInput) continue;
    const std::int64_t bytes = layout.elements * layout.type.bytes();
    const std::int64_t offset = is_uniform ? layout.second : set == InputSet::kIntegers ? layout.integers : layout.wide;
    mappings.emplace_back(fd_.get(), offset, GuardedRegion::padded(bytes));
    inputs.push_back(mappings.back().data() +
                     GuardedRegion::offset(bytes, is_uniform ? Placement::kAtStart : Placement::kAtEnd));
  }
  const SampledReference reference = large_->reference(set, inputs);
  const auto output = std::find_if(layout_.begin(), layout_.end(),
                                   [](const TensorLayout& layout) { return layout.role == ir::Role::kOutput; });
  const auto parameter = static_cast<std::size_t>(output - layout_.begin());
  const std::size_t samples = large_->places.size();
  require(reference.expected.size() == samples && reference.bound.size() == samples, parameter,
          "each element to be compared needs an expected value and a bound");
  if (!output->large) {
    const std::vector<double> places(large_->places.begin(), large_->places.end());
    output->large = LargeLayout{.samples = static_cast<std::int64_t>(samples),
                                .vectors = large_->lines ? std::int64_t{kWeightVectors} : 0,
                                .places = append_doubles(fd_.get(), bytes_, places),
                                .lines = large_->lines.value_or(ir::ElementLines{}),
                                .modulus = large_->modulus};
  }
  std::vector<double> block(reference.expected);
  block.insert(block.end(), reference.bound.begin(), reference.bound.end());
  if (large_->lines) {
    const auto lines = static_cast<std::size_t>(large_->lines->lines());
    const auto length = static_cast<std::size_t>(large_->lines->segment);
    require(reference.sums.empty() || reference.sums.size() == kWeightVectors, parameter,
            "lines need sums for each vector of weights, or none");
    block.push_back(static_cast<double>(reference.sums.size()));
    for (std::size_t v = 0; v < reference.sums.size(); ++v) {
      require(reference.sums[v].size() == lines && reference.bounds[v].size() == lines &&
                  reference.weights[v].size() == length,
              parameter, "each line needs a sum and a bound, and each of its elements a weight");
      for (const std::vector<double>* list : {&reference.sums[v], &reference.bounds[v], &reference.weights[v]}) {
        block.insert(block.end(), list->begin(), list->end());
      }
    }
    block.resize(static_cast<std::size_t>(output->large->doubles()));
  }
  const std::int64_t at = append_doubles(fd_.get(), bytes_, block);
  (is_uniform ? output->first : set == InputSet::kIntegers ? output->integers : output->wide) = at;
}

}  // namespace nestwright
