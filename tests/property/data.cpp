#include "tests/property/data.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <random>

#include "ir/core/one_of.h"
#include "ir/core/scalar.h"
#include "ir/simplify/simplify.h"
#include "ir/traversal/rewrite.h"
#include "nestwright/error.h"

namespace nestwright::property {
namespace {

constexpr std::size_t kGuardBytes = 128;
constexpr std::byte kCanary{0xC3};

std::int64_t evaluate(const Expr& e, const std::vector<Symbol>& symbols) {
  if (const std::int64_t* constant = ir::as_const_int(e)) return *constant;
  ir::Substitution with;
  for (const Symbol& symbol : symbols) with[symbol.var] = Expr(symbol.value);
  const Expr value = ir::simplify(ir::substitute(e, with));
  const std::int64_t* constant = ir::as_const_int(value);
  check(constant != nullptr, "an extent of a case is not determined by its symbols");
  return *constant;
}

std::size_t memory_elements(const ir::Buffer& buffer, const std::vector<Symbol>& symbols) {
  std::int64_t last = 0;
  for (int d = 0; d < buffer->rank(); ++d) {
    last += (evaluate(buffer->shape[static_cast<std::size_t>(d)], symbols) - 1) * evaluate(buffer->stride(d), symbols);
  }
  return static_cast<std::size_t>(last + 1);
}

ir::Scalar draw_element(ir::Type type, std::mt19937_64& random) {
  if (type.is_bool()) return ir::integer_scalar(static_cast<std::int64_t>(random() % 2));
  const auto small = static_cast<std::int64_t>(random() % 9) - 4;
  if (type.is_float()) return ir::float_scalar(static_cast<double>(small));
  if (random() % 16 != 0) return ir::integer_scalar(type.code == ir::TypeCode::kUInt ? small + 4 : small);
  // Any value of the type, including its ends.
  std::int64_t wide = static_cast<std::int64_t>(random());
  std::byte bytes[8];
  std::memcpy(bytes, &wide, sizeof(bytes));
  return ir::read_element(type, bytes);
}

/// Counts statements, multiplied by the extents of their loops.
class Counter {
 public:
  Counter(const ir::Program& program, ir::Ranges ranges) : program_(program), ranges_(std::move(ranges)) {}

  std::int64_t count(const ir::Stmt& s) {
    if (!s.defined()) return 0;
    return std::visit([&](const auto& value) { return count(value); }, s.node().value);
  }

 private:
  std::int64_t count(const ir::For& loop) {
    const ir::Interval extent = ir::bounds(loop.extent, ranges_);
    ranges_.bind(loop.var, loop.min, loop.extent);
    const std::int64_t body = count(loop.body) + 1;
    ranges_.forget(loop.var);
    constexpr std::int64_t kMax = std::int64_t{1} << 30;
    return std::clamp<std::int64_t>(extent.hi, 0, kMax) > kMax / body ? kMax
                                                                      : std::max<std::int64_t>(extent.hi, 0) * body;
  }
  std::int64_t count(const ir::Block& block) {
    std::int64_t sum = 0;
    for (const ir::Stmt& s : block.stmts) sum += count(s);
    return sum;
  }
  std::int64_t count(const ir::Let& let) {
    ranges_.bind(let.var, ir::bounds(let.value, ranges_));
    const std::int64_t body = count(let.body);
    ranges_.forget(let.var);
    return body;
  }
  std::int64_t count(const ir::IfThenElse& choice) {
    return std::max(count(choice.then_case), count(choice.else_case)) + 1;
  }
  std::int64_t count(const ir::Store& store) {
    std::int64_t nodes = 0;
    ir::for_each_expr(store.value, [&](const Expr&) { ++nodes; });
    return 1 + nodes / 8;
  }
  std::int64_t count(const ir::Allocate& allocation) { return count(allocation.body); }
  std::int64_t count(const ir::Launch& launch) {
    return count(program_.kernels[static_cast<std::size_t>(launch.kernel)].body);
  }
  std::int64_t count(const ir::OneOf<ir::Prefetch, ir::CommitCopies, ir::Barrier, ir::TensorInstruction> auto&) {
    return 1;
  }

