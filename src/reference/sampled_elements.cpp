#include "reference/sampled_elements.h"

#include <random>
#include <set>

namespace nestwright {
namespace {

constexpr int kDrawsForOne = 16;  ///< of elements, where a part of them is known

class Sampler {
 public:
  Sampler(const Runs& runs, const std::vector<char>& is_computed, std::int64_t most)
      : runs_(runs), is_computed_(is_computed), most_(most), index_(runs.shape().size()) {}

  std::vector<std::int64_t> run() {
    const std::vector<std::int64_t>& shape = runs_.shape();
    const std::size_t corners = std::size_t{1} << shape.size() % 16;
    // From the last corner on, which is that of all tails.
    for (std::size_t corner = corners; corner-- > 0;) {
      for (std::size_t d = 0; d < shape.size(); ++d) index_[d] = (corner >> d % 16 & 1) != 0 ? shape[d] - 1 : 0;
      add(most_ / 2);
    }
    for (std::size_t d = 0; d < shape.size(); ++d) {
      for (const std::int64_t end : {std::int64_t{0}, shape[d] - 1}) {
        draw();
        index_[d] = end;
        add(most_ - most_ / 4);
      }
    }
    for (std::int64_t n = 0; n < kDrawsForOne * most_ && !is_full(); ++n) {
      draw();
      add(most_);
    }
    add_of_runs();
    return {chosen_.begin(), chosen_.end()};
  }

 private:
  bool is_full() const { return static_cast<std::int64_t>(chosen_.size()) >= most_; }

  void draw() {
    for (std::size_t d = 0; d < index_.size(); ++d) {
      index_[d] = std::uniform_int_distribution<std::int64_t>(0, runs_.shape()[d] - 1)(random_);
    }
  }

  /// Adds the element of index_ if it is computed and there are fewer than `most`.
  void add(std::int64_t most) {
    if (static_cast<std::int64_t>(chosen_.size()) >= most) return;
    if (is_computed_[static_cast<std::size_t>(runs_.run_of(index_))] == 0) return;
    std::int64_t element = 0;
    for (std::size_t d = 0; d < index_.size(); ++d) element = element * runs_.shape()[d] + index_[d];
    chosen_.insert(element);
  }

  /// Adds elements of the computed runs in order: of tensors with few of them, which drawing has missed.
  void add_of_runs() {
    for (std::int64_t run = 0; run < runs_.count() && !is_full(); ++run) {
      if (is_computed_[static_cast<std::size_t>(run)] == 0) continue;
      const std::int64_t first = runs_.offset_of(run);
      for (std::int64_t e = 0; e < runs_.length() && !is_full(); ++e) chosen_.insert(first + e * runs_.stride());
    }
  }

  const Runs& runs_;
  const std::vector<char>& is_computed_;
  std::int64_t most_;
  std::vector<std::int64_t> index_;
  std::set<std::int64_t> chosen_;
  std::mt19937_64 random_{1};
};

}  // namespace

std::vector<std::int64_t> sample_elements(const Runs& runs, const std::vector<char>& is_computed, std::int64_t most) {
  return Sampler(runs, is_computed, most).run();
}

}  // namespace nestwright
