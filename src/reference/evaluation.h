// Computes the tensors of a definition in double, with bounds of their errors: all elements, or as many as a time
// allows.
//
// Elements are computed in runs (runs.h). If all tensors together take few steps, they are computed as a whole. Else
// the runs at the corners and edges of the outputs come first, then others at random, more in each round, as long as
// the time lasts; of the tensors that are computed on the way, those runs that are read.
// Thread rule: one thread at a time. Computes on all cores.
#pragma once

#include <map>
#include <memory>
#include <random>
#include <vector>

#include "nestwright/template.h"
#include "reference/required.h"
#include "reference/run_program.h"

namespace nestwright {

class Evaluation {
 public:
  /// `inputs` have been rounded to the types of the definition. Throws as DoubleProgram does.
  Evaluation(const Definition& definition, const HostTensors& inputs, Rounding rounding, Parts parts);

  /// Computes for about so many seconds, but at least 16 elements of each output, or all. Throws UsageError if that
  /// takes more than 10^13 steps.
  void run(double seconds);

  /// The computes, inputs first.
  const std::vector<Operation>& operations() const { return operations_; }
  const std::vector<Tensor>& inputs() const { return inputs_; }
  const Runs& runs(const Operation& op) const { return stage(op).program->runs(); }
  /// An input, or a result of a compute. Elements that are not computed are not numbers, of integers any.
  TensorInDouble& operator[](const Tensor& tensor) { return tensors_.at(tensor.buffer()); }
  const TensorInDouble& operator[](const Tensor& tensor) const { return tensors_.at(tensor.buffer()); }
  bool is_whole(const Operation& op) const { return stage(op).computed == runs(op).count(); }
  /// For each run whether it is computed.
  const std::vector<char>& computed_runs(const Operation& op) const { return stage(op).is_computed; }

 private:
  struct Stage {
    Operation op;
    std::unique_ptr<RunProgram> program;
    std::unique_ptr<RequiredElements> required;
    std::vector<char> is_computed, is_required;  ///< of each run
    std::int64_t computed = 0;
    bool is_output = false, is_wholly_required = false;
  };

  const Stage& stage(const Operation& op) const;
  static double steps_of_run(const Stage& stage);
  /// Marks runs of an output, those at corners and edges first.
  void require_samples(Stage& stage);
  /// Marks `count` more at random.
  void require_more(Stage& stage, std::int64_t count);
  /// Marks what the marked runs read, and returns the number of steps of all runs that are not computed yet.
  double require_operands();
  void compute_required();

  std::vector<Operation> operations_;
  std::vector<Tensor> inputs_;
  std::map<Buffer, TensorInDouble> tensors_;
  std::vector<Stage> stages_;
  std::map<Buffer, std::size_t> stage_of_;
  double all_steps_ = 0;  ///< of all elements
  std::mt19937_64 random_{1};
};

}  // namespace nestwright
