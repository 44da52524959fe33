#include "target/description/gpu_target.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "target/description/target_text.h"

namespace nestwright {

using namespace target_text;

namespace {

// Limits of blocks and multiprocessors follow from the architecture (CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability"; granularities and reserves: CUDA's occupancy calculator, cuda_occupancy.h).
// Multiprocessors and L2 are those of one device of it: T4, A100, A10, Orin, RTX 4090, H100, B200, B300, Thor, RTX
// 5090, GB10.
struct ArchTraits {
  std::string_view name;
  int multiprocessors;
  std::int64_t shared_bytes;  ///< of a block, if the kernel opts in to more than 48 KiB
  std::int64_t l2_bytes;
  MultiprocessorLimits limits;
};
constexpr std::int64_t kKiB = 1 << 10, kMiB = 1 << 20;
// Warps, blocks, shared memory of a multiprocessor; granularity and system reserve of shared memory.
constexpr MultiprocessorLimits kTuring{32, 16, 64 * kKiB, 256, 0};
constexpr MultiprocessorLimits kA100{64, 32, 164 * kKiB, 128, kKiB}, kOrin{48, 16, 164 * kKiB, 128, kKiB};
constexpr MultiprocessorLimits kAmpere{48, 16, 100 * kKiB, 128, kKiB}, kAda{48, 24, 100 * kKiB, 128, kKiB};
constexpr MultiprocessorLimits kHopper{64, 32, 228 * kKiB, 128, kKiB}, kThor{48, 24, 228 * kKiB, 128, kKiB};
constexpr ArchTraits kArchs[] = {
    {"sm_75", 40, 64 * kKiB, 4 * kMiB, kTuring},       {"sm_80", 108, 163 * kKiB, 40 * kMiB, kA100},
    {"sm_86", 72, 99 * kKiB, 6 * kMiB, kAmpere},       {"sm_87", 16, 163 * kKiB, 4 * kMiB, kOrin},
    {"sm_89", 128, 99 * kKiB, 72 * kMiB, kAda},        {"sm_90", 132, 227 * kKiB, 50 * kMiB, kHopper},
    {"sm_90a", 132, 227 * kKiB, 50 * kMiB, kHopper},   {"sm_100", 148, 227 * kKiB, 126 * kMiB, kHopper},
    {"sm_100a", 148, 227 * kKiB, 126 * kMiB, kHopper}, {"sm_103", 148, 227 * kKiB, 126 * kMiB, kHopper},
    {"sm_110", 20, 227 * kKiB, 32 * kMiB, kThor},      {"sm_120", 170, 99 * kKiB, 96 * kMiB, kAda},
    {"sm_121", 48, 99 * kKiB, 24 * kMiB, kAda},
};

const ArchTraits* traits_of(std::string_view arch) {
  const auto* const found =
      std::find_if(std::begin(kArchs), std::end(kArchs), [&](const ArchTraits& traits) { return traits.name == arch; });
  return found == std::end(kArchs) ? nullptr : found;
}
// Its code runs on the devices that most machines have; on later ones only through PTX.
constexpr std::string_view kPlainCuda = "sm_80";

// A field of a GPU target other than the architecture: its accessors and its legal range for CUDA and OpenCL.
struct GpuField {
  std::string_view name;
  std::int64_t min, max_cuda, max_opencl;
  std::int64_t (*get)(const Target&);
  void (*set)(Target&, std::int64_t);
};
constexpr GpuField kGpuFields[] = {
    {"multiprocessors", 1, 4096, 4096, [](const Target& t) -> std::int64_t { return t.multiprocessors; },
     [](Target& t, std::int64_t n) { t.multiprocessors = static_cast<int>(n); }},
    {"shared", 1024, kMiB, 64 * kMiB, [](const Target& t) { return t.shared_bytes; },
     [](Target& t, std::int64_t n) { t.shared_bytes = n; }},
    {"threads_per_block", 1, 1024, 65536, [](const Target& t) -> std::int64_t { return t.threads_per_block; },
     [](Target& t, std::int64_t n) { t.threads_per_block = static_cast<int>(n); }},
    {"warp", 1, 32, 128, [](const Target& t) -> std::int64_t { return t.warp; },
     [](Target& t, std::int64_t n) { t.warp = static_cast<int>(n); }},
    {"registers_per_thread", 16, 255, 4096, [](const Target& t) -> std::int64_t { return t.registers_per_thread; },
     [](Target& t, std::int64_t n) { t.registers_per_thread = static_cast<int>(n); }},
    {"registers_per_block", 1024, kMiB, 64 * kMiB,
     [](const Target& t) -> std::int64_t { return t.registers_per_block; },
     [](Target& t, std::int64_t n) { t.registers_per_block = static_cast<int>(n); }},
    {"l2", 1024, std::int64_t{1} << 40, std::int64_t{1} << 40, [](const Target& t) { return t.l2_bytes; },
     [](Target& t, std::int64_t n) { t.l2_bytes = n; }},
};

std::string known_archs() {
  std::string names;
  for (const ArchTraits& traits : kArchs) names += (names.empty() ? "" : ", ") + std::string(traits.name);
  return names;
}

std::string known_fields(DeviceKind kind) {
  std::string names = kind == DeviceKind::kCuda ? "arch" : "";
  for (const GpuField& field : kGpuFields) names += (names.empty() ? "" : ", ") + std::string(field.name);
  return names;
}

// The smallest common set of PoCL on a small machine and every GPU.
Target plain_opencl() {
  Target t;
  t.device = DeviceKind::kOpenCl;
  t.shared_bytes = 32 * kKiB;
  return t;
}

/// The target with no more than the kind and architecture of `target` given.
Target implied(const Target& target) {
  if (target.device == DeviceKind::kOpenCl) return plain_opencl();
  return cuda_target(target.arch).value_or(*cuda_target(kPlainCuda));
}

/// 90 for sm_90a.
int capability_of(std::string_view arch) {
  int number = 0;
  std::from_chars(arch.data() + 3, arch.data() + arch.size(), number);
  return number;
}

bool is_for_one_device(std::string_view arch) { return arch.ends_with('a'); }

bool is_from_sm_80(const Target& target) {
  return target.device == DeviceKind::kCuda && target.arch != "sm_75";  // the only one before
}

}  // namespace

std::optional<Target> cuda_target(std::string_view arch) {
  const ArchTraits* const traits = traits_of(arch);
  if (traits == nullptr) return std::nullopt;
  Target t;
  t.device = DeviceKind::kCuda;
  t.arch = traits->name;
  t.multiprocessors = traits->multiprocessors;
  t.warp = 32;
  t.shared_bytes = traits->shared_bytes;
  t.l2_bytes = traits->l2_bytes;
  return t;
}

std::optional<MultiprocessorLimits> multiprocessor_limits(const Target& target) {
  const ArchTraits* const traits = target.device == DeviceKind::kCuda ? traits_of(target.arch) : nullptr;
  return traits == nullptr ? std::nullopt : std::optional(traits->limits);
}

std::string arch_of_capability(int major, int minor) {
  const int wanted = 10 * major + minor;
  std::string_view nearest;
  for (const ArchTraits& traits : kArchs) {
    const int number = capability_of(traits.name);
    // It is asked for by name.
    if (is_for_one_device(traits.name) || number / 10 != major || number > wanted) continue;
    nearest = traits.name;
  }
  return std::string(nearest);
}

bool can_run_on(std::string_view arch, std::string_view device) {
  const int code = capability_of(arch), here = capability_of(device);
  return is_for_one_device(arch) ? code == here : code / 10 == here / 10 && code <= here;
}

bool has_asynchronous_copies(const Target& target) { return is_from_sm_80(target); }

bool has_matrix_products(const Target& target) { return is_from_sm_80(target); }

bool has_warpgroup_products(const Target& target) {
  return target.device == DeviceKind::kCuda && (target.arch == "sm_90" || target.arch == "sm_90a");
}

bool has_shuffles(const Target& target) { return target.device == DeviceKind::kCuda && target.warp == 32; }

Target parse_gpu(std::string_view text, DeviceKind kind, std::string_view rest) {
  const std::string known = known_fields(kind);
  const Fields fields = split_fields(text, rest, known);
  Target t = kind == DeviceKind::kCuda ? *cuda_target(kPlainCuda) : plain_opencl();
  // The architecture is read first, wherever it stands, because it determines the defaults of the other fields.
  for (const auto& [name, value] : fields) {
    if (name != "arch" || kind != DeviceKind::kCuda) continue;
    const std::optional<Target> of_arch = cuda_target(value);
    if (!of_arch) refuse(text, fmt::format("arch \"{}\" is not known", value), "use one of " + known_archs());
    t = *of_arch;
  }
  for (const auto& given : fields) {
    const auto& [name, value] = given;
    if (name == "arch" && kind == DeviceKind::kCuda) continue;
    const auto* const field = std::find_if(std::begin(kGpuFields), std::end(kGpuFields),
                                           [&](const GpuField& f) { return f.name == given.first; });
    if (field == std::end(kGpuFields)) {
      refuse(text, fmt::format("field \"{}\" is not known", name), fmt::format("known fields: {}", known));
    }
    const std::int64_t max = kind == DeviceKind::kCuda ? field->max_cuda : field->max_opencl;
    const std::int64_t number = parse_number(text, name, value, field->min, max);
    if (name == "warp" && (number & (number - 1)) != 0) {
      refuse(text, fmt::format("warp is \"{}\"", value), fmt::format("use a power of two from 1 to {}", max));
    }
    field->set(t, number);
  }
  return t;
}

std::string gpu_text(const Target& target) {
  std::string text = device_name(target.device);
  const Target base = implied(target);
  if (target.device == DeviceKind::kCuda) text += ",arch=" + (target.arch.empty() ? base.arch : target.arch);
  for (const GpuField& field : kGpuFields) {
    if (field.get(target) != field.get(base)) text += fmt::format(",{}={}", field.name, field.get(target));
  }
  return text;
}

}  // namespace nestwright
