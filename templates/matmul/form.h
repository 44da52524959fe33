// A product as a template computes it: over the elements of A and B, or over words that hold several steps of the
// reduction, or over converted elements. All forms share the blocked nest of cpu/blocked_nest.cpp. Internal to
// templates/matmul. Thread rule: plain data.
#pragma once

#include <span>
#include <vector>

#include "nestwright/template.h"
#include "nestwright/tensor.h"
#include "templates/matmul/shape.h"

namespace nestwright {

struct MatmulForm {
  Tensor a, b;    ///< the multiplied operands: [M, steps] and [steps, N], or transposed
  Tensor sums;    ///< of the products, in C's shape
  Tensor result;  ///< C: `sums`, or its epilogue
  /// The shape of the loops: k counts steps of the reduction, ta and tb are the layouts of a and b, and type is that of
  /// the sums.
  MatmulShape shape;
  bool copies_a = false, copies_b = false;  ///< always packed: converting anew at every use would take too long
  bool views_a = false, views_b = false;    ///< a or b is a view: its elements are read where they lie
  bool vectorizes_n_only = false;           ///< vectors run along N
  int parts = 1;                            ///< multiply-adds a step, in a loop of their own inside it
  int registers = 0;                        ///< that the loop over the steps needs beside the tile's
  int registers_unpacked = 0;               ///< likewise, if the converted B is not stored
  bool is_fused = true;                     ///< one instruction multiplies and adds
  Tensor row_sums, partial_sums;            ///< [M] and [M, lanes], where `result` needs them
};

/// C of `type`: the workload's epilogue of `sums`, which may be larger than C, and of `inputs`, the arguments that
/// follow A and B.
Tensor matmul_result(const MatmulShape& shape, ir::Type type, const Tensor& sums, std::span<const Tensor> inputs);

/// The sums that the expression `c` finishes; `c` itself if it is the sums.
Tensor sums_of(const Tensor& c);

/// The operand that `sums` multiplies: `given`, an argument, or a view of it (MatmulStorage).
Tensor operand_of(const Tensor& sums, const Tensor& given);
/// An element of such an operand, read where it lies.
Expr read_through(const Tensor& operand, const std::vector<Expr>& at);

/// What `c` makes of its sums, made of `sums`, which may be larger; passed as `c`.
Tensor result_from(const Tensor& c, const Tensor& sums);

/// Makes the form's result the last argument of `definition`, passed as the one before; returns it.
Tensor take_result(MatmulForm& form, Definition& definition);

/// The operator's own form: products of the elements, widened to the type of the sums.
MatmulForm plain_form(const Workload& workload, const Definition& definition);

}  // namespace nestwright
