#include "cost_model/random_model.h"

#include "support/data/hash.h"

namespace nestwright {
namespace {

class RandomModel final : public CostModel {
 public:
  explicit RandomModel(std::uint64_t seed) : seed_(seed) {}

  void update(std::span<const Observation>) override {}

  std::vector<double> predict(std::span<const Features> rows) const override {
    std::vector<double> scores;
    scores.reserve(rows.size());
    for (const Features& row : rows) {
      // Hashes the row, so that a candidate has the same score at any position.
      const auto* bytes = reinterpret_cast<const char*>(row.data());
      const std::uint64_t h = hash_combine(seed_, stable_hash({bytes, row.size() * sizeof(float)}));
      scores.push_back(static_cast<double>(h >> 11) * 0x1.0p-53);
    }
    return scores;
  }

  bool is_trained() const override { return false; }

 private:
  std::uint64_t seed_;
};

}  // namespace

std::unique_ptr<CostModel> make_random_model(std::uint64_t seed) { return std::make_unique<RandomModel>(seed); }

}  // namespace nestwright
