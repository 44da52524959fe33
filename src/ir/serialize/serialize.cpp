#include "ir/serialize/serialize.h"

#include <bit>
#include <unordered_map>

#include "ir/core/fields.h"
#include "ir/serialize/format.h"
#include "nestwright/error.h"

namespace nestwright::ir {
namespace {

/// The numbers of nodes of one kind, by identity, in order of definition.
class Table {
 public:
  /// The reference to a node; 0 where it is not defined yet.
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
      byte(parameter.shape ? 1 : 0);
      if (!parameter.shape) continue;
      number(parameter.shape->size());
      for (const std::int64_t extent : *parameter.shape) signed_number(extent);
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
  /// Counts the nesting of define(), with the same limit as the reader.
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
  void tag(std::size_t value) {
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
    tag(format::kVarTag);
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
    tag(format::kBufferTag);
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
    const std::size_t tag_of_node = format::kFirstExprTag + e.node().value.index();
    std::visit([&](const auto& node) { write(node, tag_of_node, e.type()); }, e.node().value);
    exprs_.add(&e.node());
  }

  void define(const Stmt& s) {
    if (!s.defined() || stmts_.find(&s.node()) != 0) return;
    const Deeper deeper(depth_);
    const std::size_t tag_of_node = format::kFirstStmtTag + s.node().value.index();
    std::visit([&](const auto& node) { write(node, tag_of_node, {}); }, s.node().value);
    stmts_.add(&s.node());
  }

  /// Writes the definitions that the node refers to, then its own record.
  template <class Node>
  void write(const Node& node, std::size_t tag_of_node, Type t) {
    define_fields(node);
    tag(tag_of_node);
    if constexpr (kHasOwnType<Node>) type(t);
    write_fields(node);
  }
  template <class Node>
  void define_fields(const Node& node) {
    for_each_field<Node>([&](const auto& field) { define_field(field, node.*member_of(field)); });
  }
  template <class Node>
  void write_fields(const Node& node) {
    for_each_field<Node>([&](const auto& field) { write_field(field, node.*member_of(field)); });
  }
  void write(const Reduce&, std::size_t, Type) {
    throw InternalError("internal error: a reduction cannot be serialised: lower the program first");
  }

  template <class M>
  void define_field(const Optional<M>&, const Buffer& value) {
    if (value.defined()) define(value);
  }
  template <class Field, class T>
  void define_field(const Field&, const T& value) {
    if constexpr (OneOf<T, Var, Buffer, Expr, Stmt>) define(value);
  }
  template <class Field, class T>
  void define_field(const Field&, const std::vector<T>& values) {
    if constexpr (kHasParts<std::vector<T>>) {
      for (const T& part : values) define_fields(part);
    } else {
      define_all(values);
    }
  }

  template <class M, class T>
  void write_field(const Spelling<M>&, const T&) {}
  template <class Field, class T>
  void write_field(const Field&, const T& value) {
    if constexpr (OneOf<T, Var, Buffer, Expr, Stmt>) {
      ref(value);
    } else if constexpr (OneOf<T, std::vector<Expr>, std::vector<Stmt>>) {
      refs(value);
    } else if constexpr (kHasParts<T>) {
      number(value.size());
      for (const auto& part : value) write_fields(part);
    } else {
      write_value(value);
    }
  }

  void write_value(bool value) { byte(value ? 1 : 0); }
  void write_value(int value) { number(static_cast<std::uint64_t>(value)); }
  void write_value(std::int64_t value) { signed_number(value); }
  void write_value(double value) { real(value); }
  void write_value(Type value) { type(value); }
  void write_value(const std::string& value) { text(value); }
  template <class E>
    requires std::is_enum_v<E>
  void write_value(E value) {
    byte(static_cast<std::uint8_t>(value));
  }

  std::string out_;
  std::uint64_t records_ = 0;
  std::uint32_t depth_ = 0;
  Table vars_, buffers_, exprs_, stmts_;
};

}  // namespace

std::string serialize(const Program& program) { return Writer().write(program); }

}  // namespace nestwright::ir
