// Compiled kernels as Python calls them. Thread rule: any number of threads may call one function; one call runs at a
// time.
#pragma once

#include <nanobind/nanobind.h>

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "nestwright/build.h"

namespace nestwright::python {

/// A kernel that is called with arrays: its inputs, then its outputs, or its inputs alone.
class PythonFunction {
 public:
  explicit PythonFunction(Function function);

  const Function& function() const { return function_; }
  /// The names of what a call takes, in order, without what is bound.
  std::vector<std::string> inputs() const { return names_of(false); }
  std::vector<std::string> outputs() const { return names_of(true); }
  /// "matmul(A: float32[512, 512], B: float32[512, 512]) -> (C: float32[512, 512])"
  std::string signature() const;

  /// Calls the kernel. `named` are inputs by their names; `out` is None, an array, or a sequence of them. Returns the
  /// outputs: one array, or a tuple. Throws UsageError.
  nanobind::any call(const nanobind::args& arrays, nanobind::handle out, const nanobind::kwargs& named) const;
  /// The function for these inputs, which calls then do not take: what it prepares from constants is kept, other arrays
  /// are bound as they are.
  PythonFunction prepare(const nanobind::args& arrays, const nanobind::kwargs& named) const;

 private:
  struct Parameter {
    std::string name;
    ir::Parameter of_program;
    bool is_output = false;
    bool is_constant = false;     ///< read by the preparation alone
    nanobind::object bound = {};  ///< the array of every call; null: calls take one
  };

  std::vector<std::string> names_of(bool outputs) const;
  /// The position of an input of that name, in any case of its letters. Throws UsageError.
  std::size_t find_input(const std::string& name) const;
  /// One array for each parameter; null where none is given.
  std::vector<nanobind::object> place(const nanobind::args& arrays, const nanobind::kwargs& named) const;
  /// Whether a call does not take the parameter because the preparation has read it.
  bool is_packed(std::size_t parameter) const { return is_prepared_ && parameters_[parameter].is_constant; }
  /// The shape of an output, by the arrays given before it. Throws UsageError where they do not determine it.
  std::vector<std::int64_t> shape_of(const Parameter& output, const std::deque<BorrowedArray>& given,
                                     const std::vector<std::size_t>& parameter_of) const;
  /// Calls the kernel. Makes the outputs that are null.
  void run(std::vector<nanobind::object>& arrays) const;

  Function function_;
  std::vector<Parameter> parameters_;  ///< those of calls and of the preparation, in the order of the program
  bool is_prepared_ = false;
  std::shared_ptr<std::mutex> one_call_;
};

}  // namespace nestwright::python
