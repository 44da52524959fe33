// OpenCL C on an OpenCL device against the interpreter: every operation on every type, also on values where plain C
// would be undefined, and whole schedules. PoCL, which check installs, makes a device of the CPU.
#include <gmock/gmock.h>

#include <cmath>

#include "codegen/backend.h"
#include "ir/interpret.h"
#include "ir/serialize.h"
#include "lower/lower.h"
#include "runtime/device_program.h"
#include "support/error.h"
#include "tests/codegen/device/operations.h"
#include "tests/codegen/device/schedules.h"
#include "tests/codegen/element_data.h"

namespace nestwright::testing {
namespace {

std::shared_ptr<Device> opencl_device() {
  static const std::shared_ptr<Device> device = make_device(DeviceKind::kOpenCl);
  return device;
}

std::vector<Array> make_arrays(const ir::Program& program, const std::vector<std::int64_t>& symbols) {
  std::vector<Array> arrays;
  for (const ir::Parameter& parameter : program.parameters) {
    const std::int64_t bytes = bytes_in_memory(parameter.buffer, program.symbols, symbols);
    arrays.push_back(Array::empty(parameter.buffer->element, {bytes / parameter.buffer->element.bytes()}));
    std::memset(arrays.back().data(), 0, arrays.back().size_bytes());
  }
  return arrays;
}

void run_interpreted(const ir::Program& program, std::vector<Array>& arrays, const std::vector<std::int64_t>& symbols) {
  std::vector<ir::Memory> memory;
  for (Array& array : arrays) memory.emplace_back(static_cast<std::byte*>(array.data()), array.size_bytes());
  ir::interpret(program, memory, symbols);
}

void run_on_device(const CompiledObject& object, std::vector<Array>& arrays, const std::vector<std::int64_t>& symbols) {
  const std::shared_ptr<Device> device = opencl_device();
  DeviceProgram program(device, object.object, ir::deserialize(object.launches));
  std::vector<DeviceMemoryPtr> memories;
  for (Array& array : arrays) {
    const std::span bytes(static_cast<std::byte*>(array.data()), array.size_bytes());
    memories.push_back(device->allocate(static_cast<std::int64_t>(bytes.size())));
    device->upload(*memories.back(), bytes);
  }
  program.run(memories, symbols);
  device->synchronise();
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    device->download(*memories[i], {static_cast<std::byte*>(arrays[i].data()), arrays[i].size_bytes()});
  }
}

/// Whether two results of a library's function agree as far as its accuracy is stated: of OpenCL at most 16 ulp.
bool nearly_equal(const Array& a, const Array& b, std::int64_t* differing) {
  const ir::Type type = a.type();
  const double ulp = type == kFloat64 ? 0x1p-52 : type == kFloat32 ? 0x1p-23 : type == kFloat16 ? 0x1p-10 : 0x1p-7;
  const double least = type == kFloat64 ? 0x1p-1022 : type == kFloat16 ? 0x1p-14 : 0x1p-126;
  const double units = type.bits == 16 ? 1 : 16;
  for (std::int64_t i = 0; i < a.elements(); ++i) {
    const auto at = [&](const Array& array) {
      return ir::read_element(type, static_cast<const std::byte*>(array.data()) + i * type.bytes()).f;
    };
    const double x = at(a), y = at(b);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    if (std::abs(x - y) <= units * ulp * std::max(std::abs(y), least)) continue;
    *differing = i;
    return false;
  }
  return true;
}

enum class Compare { kBits, kNearly };

/// Small whole numbers, so that sums are exact.
void fill_with_digits(Array& array, unsigned shift) {
  const ir::Type type = array.type();
  for (std::int64_t i = 0; i < array.elements(); ++i) {
    const std::int64_t digit = (i * 7 + i / 5 + shift * 3) % 11 - 5;
    const ir::Scalar value = type.is_float() ? ir::float_scalar(static_cast<double>(digit)) : ir::integer_scalar(digit);
    ir::write_element(type, value, static_cast<std::byte*>(array.data()) + i * type.bytes());
  }
}

void expect_agreement(const ir::Program& program, const std::vector<std::int64_t>& symbols = {},
                      Compare compare = Compare::kBits, void (*fill_one)(Array&, unsigned) = fill) {
  const Target target = device_target(DeviceKind::kOpenCl);
  const ir::Program expanded = expand(program, target, {.after_pass = {}, .verify = true});
  const CompiledObject object = make_backend(DeviceKind::kOpenCl)->compile(expanded, target, {});
  std::vector<Array> expected = make_arrays(program, symbols), actual = make_arrays(program, symbols),
                     vectors = make_arrays(program, symbols);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (program.parameters[i].role != ir::Role::kInput) continue;
    for (std::vector<Array>* arrays : {&expected, &actual, &vectors}) fill_one((*arrays)[i], static_cast<unsigned>(i));
  }
  run_interpreted(program, expected, symbols);
  run_interpreted(expanded, vectors, symbols);
  run_on_device(object, actual, symbols);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    std::int64_t at = 0;
    const std::string& name = program.parameters[i].buffer->name;
    EXPECT_TRUE(same_elements(vectors[i], expected[i], &at)) << name << " of the vector form at " << at;
    const bool equal = compare == Compare::kBits ? same_elements(actual[i], expected[i], &at)
                                                 : nearly_equal(actual[i], expected[i], &at);
    EXPECT_TRUE(equal) << name << " at " << at << " in\n" << object.source;
  }
}

