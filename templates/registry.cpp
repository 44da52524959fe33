#include "nestwright/registry.h"

#include <utility>

#include "templates/broadcast/broadcast.h"
#include "templates/conv2d/conv2d.h"
#include "templates/depthwise_conv2d/depthwise_conv2d.h"
#include "templates/elementwise/elementwise.h"
#include "templates/layer_norm/layer_norm.h"
#include "templates/matmul/cpu/gemv.h"
#include "templates/matmul/cpu/split_k.h"
#include "templates/matmul/matmul.h"
#include "templates/reduce/reduce.h"
#include "templates/scan/scan.h"
#include "templates/sketch/sketch_template.h"
#include "templates/softmax/softmax.h"
#include "templates/transpose/transpose.h"

namespace nestwright {
namespace {

Operator with_templates(Operator op, std::vector<Template> templates) {
  op.templates = std::move(templates);
  return op;
}

/// Every operator with its templates, the likely fastest first.
Registry make_registry() {
  Registry registry;
  registry.add(
      with_templates(matmul_operator(),
                     {matmul_amx_template(), matmul_dot_template(), matmul_convert_template(), matmul_gemv_template(),
                      matmul_cpu_template(), matmul_split_k_template(), sketch_cpu_template(), matmul_wgmma_template(),
                      matmul_mma_template(), matmul_gpu_template(), sketch_gpu_template()}));
  registry.add(with_templates(elementwise_operator(),
                              {sketch_cpu_template(), elementwise_gpu_template(), sketch_gpu_template()}));
  registry.add(
      with_templates(broadcast_operator(), {sketch_cpu_template(), broadcast_gpu_template(), sketch_gpu_template()}));
  registry.add(
      with_templates(reduce_operator(), {sketch_cpu_template(), reduce_gpu_template(), sketch_gpu_template()}));
  registry.add(
      with_templates(softmax_operator(), {sketch_cpu_template(), softmax_gpu_template(), sketch_gpu_template()}));
  registry.add(
      with_templates(layer_norm_operator(), {sketch_cpu_template(), layer_norm_gpu_template(), sketch_gpu_template()}));
  registry.add(
      with_templates(transpose_operator(), {sketch_cpu_template(), transpose_gpu_template(), sketch_gpu_template()}));
  registry.add(
      with_templates(conv2d_operator(), {sketch_cpu_template(), conv2d_winograd_template(), conv2d_gpu_template(),
                                         conv2d_gpu_direct_template(), sketch_gpu_template()}));
  registry.add(with_templates(depthwise_conv2d_operator(),
                              {sketch_cpu_template(), depthwise_conv2d_gpu_template(), sketch_gpu_template()}));
  registry.add(with_templates(scan_operator(), {sketch_cpu_template(), scan_gpu_template(), sketch_gpu_template()}));
  return registry;
}

}  // namespace

const Registry& builtin_registry() {
  static const Registry registry = make_registry();
  return registry;
}

Workload parse_workload(std::string_view text) { return builtin_registry().parse_workload(text); }

}  // namespace nestwright