  const ir::Program& program_;
  ir::Ranges ranges_;
};

}  // namespace

std::vector<std::int64_t> symbol_values(const ir::Program& program, const std::vector<Symbol>& symbols) {
  std::vector<std::int64_t> values;
  for (const Var& var : program.symbols) {
    const auto it = std::find_if(symbols.begin(), symbols.end(), [&](const Symbol& s) { return s.var == var; });
    check(it != symbols.end(), "a program has a symbol that its expression does not have");
    values.push_back(it->value);
  }
  return values;
}

std::byte* Data::Argument::data() const { return block.get() + kGuardBytes; }

Data::Data(const ir::Program& program, const std::vector<Symbol>& symbols, std::uint64_t seed, std::uint8_t poison) {
  std::mt19937_64 random(seed);
  for (const ir::Parameter& parameter : program.parameters) {
    const ir::Type type = parameter.buffer->element;
    const std::size_t elements = memory_elements(parameter.buffer, symbols);
    const std::size_t size = static_cast<std::size_t>(type.bytes());
    const std::size_t bytes = elements * size, block = (bytes + 2 * kGuardBytes + 63) / 64 * 64;
    auto* memory = static_cast<std::byte*>(std::aligned_alloc(64, block));
    if (memory == nullptr) throw std::bad_alloc();
    std::fill(memory, memory + block, kCanary);
    arguments_.push_back(
        {parameter.buffer->name, type, parameter.role, bytes, {memory, [](std::byte* p) { std::free(p); }}, {}});
    std::byte* const data = arguments_.back().data();
    if (parameter.role != ir::Role::kInput) {
      std::fill(data, data + bytes, std::byte{poison});
      continue;
    }
    for (std::size_t n = 0; n < elements; ++n) ir::write_element(type, draw_element(type, random), data + n * size);
    arguments_.back().original.assign(data, data + bytes);
  }
}

std::vector<ir::Memory> Data::memory() const {
  std::vector<ir::Memory> result;
  for (const Argument& argument : arguments_) {
    if (argument.role != ir::Role::kPrepared) result.emplace_back(argument.data(), argument.bytes);
  }
  return result;
}

std::vector<void*> Data::pointers() const {
  std::vector<void*> result;
  for (const Argument& argument : arguments_) result.push_back(argument.data());
  return result;
}

std::string Data::damage() const {
  const auto is_intact = [](std::byte b) { return b == kCanary; };
  for (const Argument& argument : arguments_) {
    const std::byte *data = argument.data(), *end = data + argument.bytes;
    if (!std::all_of(data - kGuardBytes, data, is_intact)) return "memory before " + argument.name + " was written";
    if (!std::all_of(end, end + kGuardBytes, is_intact)) return "memory behind " + argument.name + " was written";
    if (!argument.original.empty() && std::memcmp(data, argument.original.data(), argument.bytes) != 0)
      return "input " + argument.name + " was written";
  }
  return {};
}

std::string Data::difference(const Data& expected) const {
  for (std::size_t n = 0; n < arguments_.size(); ++n) {
    if (arguments_[n].role != ir::Role::kOutput) continue;
    const Argument &a = arguments_[n], &b = expected.arguments_[n];
    if (std::memcmp(a.data(), b.data(), a.bytes) == 0) continue;
    const std::size_t size = static_cast<std::size_t>(a.type.bytes());
    for (std::size_t at = 0; at < a.bytes; at += size) {
      if (std::memcmp(a.data() + at, b.data() + at, size) == 0) continue;
      const ir::Scalar is = ir::read_element(a.type, a.data() + at), should = ir::read_element(b.type, b.data() + at);
      if (a.type.is_float() && is.f == 0 && should.f == 0) continue;
      const auto text = [&](const ir::Scalar& s) {
        return a.type.is_float() ? std::to_string(s.f) : std::to_string(s.i);
      };
      return "element " + std::to_string(at / size) + " of " + a.name + " is " + text(is) + " instead of " +
             text(should);
    }
  }
  return {};
}

std::int64_t count_steps(const ir::Program& program, const std::vector<Symbol>& symbols) {
  ir::Ranges ranges;
  for (const Symbol& symbol : symbols) ranges.bind(symbol.var, ir::Interval{symbol.value, symbol.value});
  Counter counter(program, ranges);
  return counter.count(program.preparation) + counter.count(program.host);
}

}  // namespace nestwright::property
