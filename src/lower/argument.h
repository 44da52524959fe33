// The tensors of a kernel's signature, inputs first:  {A, B, C}, or {A, B, strided(C, {var("ldc"), 1})}.
// Thread rule: values.
#pragma once

#include <initializer_list>
#include <vector>

#include "expression/tensor.h"

namespace nestwright {

/// One tensor that the caller hands over, and how its elements lie.
struct Arg {
  Arg(Tensor t) : tensor(std::move(t)) {}  // NOLINT(google-explicit-constructor): most are stored as they are declared

  Tensor tensor;
  std::vector<Expr> strides;  ///< of an output, in elements; empty: as the tensor is declared, which is compact
};

/// An output whose elements lie `strides` apart, constants or symbols such as var("ldc"). Throws UsageError where they
/// are not as many as its dimensions. The strides of an input are given to placeholder.
Arg strided(Tensor output, std::vector<Expr> strides);

/// A list of them, also made from tensors.
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
