#include "cost_model/xgboost_model.h"

#include <fmt/format.h>
#include <xgboost/c_api.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "nestwright/error.h"

namespace nestwright {
namespace {

constexpr int kRounds = 60;

/// Checks the return code of every call, as XGBoost otherwise continues with bad data.
void call(int code, const char* what) {
  if (code == 0) return;
  const std::string message = XGBGetLastError();  // its first line; a stack trace follows
  throw InternalError(fmt::format("XGBoost failed to {}: {}", what, message.substr(0, message.find('\n'))));
}

struct FreeMatrix {
  void operator()(void* handle) const { XGDMatrixFree(handle); }
};
struct FreeBooster {
  void operator()(void* handle) const { XGBoosterFree(handle); }
};
using Matrix = std::unique_ptr<void, FreeMatrix>;
using Booster = std::unique_ptr<void, FreeBooster>;

std::vector<float> flatten(std::size_t rows, std::size_t columns, auto&& row) {
  std::vector<float> flat;
  flat.reserve(rows * columns);
  for (std::size_t i = 0; i < rows; ++i) {
    const Features& features = row(i);
    check(features.size() == columns, "rows of features differ in length");
    flat.insert(flat.end(), features.begin(), features.end());
  }
  return flat;
}

class XgboostModel final : public CostModel {
 public:
  explicit XgboostModel(std::uint64_t seed) : seed_(seed) {}

  void update(std::span<const Observation> observations) override {
    booster_.reset();
    double best = 0;
    for (const Observation& o : observations) best = std::max(best, o.throughput);
    if (best == 0) return;  // only failures: there is nothing to rank

    columns_ = observations.front().features.size();
    const std::vector<float> flat = flatten(observations.size(), columns_,
                                            [&](std::size_t i) -> const Features& { return observations[i].features; });
    std::vector<float> labels, weights;
    for (const Observation& o : observations) {
      labels.push_back(static_cast<float>(o.throughput / best));
      weights.push_back(static_cast<float>(o.weight));
    }

    DMatrixHandle raw = nullptr;
    call(XGDMatrixCreateFromMat_omp(flat.data(), observations.size(), columns_, std::numeric_limits<float>::quiet_NaN(),
                                    &raw, 1),
         "take the features");
    const Matrix data(raw);
    call(XGDMatrixSetFloatInfo(data.get(), "label", labels.data(), labels.size()), "take the labels");
    call(XGDMatrixSetFloatInfo(data.get(), "weight", weights.data(), weights.size()), "take the weights");

    // A new booster each time: one that reported an error must not be used again.
    BoosterHandle handle = nullptr;
    call(XGBoosterCreate(&raw, 1, &handle), "make a model");
    Booster booster(handle);
    const std::pair<const char*, std::string> parameters[] = {
        {"nthread", "1"},   {"tree_method", "hist"}, {"objective", "reg:squarederror"},
        {"max_depth", "6"}, {"eta", "0.2"},          {"min_child_weight", "1"},
        {"subsample", "1"}, {"gamma", "0.0001"},     {"seed", std::to_string(seed_ & 0x7fffffff)},
        {"verbosity", "0"},
    };
    for (const auto& [name, value] : parameters) {
      call(XGBoosterSetParam(booster.get(), name, value.c_str()), "set a parameter");
    }
    for (int round = 0; round < kRounds; ++round) {
      call(XGBoosterUpdateOneIter(booster.get(), round, data.get()), "train");
    }
    booster_ = std::move(booster);
  }

  std::vector<double> predict(std::span<const Features> rows) const override {
    if (!booster_ || rows.empty()) return std::vector<double>(rows.size(), 0.0);
    const std::vector<float> flat =
        flatten(rows.size(), columns_, [&](std::size_t i) -> const Features& { return rows[i]; });
    const std::string array = fmt::format(R"({{"data":[{},true],"shape":[{},{}],"typestr":"<f4","version":3}})",
                                          reinterpret_cast<std::uintptr_t>(flat.data()), rows.size(), columns_);
    constexpr const char* kOptions =
        R"({"type":0,"training":false,"iteration_begin":0,"iteration_end":0,"strict_shape":false,"cache_id":0,"missing":NaN})";
    const bst_ulong* shape = nullptr;
    bst_ulong dimensions = 0;
    const float* scores = nullptr;
    call(XGBoosterPredictFromDense(booster_.get(), array.c_str(), kOptions, nullptr, &shape, &dimensions, &scores),
         "predict");
    return {scores, scores + rows.size()};
  }

  bool is_trained() const override { return booster_ != nullptr; }

 private:
  std::uint64_t seed_;
  std::size_t columns_ = 0;
  Booster booster_;
};

}  // namespace

std::unique_ptr<CostModel> make_xgboost_model(std::uint64_t seed) { return std::make_unique<XgboostModel>(seed); }

}  // namespace nestwright
