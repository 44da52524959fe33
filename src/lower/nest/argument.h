// The arguments of lower() and build(): the tensors of a kernel's signature, inputs first.
//
//   {A, B, C}                              all three as declared
//   {A, B, strided(C, {var("ldc"), 1})}    rows of C ldc elements apart
//
// Thread rule: values. Units: strides are in elements.
#pragma once

#include <initializer_list>
#include <vector>

#include "expression/tensor.h"

namespace nestwright {

/// One tensor that the caller passes, and its layout in memory.
struct Arg {
  Arg(Tensor t) : tensor(std::move(t)) {}  // NOLINT(google-explicit-constructor): most are stored as they are declared

  Tensor tensor;
  std::vector<Expr> strides;  ///< of an output, in elements; empty: those that it was declared with
};

/// An output with the given strides, one per dimension: constants, or symbols such as var("ldc"). Throws UsageError if
/// their number is not the output's rank. The strides of an input are an argument of placeholder().
Arg strided(Tensor output, std::vector<Expr> strides);

/// A list of arguments; tensors convert to it.
class Args {
 public:
  Args(std::initializer_list<Arg> args) : args_(args) {}
  Args(std::vector<Arg> args) : args_(std::move(args)) {}  // NOLINT(google-explicit-constructor)
  Args(const std::vector<Tensor>& tensors)                 // NOLINT(google-explicit-constructor)
      : args_(tensors.begin(), tensors.end()) {}

  std::vector<Arg>::const_iterator begin() const { return args_.begin(); }
  std::vector<Arg>::const_iterator end() const { return args_.end(); }

 private:
  std::vector<Arg> args_;
};

}  // namespace nestwright
