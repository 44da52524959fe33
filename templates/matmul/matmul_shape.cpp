#include "templates/matmul/matmul_shape.h"

namespace nestwright {

MatmulTypes matmul_types(ir::Type dtype) {
  if (dtype == kBFloat16) return {kBFloat16, kBFloat16, kFloat32, kFloat32};
  if (dtype == kInt8) return {kInt8, kInt8, kInt32, kInt32};
  if (dtype == kUInt8) return {kUInt8, kInt8, kInt32, kInt32};
  return {dtype, dtype, dtype, dtype};
}

MatmulShape matmul_shape(const Workload& workload) {
  return {workload.size("m"),  workload.size("n"),  workload.size("k"),
          workload.flag("ta"), workload.flag("tb"), matmul_types(workload.type("dtype")).sum};
}

}  // namespace nestwright
