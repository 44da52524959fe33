// The template of products of narrow numbers that are summed several steps at a time: A and B become words of four
// bytes or two halves along the reduction, and one instruction multiplies the parts of two words and adds them up.
//
//   pack B: for four rows of it, the word of each column           (as a panel, like that of matmul.cpu)
//   for tiles: for k in steps of four: tile += dot(A[row, k .. k+4], B's word)
//
// Without AVX512_VNNI, bytes are widened to int16, two in a word.
#include "templates/matmul/cpu/knobs.h"
#include "templates/matmul/cpu/packed_words.h"
#include "templates/matmul/cpu/seeds.h"
#include "templates/matmul/matmul.h"

namespace nestwright {
namespace {

WordKind kind_for(const Workload& workload, const Target& target) {
  const ir::Type type = workload.type("dtype");
  if (type == kBFloat16) return {ir::Intrinsic::kDotBF16, 2};
  if (!target.has(CpuFeature::kAvx512Vnni)) return {ir::Intrinsic::kDotS16, 2};
  return {ir::Intrinsic::kDotU8S8, 4, type == kInt8};
}

Schedule schedule_dot(Tuning& t, const Workload& workload, Definition& definition, const Target& target) {
  const WordKind kind = kind_for(workload, target);
  MatmulForm form = make_word_form(workload, definition, kind);
  form.is_fused = kind.dot != ir::Intrinsic::kDotS16;
  return schedule_matmul(t, form, definition, target);
}

std::vector<Config> dot_seeds(const Workload& workload, const Target& target) {
  return matmul_cpu_seeds(matmul_dot_template(), workload, word_shape(workload, kind_for(workload, target)), target);
}

std::string why_not(const Workload& workload, const Target& target) {
  const ir::Type type = workload.type("dtype");
  const bool serves = type == kInt8 || type == kUInt8 || (type == kBFloat16 && target.has(CpuFeature::kAvx512Bf16));
  return serves ? "" : "it needs bytes, or bfloat16 and a CPU that multiplies it";
}

}  // namespace

Template matmul_dot_template() { return {"matmul.dot", 1, {DeviceKind::kCpu}, schedule_dot, dot_seeds, why_not}; }

}  // namespace nestwright
