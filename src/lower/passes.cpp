#include "lower/passes.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace nestwright {
namespace {

#ifdef NDEBUG
constexpr bool kAlwaysVerify = false;
#else
constexpr bool kAlwaysVerify = true;
#endif

constexpr auto kLoops = LoweringStage::kLoops, kVectors = LoweringStage::kVectors;
constexpr auto kNone = PassDevices::kNone, kCpu = PassDevices::kCpu, kGpu = PassDevices::kGpu, kAll = PassDevices::kAll;

// The order of passes has reasons. Without barriers, shared memory looks like a race, so that device programs are
// complete only after place_barriers. unroll runs before vectorize because it decides most guards, and only the others
// become masks. register_tiles runs while masks still have the form that vectorize gave them. blocked_sums needs its
// constant indices, and makes loops that simplify_vectors simplifies. Devices' compilers unroll, allocate registers and
// have mathematical functions, so that the source can stay small and readable.
// Instructions are selected last, when no pass changes the statements any more.
constexpr std::array kPasses = {
    // name, stage, devices, complete for
    Pass{"build_nest", kLoops, kAll, kCpu, passes::build_nest},
    Pass{"merge_threads", kLoops, kGpu, kNone, passes::merge_threads},
    Pass{"hoist_shared", kLoops, kGpu, kNone, passes::hoist_shared},
    Pass{"auto_unroll", kLoops, kAll, kCpu, passes::auto_unroll},
    Pass{"run_in_threads", kLoops, kAll, kCpu, passes::run_in_threads},
    Pass{"estrin", kLoops, kCpu, kCpu, passes::estrin},
    Pass{"split_loops", kLoops, kAll, kCpu, passes::split_loops},
    Pass{"simplify_loops", kLoops, kAll, kCpu, passes::simplify_loops},
    Pass{"double_buffer", kLoops, kAll, kCpu, passes::double_buffer},
    Pass{"find_constants", kLoops, kAll, kCpu, passes::find_constants},
    Pass{"find_in_place", kLoops, kAll, kCpu, passes::find_in_place},
    Pass{"split_launches", kLoops, kGpu, kNone, passes::split_launches},
    Pass{"check_fragments", kLoops, kGpu, kNone, passes::check_fragments},
    Pass{"place_barriers", kLoops, kGpu, kGpu, passes::place_barriers},

    Pass{"unroll", kVectors, kCpu, kNone, passes::unroll},
    Pass{"unswitch", kVectors, kCpu, kNone, passes::unswitch},
    Pass{"warp_shuffles", kVectors, kGpu, kNone, passes::warp_shuffles},
    Pass{"virtual_threads", kVectors, kGpu, kNone, passes::virtual_threads},
    Pass{"vectorize", kVectors, kAll, kNone, passes::vectorize},
    Pass{"register_tiles", kVectors, kCpu, kNone, passes::register_tiles},
    Pass{"blocked_sums", kVectors, kCpu, kNone, passes::blocked_sums},
    Pass{"simplify_vectors", kVectors, kAll, kNone, passes::simplify_vectors},
    Pass{"vector_math", kVectors, kCpu, kNone, passes::vector_math},
    Pass{"unrolled_registers", kVectors, kGpu, kNone, passes::unrolled_registers},
    Pass{"plan_storage", kVectors, kAll, kNone, passes::plan_storage},

    Pass{"dot_products", kVectors, kCpu, kNone, passes::dot_products},
    Pass{"amx_tiles", kVectors, kCpu, kCpu, passes::amx_tiles},
    Pass{"asynchronous_copies", kVectors, kGpu, kNone, passes::asynchronous_copies},
    Pass{"wgmma_products", kVectors, kGpu, kNone, passes::wgmma_products},
    Pass{"mma_products", kVectors, kGpu, kGpu, passes::mma_products},
};

bool same_code(const ir::Program& a, const ir::Program& b) {
  return a.host.same_as(b.host) && a.preparation.same_as(b.preparation) &&
         std::equal(a.kernels.begin(), a.kernels.end(), b.kernels.begin(), b.kernels.end(),
                    [](const ir::Kernel& x, const ir::Kernel& y) { return x.body.same_as(y.body); });
}

ir::Form form_of(LoweringStage stage, DeviceKind device) {
  if (stage == kLoops) return ir::Form::kLoop;
  return device == DeviceKind::kCpu ? ir::Form::kVector : ir::Form::kDeviceVector;
}

}  // namespace

bool includes(PassDevices devices, DeviceKind device) {
  return devices == kAll || devices == (device == DeviceKind::kCpu ? kCpu : kGpu);
}

std::span<const Pass> all_passes() { return kPasses; }

ir::Program run_passes(LoweringStage stage, ir::Program program, PassContext& context, const LowerOptions& options,
                       const Refuse& refuse) {
  using Clock = std::chrono::steady_clock;
  const DeviceKind device = context.target.device;
  ir::Program verified = program;
  for (const Pass& pass : kPasses) {
    if (pass.stage != stage || !includes(pass.devices, device)) continue;
    const auto start = Clock::now();
    program = pass.run(std::move(program), context);
    const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
    if (options.after_pass) options.after_pass(pass.name, program, ns);
    if (!includes(pass.complete, device) || !(kAlwaysVerify || options.verify)) continue;
    if (same_code(program, verified)) continue;
    const ir::Violations violations = ir::find_violations(program, form_of(stage, device));
    if (!violations.empty()) refuse(pass, program, violations);
    verified = program;
  }
  return program;
}

std::vector<std::string> pass_names() {
  std::vector<std::string> names;
  for (const Pass& pass : kPasses) names.emplace_back(pass.name);
  return names;
}

}  // namespace nestwright
