// An operator that counts how often what follows from a task is resolved: Y[i] = X[i] + X[i].
// Thread rule: any thread.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include "nestwright/template.h"

namespace nestwright {

class CountingOperator {
 public:
  struct Counts {
    std::atomic<int> defined = 0;     ///< calls of Operator::define
    std::atomic<int> discovered = 0;  ///< runs of the template that record its knobs
    std::atomic<int> seeded = 0;      ///< calls of Template::seeds
  };

  CountingOperator() {
    op_->name = "counting";
    op_->parameters = {{"n", "the number of elements"}};
    op_->define = [counts = counts_](const Workload& workload) {
      ++counts->defined;
      const Expr n(workload.size("n"));
      const Tensor x = placeholder({n}, kFloat32, "X");
      const Tensor y = compute({n}, [&](const Expr& i) { return x(i) + x(i); }, "Y");
      const auto elements = static_cast<double>(workload.size("n"));
      return Definition{{x, y}, 1, elements, 8 * elements};
    };
    op_->reference = [](const Workload&, const HostTensors& inputs) {
      Reference reference = one_result(inputs[0].size());
      for (std::size_t i = 0; i < inputs[0].size(); ++i) reference.expected[0][i] = 2 * inputs[0][i];
      return reference;
    };
    Template& source = op_->templates.emplace_back();
    source.name = "counting.cpu";
    source.schedule = [counts = counts_](Tuning& t, const Workload&, Definition& definition, const Target&) {
      // By name, as a plugin does not see the type.
      if (std::string_view(typeid(t).name()).ends_with("RecordingTuningE")) ++counts->discovered;
      Schedule s = create_schedule(definition.args[1]);
      s[definition.args[1]].split(s[definition.args[1]].axis(0), factor(t.define_knob("lanes", {4, 8, 16, 32})));
      return s;
    };
    source.seeds = [counts = counts_](const Workload&, const Target&) {
      ++counts->seeded;
      return std::vector<Config>{Config::parse("lanes=8")};
    };
  }

  /// A task of n elements on one thread of this machine.
  Task task(int n) const {
    Target target = Target::parse("host");
    target.threads = 1;
    return {parse_workload("counting n=" + std::to_string(n), op_), std::move(target)};
  }
  const Operator& op() const { return *op_; }
  const Counts& counts() const { return *counts_; }

 private:
  std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
  std::shared_ptr<Operator> op_ = std::make_shared<Operator>();
};

}  // namespace nestwright
