#include "trainer.h"

#include <cmath>
#include <random>

#include "unscheduled.h"

namespace mnist {

using namespace nestwright;

Trainer::Trainer(Shape sizes, const TuningLog* log, bool unscheduled)
    : sizes_(std::move(sizes)), log_(log), unscheduled_(unscheduled) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  // The weights are those of earlier versions, which drew three numbers more, so that results can be compared.
  for (int skipped = 0; skipped < 3; ++skipped) normal(random);
  for (const bool are_parameters : {true, false}) {
    for (const Shape& shape : parameter_shapes(sizes_)) {
      Array& array = state_.emplace_back(Array::empty(kFloat32, shape));
      next_state_.push_back(Array::empty(kFloat32, shape));
      const bool is_weights = are_parameters && shape.size() == 2;  // biases and velocities begin with 0
      const float deviation = is_weights ? std::sqrt(2 / static_cast<float>(shape[0])) : 0;
      for (float& element : array.as<float>()) element = deviation * normal(random);
    }
  }
}

Trainer::Run Trainer::compile(const Graph& graph) {
  const Graph kernels = with_kernels(graph);
  for (const NetworkTask& task : network_tasks(kernels)) workloads_.insert(task.workload);
  const auto run_of = [](auto network) -> Run {
    return [network](std::span<const ArrayRef> inputs, std::span<const ArrayRef> outputs) {
      network->run(inputs, outputs);
    };
  };
  if (unscheduled_) return run_of(std::make_shared<UnscheduledNetwork>(kernels));
  return run_of(std::make_shared<Network>(kernels, Target::host(), log_));
}

double Trainer::train(const ArrayView& images, const ArrayView& labels) {
  Run& run = training_[images.shape()[0]];
  if (!run) run = compile(training_graph(sizes_, images.shape()[0]));
  float loss = 0;
  const ArrayView loss_view(&loss, kFloat32, {});
  std::vector<ArrayRef> inputs{images, labels}, outputs{loss_view};
  for (const Array& array : state_) inputs.emplace_back(array);
  for (Array& array : next_state_) outputs.emplace_back(array);
  run(inputs, outputs);
  std::swap(state_, next_state_);
  return loss;
}

double Trainer::test(const ArrayView& images, const ArrayView& labels) {
  Run& run = testing_[images.shape()[0]];
  if (!run) run = compile(testing_graph(sizes_, images.shape()[0]));
  float right = 0;
  const ArrayView right_view(&right, kFloat32, {});
  std::vector<ArrayRef> inputs{images, labels};
  for (std::size_t p = 0; p < state_.size() / 2; ++p) inputs.emplace_back(state_[p]);
  run(inputs, std::vector<ArrayRef>{right_view});
  return right;
}

}  // namespace mnist
