#include "codegen/source/names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "ir/core/intrinsic_table.h"
#include "support/base/cpp_names.h"

namespace nestwright::codegen {
namespace {

// Keywords that C++ does not have and built-in names of both languages, so that a kernel has the same names in both;
// and names that generated text uses.
constexpr std::array kReserved = std::to_array<std::string_view>(
    {"INFINITY",     "MAXFLOAT",   "NAN",      "NULL",      "barrier",   "bfloat16",  "blockDim",  "blockIdx",
     "constant",     "cos",        "event_t",  "fmax",      "fmaxf",     "fmin",      "fminf",     "get_group_id",
     "get_local_id", "global",     "gridDim",  "half",      "image1d_t", "image2d_t", "image3d_t", "kernel",
     "ldexp",        "ldexpf",     "local",    "main",      "max",       "min",       "printf",    "quad",
     "read_only",    "read_write", "restrict", "sampler_t", "size_t",    "threadIdx", "uchar",     "uint",
     "ulong",        "uniform",    "ushort",   "vec_step",  "warpSize",  "write_only"});
static_assert(std::is_sorted(kReserved.begin(), kReserved.end()));

/// Whether devices have a mathematical function of this name: exp, or expf of CUDA.
bool is_function(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(ir::kLastIntrinsic); ++i) {
    const char* const function = ir::intrinsic_info(static_cast<ir::Intrinsic>(i)).device;
    if (function != nullptr && (name == function || name == std::string(function) + "f")) return true;
  }
  return false;
}

/// Whether the languages may define the name: float4, uint2, make_int4, vload8, as_float, __shared__.
bool looks_built_in(std::string_view name) {
  for (const std::string_view prefix :
       {"nw_", "_", "make_", "as_", "convert_", "vload", "vstore", "cl_", "CL_", "CLK_", "M_"}) {
    if (name.starts_with(prefix)) return true;
  }
  const std::size_t digits = name.find_first_of("0123456789");
  if (digits == std::string_view::npos || name.find_first_not_of("0123456789", digits) != std::string_view::npos) {
    return false;
  }
  constexpr std::array kVectors =
      std::to_array<std::string_view>({"bool", "char", "double", "dim", "float", "half", "int", "long", "longlong",
                                       "short", "uchar", "uint", "ulong", "ulonglong", "ushort"});
  return std::find(kVectors.begin(), kVectors.end(), name.substr(0, digits)) != kVectors.end();
}

}  // namespace

std::string identifier(std::string_view name) {
  std::string legal = with_word_characters(std::string(name.empty() ? "v" : name));
  if (std::isdigit(static_cast<unsigned char>(legal[0])) != 0 || looks_built_in(legal)) legal.insert(0, "v_");
  const bool is_reserved = std::binary_search(kReserved.begin(), kReserved.end(), std::string_view(legal));
  if (is_reserved || is_cpp_keyword(legal) || is_function(legal)) legal += '_';
  return legal;
}

const std::string& Names::of(const void* id, std::string_view wanted) {
  const auto known = names_.find(id);
  if (known != names_.end()) return known->second;
  return names_.emplace(id, fresh(wanted)).first->second;
}

std::string Names::fresh(std::string_view wanted) {
  const std::string stem = identifier(wanted);
  std::string name = stem;
  for (int n = 1; !taken_.insert(name).second; ++n) name = stem + "_" + std::to_string(n);
  return name;
}

}  // namespace nestwright::codegen
