#include "ir/serialize.h"

#include <bit>
#include <unordered_map>

#include "ir/serialize_format.h"
#include "support/error.h"

namespace nestwright::ir {
namespace {

using format::Tag;

/// Numbers of one kind of node, by identity, in order of first use.
class Table {
 public:
  /// The node's reference, or 0 where it has not been defined yet.
  std::uint64_t find(const void* node) const {
    const auto it = numbers_.find(node);
    return it == numbers_.end() ? 0 : numbers_.size() - it->second;
  }
  void add(const void* node) { numbers_.emplace(node, numbers_.size()); }

 private:
  std::unordered_map<const void*, std::size_t> numbers_;
};

class Writer {
 public:
  std::string write(const Program& program) {
    for (const Parameter& parameter : program.parameters) define(parameter.buffer);
    for (const Var& symbol : program.symbols) define(symbol);
    for (const Requirement& requirement : program.requirements) define(requirement.slack);
    define(program.workspace.symbolic_shared_bytes);
    define(program.workspace.symbolic_per_thread_bytes);
    define(program.preparation);
    define(program.host);
    for (const Kernel& kernel : program.kernels) define(kernel.body);

    std::string records = std::move(out_);
    out_ = format::kMagic;
    byte(format::kVersion);
    number(records_);
    out_ += records;

    text(program.name);
    number(program.parameters.size());
    for (const Parameter& parameter : program.parameters) {
      ref(parameter.buffer);
      byte(static_cast<std::uint8_t>(parameter.role));
      number(static_cast<std::uint64_t>(parameter.in_place_of + 1));
      byte(parameter.is_constant ? 1 : 0);
    }
    number(program.symbols.size());
    for (const Var& symbol : program.symbols) ref(symbol);
    number(program.requirements.size());
    for (const Requirement& requirement : program.requirements) {
      ref(requirement.slack);
      text(requirement.why);
    }
    signed_number(program.workspace.shared_bytes);
    signed_number(program.workspace.per_thread_bytes);
    ref(program.workspace.symbolic_shared_bytes);
    ref(program.workspace.symbolic_per_thread_bytes);
    ref(program.preparation);
    ref(program.host);
    number(program.kernels.size());
    for (const Kernel& kernel : program.kernels) {
      text(kernel.name);
      ref(kernel.body);
    }
    return std::move(out_);
  }

 private:
  /// Counts the nesting of define(), which the reader refuses beyond the same limit.
  struct Deeper {
    explicit Deeper(std::uint32_t& depth) : depth_(depth) {
      if (++depth_ > format::kMaxDepth)
        throw UsageError("the program is nested deeper than " + std::to_string(format::kMaxDepth) +
                         " nodes and cannot be serialised; unroll less or split the expression");
    }
    ~Deeper() { --depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    std::uint32_t& depth_;
  };

