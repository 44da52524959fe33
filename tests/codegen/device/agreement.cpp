#include "tests/codegen/device/agreement.h"

#include <gtest/gtest.h>

#include <cmath>

#include "codegen/backend.h"
#include "ir/serialize/serialize.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "runtime/device_program.h"
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

/// Whether two results of a library function agree within its stated accuracy, which is at most 16 ulp for OpenCL.
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

}  // namespace

void fill_with_digits(Array& array, unsigned shift) {
  const ir::Type type = array.type();
  for (std::int64_t i = 0; i < array.elements(); ++i) {
    const std::int64_t digit = (i * 7 + i / 5 + shift * 3) % 11 - 5;
    const ir::Scalar value = type.is_float() ? ir::float_scalar(static_cast<double>(digit)) : ir::integer_scalar(digit);
    ir::write_element(type, value, static_cast<std::byte*>(array.data()) + i * type.bytes());
  }
}

void fill_with_interesting(Array& array, unsigned shift) { fill(array, shift); }

void expect_agreement(const ir::Program& program, const std::vector<std::int64_t>& symbols, Compare compare,
                      void (*fill_one)(Array&, unsigned)) {
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

}  // namespace nestwright::testing
