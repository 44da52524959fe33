#include "templates/matmul/matmul_shape.h"

namespace nestwright {

MatmulShape matmul_shape(const Workload& workload) {
  return {workload.size("m"),  workload.size("n"),  workload.size("k"),
          workload.flag("ta"), workload.flag("tb"), workload.type("dtype")};
}

}  // namespace nestwright