  void byte(std::uint8_t value) { out_.push_back(static_cast<char>(value)); }
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) byte(static_cast<std::uint8_t>(value | 0x80));
    byte(static_cast<std::uint8_t>(value));
  }
  void signed_number(std::int64_t value) {
    number((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
  }
  void real(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int i = 0; i < 8; ++i) byte(static_cast<std::uint8_t>(bits >> (8 * i)));
  }
  void text(const std::string& value) {
    number(value.size());
    out_ += value;
  }
  void type(Type value) {
    byte(static_cast<std::uint8_t>(value.code));
    byte(value.bits);
    number(value.lanes);
  }
  void tag(Tag value) {
    byte(static_cast<std::uint8_t>(value));
    ++records_;
  }

  void ref(const Var& var) { number(vars_.find(var.id())); }
  void ref(const Buffer& buffer) { number(buffers_.find(buffer.operator->())); }
  void ref(const Expr& e) { number(e.defined() ? exprs_.find(&e.node()) : 0); }
  void ref(const Stmt& s) { number(s.defined() ? stmts_.find(&s.node()) : 0); }
  template <class T>
  void refs(const std::vector<T>& values) {
    number(values.size());
    for (const T& value : values) ref(value);
  }
  template <class T>
  void define_all(const std::vector<T>& values) {
    for (const T& value : values) define(value);
  }

  void define(const Var& var) {
    check(var.defined(), "an undefined variable cannot be serialised");
    if (vars_.find(var.id()) != 0) return;
    tag(Tag::kVar);
    text(var.name());
    type(var.type());
    vars_.add(var.id());
  }

  void define(const Buffer& buffer) {
    check(buffer.defined(), "an undefined buffer cannot be serialised");
    if (buffers_.find(buffer.operator->()) != 0) return;
    const Deeper deeper(depth_);
    define_all(buffer->shape);
    define_all(buffer->strides);
    tag(Tag::kBuffer);
    text(buffer->name);
    type(buffer->element);
    byte(static_cast<std::uint8_t>(buffer->scope));
    number(static_cast<std::uint64_t>(buffer->alignment));
    refs(buffer->shape);
    refs(buffer->strides);
    buffers_.add(buffer.operator->());
  }

  void define(const Expr& e) {
    if (!e.defined() || exprs_.find(&e.node()) != 0) return;
    const Deeper deeper(depth_);
    std::visit([&](const auto& value) { write(value, e.type()); }, e.node().value);
    exprs_.add(&e.node());
  }

  void define(const Stmt& s) {
    if (!s.defined() || stmts_.find(&s.node()) != 0) return;
    const Deeper deeper(depth_);
    std::visit([&](const auto& value) { write(value); }, s.node().value);
    stmts_.add(&s.node());
  }

  // Each writes the definitions that its node needs, then the node's own record.

  void write(const IntImm& value, Type t) {
    tag(Tag::kIntImm);
    type(t);
    signed_number(value.value);
  }
  void write(const FloatImm& value, Type t) {
    tag(Tag::kFloatImm);
    type(t);
    real(value.value);
  }
  void write(const VarRef& value, Type) {
    define(value.var);
    tag(Tag::kVarRef);
    ref(value.var);
  }
  void write(const Binary& value, Type) {
    define(value.a);
    define(value.b);
    tag(Tag::kBinary);
    byte(static_cast<std::uint8_t>(value.op));
    ref(value.a);
    ref(value.b);
  }
  void write(const Not& value, Type) {
    define(value.a);
    tag(Tag::kNot);
    ref(value.a);
  }
  void write(const Select& value, Type) {
    define(value.condition);
    define(value.if_true);
    define(value.if_false);
    tag(Tag::kSelect);
    ref(value.condition);
    ref(value.if_true);
    ref(value.if_false);
  }
  void write(const Cast& value, Type t) {
    define(value.value);
    tag(Tag::kCast);
    type(t);
    ref(value.value);
  }
  void write(const Load& value, Type) {
    define(value.buffer);
    define_all(value.indices);
    define(value.mask);
    tag(Tag::kLoad);
    ref(value.buffer);
    refs(value.indices);
    ref(value.mask);
  }
  void write(const Ramp& value, Type t) {
    define(value.base);
    define(value.stride);
    tag(Tag::kRamp);
    ref(value.base);
    ref(value.stride);
    number(t.lanes);
  }
  void write(const Broadcast& value, Type t) {
    define(value.value);
    tag(Tag::kBroadcast);
    ref(value.value);
    number(t.lanes);
  }
  void write(const Call& value, Type t) {
    define_all(value.args);
    tag(Tag::kCall);
    byte(static_cast<std::uint8_t>(value.intrinsic));
    type(t);
    refs(value.args);
  }
  void write(const Reduce&, Type) {
    throw InternalError("internal error: a reduction cannot be serialised: lower the program first");
  }

  void write(const For& value) {
    define(value.var);
    define(value.min);
    define(value.extent);
    define(value.body);
    tag(Tag::kFor);
    ref(value.var);
    ref(value.min);
    ref(value.extent);
    byte(static_cast<std::uint8_t>(value.kind));
    ref(value.body);
  }
  void write(const Block& value) {
    define_all(value.stmts);
    tag(Tag::kBlock);
    refs(value.stmts);
  }
  void write(const Let& value) {
    define(value.var);
    define(value.value);
    define(value.body);
    tag(Tag::kLet);
    ref(value.var);
    ref(value.value);
    ref(value.body);
  }
  void write(const IfThenElse& value) {
    define(value.condition);
    define(value.then_case);
    define(value.else_case);
    tag(Tag::kIfThenElse);
    ref(value.condition);
    ref(value.then_case);
    ref(value.else_case);
  }
  void write(const Store& value) {
    define(value.buffer);
    define_all(value.indices);
    define(value.value);
    define(value.mask);
    tag(Tag::kStore);
    ref(value.buffer);
    refs(value.indices);
    ref(value.value);
    ref(value.mask);
    byte(value.streams ? 1 : 0);
  }
  void write(const Allocate& value) {
    define(value.buffer);
    define(value.body);
    define(value.symbolic_offset);
    tag(Tag::kAllocate);
    ref(value.buffer);
    ref(value.body);
    signed_number(value.offset);
    byte(value.per_thread ? 1 : 0);
    ref(value.symbolic_offset);
  }
  void write(const Prefetch& value) {
    define(value.buffer);
    define_all(value.indices);
    tag(Tag::kPrefetch);
    ref(value.buffer);
    refs(value.indices);
    byte(value.for_write ? 1 : 0);
    number(static_cast<std::uint64_t>(value.locality));
  }
  void write(const CommitCopies& value) {
    tag(Tag::kCommitCopies);
    number(static_cast<std::uint64_t>(value.pending));
  }
  void write(const Barrier& value) {
    tag(Tag::kBarrier);
    number(static_cast<std::uint64_t>(value.pending));
  }
  void write(const Launch& value) {
    tag(Tag::kLaunch);
    number(static_cast<std::uint64_t>(value.kernel));
  }

  std::string out_;
  std::uint64_t records_ = 0;
  std::uint32_t depth_ = 0;
  Table vars_, buffers_, exprs_, stmts_;
};

}  // namespace

std::string serialize(const Program& program) { return Writer().write(program); }

}  // namespace nestwright::ir
