#include "nestwright/target.h"
#include "target/description/cpu_features.h"

#include <fmt/core.h>

#include <optional>

#include "target/description/former_target.h"
#include "target/description/gpu_target.h"
#include "target/description/host.h"
#include "target/description/target_text.h"

namespace nestwright {

using namespace target_text;

namespace {

// The name of an ISA and what it implies.
struct IsaTraits {
  CpuIsa isa;
  std::string_view name;
  int vector_bits, vector_registers;
};
constexpr IsaTraits kIsas[] = {
    {CpuIsa::kX86_64, "x86-64", 128, 16},
    {CpuIsa::kAvx2, "avx2", 256, 16},
    {CpuIsa::kAvx512, "avx512", 512, 32},
};

const IsaTraits& traits_of(CpuIsa isa) { return kIsas[static_cast<int>(isa)]; }

constexpr std::string_view kNoCpuName = "generic";
constexpr std::string_view kFields = "isa, threads, vector_bits, vector_registers, l1d, l2, l3, llvm_cpu, features";

/// A target of that ISA about which nothing else is known.
Target target_of(CpuIsa isa) {
  Target t;
  t.isa = isa;
  t.vector_bits = traits_of(isa).vector_bits;
  t.vector_registers = traits_of(isa).vector_registers;
  return t;
}

CpuIsa parse_isa(std::string_view text, std::string_view value) {
  for (const IsaTraits& traits : kIsas) {
    if (traits.name == value) return traits.isa;
  }
  refuse(text, fmt::format("isa \"{}\" is not known", value), "use x86-64, avx2 or avx512");
}

CpuFeatures parse_features(std::string_view text, std::string_view value) {
  CpuFeatures features;
  if (value == "none") return features;
  while (true) {
    const std::size_t plus = value.find('+');
    const auto feature = find_cpu_feature(value.substr(0, plus));
    if (!feature) {
      std::string known;
      for (int i = 0; i < kCpuFeatures; ++i)
        known += (i == 0 ? "" : ", ") + std::string(name_of(static_cast<CpuFeature>(i)));
      refuse(text, fmt::format("features has \"{}\"", value.substr(0, plus)),
             fmt::format("join some of {} by +, or write none", known));
    }
    features.add(*feature);
    if (plus == std::string_view::npos) return features;
    value.remove_prefix(plus + 1);
  }
}

/// The features of the CPU that the target names.
CpuFeatures features_of(const Target& t) {
  return t.isa == CpuIsa::kAvx512 ? features_of_cpu(t.llvm_cpu) : CpuFeatures();
}

}  // namespace

Target Target::host() {
  Target t = target_of(host_isa());
  const CacheSizes caches = host_caches();
  if (caches.l1d) t.l1d_bytes = caches.l1d;
  if (caches.l2) t.l2_bytes = caches.l2;
  if (caches.l3) t.l3_bytes = caches.l3;
  t.threads = host_threads();
  const CpuModel model = host_cpu_model();
  t.features = host_cpu_features();
  t.llvm_cpu = llvm_name(model);
  if (t.llvm_cpu.empty()) t.llvm_cpu = llvm_name_of_similar(model.vendor, t.features);
  return t;
}

Target Target::parse(std::string_view text) {
  if (text == "host") return host();
  if (text.ends_with(',')) refuse(text, "it ends with a comma", "add a field, or drop it");
  const std::size_t comma = text.find(',');
  const std::string_view device = text.substr(0, comma);
  const std::string_view rest = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  for (const DeviceKind kind : {DeviceKind::kCuda, DeviceKind::kOpenCl}) {
    if (device == device_name(kind)) return parse_gpu(text, kind, rest);
  }
  if (device != "cpu") {
    refuse(text, fmt::format("device \"{}\" is not known", device), "begin with cpu, cuda or opencl, or write host");
  }
  const Fields fields = split_fields(text, rest, kFields);

  const Target here = host();
  Target t = here;
  t.threads = 1;
  // The ISA is read first, wherever it stands, because it determines the defaults of the other fields.
  for (const auto& [name, value] : fields) {
    if (name != "isa") continue;
    const CpuIsa isa = parse_isa(text, value);
    const Target base = target_of(isa);
    t.isa = isa;
    t.vector_bits = base.vector_bits;
    t.vector_registers = base.vector_registers;
    if (isa > here.isa) t = base;
    // A smaller ISA is requested to get code for other machines; the host's CPU name would bring its instructions back
    // in.
    if (isa != here.isa) t.llvm_cpu.clear();
  }
  std::optional<CpuFeatures> features;
  bool names_cpu = false;  // also where this one has that name, of which it may lack features
  constexpr std::int64_t kMaxBytes = std::int64_t{1} << 40;
  for (const auto& [name, value] : fields) {
    if (name == "isa") {
      continue;
    } else if (name == "threads") {
      t.threads = static_cast<int>(parse_number(text, name, value, 1, 4096));
    } else if (name == "vector_bits") {
      if (value != "128" && value != "256" && value != "512") {
        refuse(text, fmt::format("vector_bits is \"{}\"", value), "use 128, 256 or 512");
      }
      t.vector_bits = static_cast<int>(parse_number(text, name, value, 128, 512));
      if (t.vector_bits > traits_of(t.isa).vector_bits) {
        refuse(text, fmt::format("vector_bits={} is more than {} has", value, traits_of(t.isa).name),
               fmt::format("use at most {}", traits_of(t.isa).vector_bits));
      }
    } else if (name == "vector_registers") {
      t.vector_registers = static_cast<int>(parse_number(text, name, value, 4, traits_of(t.isa).vector_registers));
    } else if (name == "l1d") {
      t.l1d_bytes = parse_number(text, name, value, 1024, kMaxBytes);
    } else if (name == "l2") {
      t.l2_bytes = parse_number(text, name, value, 1024, kMaxBytes);
    } else if (name == "l3") {
      t.l3_bytes = parse_number(text, name, value, 0, kMaxBytes);
    } else if (name == "llvm_cpu") {
      if (value.empty() ||
          value.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") != std::string_view::npos) {
        refuse(text, fmt::format("llvm_cpu is \"{}\"", value), "use a name that LLVM knows, as znver4, or generic");
      }
      names_cpu = true;
      t.llvm_cpu = value == kNoCpuName ? std::string() : std::string(value);
    } else if (name == "features") {
      if (t.isa != CpuIsa::kAvx512) refuse(text, "features are given", "only isa=avx512 has any");
      features = parse_features(text, value);
    } else {
      refuse(text, fmt::format("field \"{}\" is not known", name), fmt::format("known fields: {}", kFields));
    }
  }
  // A CPU that is named has the features of its name.
  t.features = features ? *features : t.isa == here.isa && !names_cpu ? here.features : features_of(t);
  return t;
}

// Writes out everything that parse() would otherwise take from the host: a key must mean the same on every machine.
std::string Target::str() const {
  if (device != DeviceKind::kCpu) return gpu_text(*this);
  const IsaTraits& traits = traits_of(isa);
  std::string text = fmt::format("cpu,isa={},threads={}", traits.name, threads);
  if (vector_bits != traits.vector_bits) text += fmt::format(",vector_bits={}", vector_bits);
  if (vector_registers != traits.vector_registers) text += fmt::format(",vector_registers={}", vector_registers);
  text += fmt::format(",l1d={},l2={},l3={},llvm_cpu={}", l1d_bytes, l2_bytes, l3_bytes,
                      llvm_cpu.empty() ? kNoCpuName : std::string_view(llvm_cpu));
  if (features != features_of(*this)) text += fmt::format(",features={}", features.str());
  return text;
}

std::optional<Target> former_target(const Target& target) {
  if (target.llvm_cpu != "znver5") return std::nullopt;
  Target former = target;
  former.llvm_cpu = "znver4";
  return former;
}

}  // namespace nestwright
