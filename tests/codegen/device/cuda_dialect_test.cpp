// Spellings of CUDA C++ alone (packed vectors, bits, literals), for which there is no device here: the host's compiler
// compiles the source, with CUDA's names defined and its sanitizer of undefined behaviour, and the results are compared
// with the interpreter's. Threads run one after the other, so that only kernels without barriers can be tested.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <regex>

#include "codegen/cuda/cuda_dialect.h"
#include "codegen/source/device_object.h"
#include "ir/gpu/launch.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "support/os/scratch_folder.h"
#include "support/os/shared_library.h"
#include "tests/codegen/device/operations.h"
#include "tests/codegen/device/schedules.h"
#include "tests/codegen/element_data.h"

namespace nestwright::testing {
namespace {

constexpr const char* kCuda = R"(
#include <cmath>
#include <cstring>
#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(threads)
struct Index { unsigned x, y, z; };
static Index blockIdx, threadIdx;
struct Pointer { void* to; template <class T> operator T*() const { return (T*)to; } };
template <class To, class From> To same_bits(From from) { To to; static_assert(sizeof to == sizeof from); std::memcpy(&to, &from, sizeof to); return to; }
static unsigned __float_as_uint(float x) { return same_bits<unsigned>(x); }
static float __uint_as_float(unsigned x) { return same_bits<float>(x); }
static long long __double_as_longlong(double x) { return same_bits<long long>(x); }
static double __longlong_as_double(long long x) { return same_bits<double>(x); }
#define VECTORS(name, type) \
  struct alignas(2 * sizeof(type)) name##2 { type x, y; }; \
  static name##2 make_##name##2(type x, type y) { return {x, y}; }
#define VECTORS_OF_4(name, type) VECTORS(name, type) \
  struct alignas(16) name##4 { type x, y, z, w; }; \
  static name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
VECTORS_OF_4(float, float) VECTORS_OF_4(int, int) VECTORS_OF_4(uint, unsigned)
VECTORS(double, double) VECTORS(longlong, long long) VECTORS(ulonglong, unsigned long long)
)";

/// The source with PTX instructions replaced, and a function that runs all threads of all kernels.
std::string host_source(const ir::Program& program, const std::string& cuda) {
  std::string text =
      std::regex_replace(cuda, std::regex(R"(asm\("cvt\.f32\.f16.*)"), "x = (float)same_bits<_Float16>(bits);");
  text = std::regex_replace(text, std::regex(R"(asm\("cvt\.rn\.f16\.f32.*)"),
                            "bits = same_bits<unsigned short>((_Float16)x);");
  text = kCuda + text + "extern \"C\" void run_all(void** given) {\n";
  for (std::size_t k = 0; k < program.kernels.size(); ++k) {
    const ir::LaunchShape shape = ir::launch_shape(program.kernels[k]);
    text += "  for (blockIdx.x = 0; blockIdx.x < " + ir::to_string(shape.grid[0]) + "; ++blockIdx.x)\n";
    text += "    for (threadIdx.x = 0; threadIdx.x < " + ir::to_string(shape.block[0]) + "; ++threadIdx.x)\n";
    text += "      " + program.kernels[k].name + "(";
    std::string separator;
    for (const int p : ir::kernel_arguments(program, static_cast<int>(k)).parameters) {
      text += separator + "Pointer{given[" + std::to_string(p) + "]}";
      separator = ", ";
    }
    text += ");\n";
  }
  return text + "}\n";
}

void expect_agreement(const ir::Program& program) {
  const Target target = device_target(DeviceKind::kCuda);
  const ir::Program expanded = expand(program, target, {.after_pass = {}, .verify = true});
  const std::string source = host_source(expanded, codegen::device_object(expanded, codegen::CudaDialect()).source);
  const ScratchFolder folder("nestwright-cuda-text");
  const std::string path = folder.path() + "/kernels";
  std::ofstream(path + ".cpp") << source;
  const std::string command =
      "c++ -std=c++17 -O1 -w -shared -fPIC -fno-strict-aliasing -ffp-contract=off -fsanitize-undefined-trap-on-error "
      "-fsanitize=signed-integer-overflow,shift,float-cast-overflow,integer-divide-by-zero,alignment,bounds -o " +
      path + ".so " + path + ".cpp";
  ASSERT_EQ(std::system(command.c_str()), 0) << source;
  const std::vector<std::string> names{path + ".so"};
  const auto library = SharedLibrary::open(names);
  ASSERT_TRUE(library.has_value());

  std::vector<Array> expected, actual;
  std::vector<ir::Memory> memory;
  std::vector<void*> pointers;
  for (std::size_t i = 0; i < program.parameters.size(); ++i) {
    const ir::Buffer& buffer = program.parameters[i].buffer;
    for (std::vector<Array>* arrays : {&expected, &actual}) {
      Array& array = arrays->emplace_back(Array::empty(buffer->element, {buffer->elements()}));
      std::memset(array.data(), 0, array.size_bytes());
      if (program.parameters[i].role == ir::Role::kInput) fill(array, static_cast<unsigned>(i));
    }
  }
  for (Array& array : expected) memory.emplace_back(static_cast<std::byte*>(array.data()), array.size_bytes());
  for (Array& array : actual) pointers.push_back(array.data());
  ir::interpret(program, memory);
  library->function<void (*)(void**)>("run_all")(pointers.data());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    std::int64_t at = 0;
    EXPECT_TRUE(same_elements(actual[i], expected[i], &at))
        << program.parameters[i].buffer->name << " at " << at << "\n"
        << source;
  }
}

class CudaText : public ::testing::TestWithParam<ir::Type> {};

TEST_P(CudaText, CastsOfVectors) { expect_agreement(casts_of(GetParam(), Rows::kAligned, Kernels::kEach)); }

TEST_P(CudaText, Operations) { expect_agreement(operations_on(GetParam(), Rows::kAligned, Kernels::kEach)); }

INSTANTIATE_TEST_SUITE_P(Types, CudaText, ::testing::ValuesIn(ir::element_types()),
                         [](const auto& test) { return test.param.str(); });

TEST(CudaTextOf, WhatIsRounded) {
  for (const ir::Type type : {kFloat16, kBFloat16, kFloat32, kFloat64}) {
    expect_agreement(rounded_functions_on(type, Rows::kAligned, Kernels::kEach));
  }
}

TEST(CudaTextOf, Words) { expect_agreement(word_functions(Rows::kAligned, Kernels::kEach)); }

}  // namespace
}  // namespace nestwright::testing