class OpenClTypes : public ::testing::TestWithParam<ir::Type> {};

TEST_P(OpenClTypes, OperationsAgreeWithTheInterpreter) {
  expect_agreement(operations_on(GetParam(), Rows::kScalars, Kernels::kOne));
}

TEST_P(OpenClTypes, CastsOfScalarsAgreeWithTheInterpreter) {
  expect_agreement(casts_of(GetParam(), Rows::kScalars, Kernels::kOne));
}

TEST_P(OpenClTypes, CastsOfVectorsAgreeWithTheInterpreter) {
  expect_agreement(casts_of(GetParam(), Rows::kAligned, Kernels::kOne));
}

INSTANTIATE_TEST_SUITE_P(Types, OpenClTypes, ::testing::ValuesIn(kAllTypes),
                         [](const auto& test) { return test.param.str(); });

class OpenClFloats : public ::testing::TestWithParam<ir::Type> {};

TEST_P(OpenClFloats, WhatIsRoundedAgreesWithTheInterpreter) {
  expect_agreement(rounded_functions_on(GetParam(), Rows::kScalars, Kernels::kOne));
}

TEST_P(OpenClFloats, FunctionsOfTheLibraryAgreeNearly) {
  expect_agreement(transcendental_functions_on(GetParam(), Rows::kScalars, Kernels::kOne), {}, Compare::kNearly);
}

INSTANTIATE_TEST_SUITE_P(Types, OpenClFloats, ::testing::Values(kFloat16, kBFloat16, kFloat32, kFloat64),
                         [](const auto& test) { return test.param.str(); });

TEST(OpenCl, WordsAgreeWithTheInterpreter) {
  expect_agreement(word_functions(Rows::kScalars, Kernels::kOne));
  expect_agreement(word_functions(Rows::kAligned, Kernels::kOne));
}

TEST(OpenCl, VectorsThatAreNotAligned) {
  for (const ir::Type type : {kInt8, kFloat16, kFloat32}) {
    expect_agreement(casts_of(type, Rows::kUnaligned, Kernels::kOne));
  }
}

class OpenClSchedules : public ::testing::TestWithParam<const char*> {};

TEST_P(OpenClSchedules, AgreeWithTheInterpreter) {
  const NamedProgram p = device_program(GetParam(), DeviceKind::kOpenCl);
  expect_agreement(p.program, p.symbols, p.name == "two_kernels" ? Compare::kNearly : Compare::kBits, fill_with_digits);
}

INSTANTIATE_TEST_SUITE_P(Programs, OpenClSchedules,
                         ::testing::Values("elementwise", "matmul", "row_sums", "running_sum", "two_kernels"),
                         [](const auto& test) { return test.param; });

TEST(OpenClRefuses, OtherDevicesTargets) {
  const Target target = device_target(DeviceKind::kCuda);
  const ir::Program program = expand(device_program("elementwise", DeviceKind::kCuda).program, target);
  try {
    make_backend(DeviceKind::kOpenCl)->compile(program, target, {});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const CompileError& e) {
    EXPECT_STREQ(e.what(), "the OpenCL backend makes code for OpenCL only");
  }
}

}  // namespace
}  // namespace nestwright::testing
