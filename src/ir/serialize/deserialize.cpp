#include <algorithm>
#include <bit>
#include <span>

#include "ir/core/fields.h"
#include "ir/core/make_node.h"
#include "ir/serialize/format.h"
#include "ir/serialize/serialize.h"
#include "nestwright/error.h"

namespace nestwright::ir {
namespace {

[[noreturn]] void malformed(const std::string& what) { throw UsageError("malformed program: " + what); }

/// The depth of a node, and the size of the tree that it unfolds to, in which a shared node counts each time. A program
/// beyond the format's limits is refused, because walks recurse.
struct Reach {
  std::uint32_t depth = 0;
  std::uint64_t unfolded = 0;

  void cover(const Reach& child) {
    depth = std::max(depth, child.depth);
    unfolded += child.unfolded;
  }
};

/// Nodes of one kind, in the order of their records.
template <class T>
struct Table {
  const char* kind;
  std::vector<T> nodes;
  std::vector<Reach> reach;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  Program read() {
    if (bytes_.substr(0, format::kMagic.size()) != format::kMagic)
      malformed("it does not start with \"NWIR\"; it was not written by serialize()");
    at_ = format::kMagic.size();
    if (const int version = byte(); version != format::kVersion)
      malformed("it has version " + std::to_string(version) + ", this reader knows version " +
                std::to_string(format::kVersion) + "; serialise it again with the same build");
    const std::uint64_t records = count("records");
    for (std::uint64_t i = 0; i < records; ++i) record();

    Program program;
    program.name = text();
    const std::uint64_t parameters = count("parameters");
    for (std::uint64_t i = 0; i < parameters; ++i) {
      Buffer buffer = ref(buffers_);
      const Role role = enumerator<Role>();
      const int in_place_of = small_number(parameters, "the input of an output") - 1;
      const bool is_constant = small_number(1, "constant or not") == 1;
      Parameter& parameter = program.parameters.emplace_back(std::move(buffer), role, in_place_of, is_constant);
      if (small_number(1, "passed in another shape or not") == 0) continue;
      parameter.shape.emplace(count("extents"));
      for (std::int64_t& extent : *parameter.shape) extent = signed_number();
    }
    program.symbols = refs(vars_);
    const std::uint64_t requirements = count("requirements");
    for (std::uint64_t i = 0; i < requirements; ++i) {
      Expr slack = ref(exprs_);
      program.requirements.push_back({std::move(slack), text()});
    }
    program.workspace.shared_bytes = signed_number();
    program.workspace.per_thread_bytes = signed_number();
    program.workspace.symbolic_shared_bytes = optional_ref(exprs_);
    program.workspace.symbolic_per_thread_bytes = optional_ref(exprs_);
    program.preparation = optional_ref(stmts_);
    program.host = optional_ref(stmts_);
    const std::uint64_t kernels = count("kernels");
    for (std::uint64_t i = 0; i < kernels; ++i) {
      std::string name = text();
      program.kernels.push_back({std::move(name), optional_ref(stmts_)});
    }
    if (at_ != bytes_.size()) malformed(std::to_string(bytes_.size() - at_) + " bytes follow its end");
    if (launches_ > program.kernels.size())
      malformed("it launches kernel " + std::to_string(launches_ - 1) + " of " +
                std::to_string(program.kernels.size()));
    return program;
  }

 private:
  std::uint8_t byte() {
    if (at_ >= bytes_.size()) malformed("it is truncated after " + std::to_string(bytes_.size()) + " bytes");
    return static_cast<std::uint8_t>(bytes_[at_++]);
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint8_t b = byte();
      if (shift == 63 && b > 1) break;
      value |= static_cast<std::uint64_t>(b & 0x7f) << shift;
      if (b < 0x80) return value;
    }
    malformed("a number before byte " + std::to_string(at_) + " has more than 64 bits");
  }
  std::int64_t signed_number() {
    const std::uint64_t value = number();
    return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
  }
  int small_number(std::uint64_t most, const char* what) {
    const std::uint64_t value = number();
    if (value > most) malformed(std::string(what) + " " + std::to_string(value) + " is above " + std::to_string(most));
    return static_cast<int>(value);
  }
  /// The length of a list that follows. Each element takes at least one byte, so a hostile length cannot cause a large
  /// allocation.
  std::uint64_t count(const char* what) {
    const std::uint64_t value = number();
    if (value > bytes_.size() - at_)
      malformed(std::to_string(value) + " " + what + " are announced where " + std::to_string(bytes_.size() - at_) +
                " bytes are left");
    return value;
  }
  double real() {
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits |= static_cast<std::uint64_t>(byte()) << (8 * i);
    return std::bit_cast<double>(bits);
  }
  std::string text() {
    const std::uint64_t size = count("characters");
    std::string value(bytes_.substr(at_, size));
    at_ += size;
    return value;
  }
  std::uint8_t at_most(std::uint8_t last) {
    const std::uint8_t value = byte();
    if (value > last) malformed("unknown enumerator " + std::to_string(value) + " at byte " + std::to_string(at_ - 1));
    return value;
  }
  template <class E>
  E enumerator() {
    return static_cast<E>(at_most(static_cast<std::uint8_t>(last_of(E{}))));
  }
  int lanes() {
    const int value = small_number(65535, "a number of lanes");
    if (value == 0) malformed("a type has no lanes");
    return value;
  }
  Type type() {
    Type t;
    t.code = enumerator<TypeCode>();
    t.bits = byte();
    t.lanes = static_cast<std::uint16_t>(lanes());
    const std::span<const Type> types = element_types();
    const bool known = std::find(types.begin(), types.end(), t.element()) != types.end();
    if (!known) malformed("unknown element type of " + std::to_string(t.bits) + " bits");
    return t;
  }

  /// The node of a reference, whose reach counts for the record being read. Undefined where `optional` holds and the
  /// reference is 0.
  template <class T>
  T ref(Table<T>& table, bool optional = false) {
    const std::uint64_t distance = number();
    if (distance == 0 && optional) return T();
    if (distance == 0) malformed(std::string("a reference to ") + table.kind + " is missing");
    if (distance > table.nodes.size())
      malformed(std::string("a dangling reference to ") + table.kind + " before byte " + std::to_string(at_));
    const std::size_t index = table.nodes.size() - distance;
    reach_.cover(table.reach[index]);
    return table.nodes[index];
  }
  template <class T>
  T optional_ref(Table<T>& table) {
    return ref(table, true);
  }
  template <class T>
  std::vector<T> refs(Table<T>& table) {
    std::vector<T> values(count("references"));
    for (T& value : values) value = ref(table);
    return values;
  }
  template <class T>
  void add(Table<T>& table, T node) {
    ++reach_.depth;
    ++reach_.unfolded;
    if (reach_.depth > format::kMaxDepth || reach_.unfolded > format::kMaxUnfolded)
      malformed("it is nested too deep or shares too much, at byte " + std::to_string(at_));
    table.nodes.push_back(std::move(node));
    table.reach.push_back(reach_);
  }

  void record() {
    reach_ = {};
    const std::uint8_t tag = at_most(format::kLastTag);
    if (tag == format::kVarTag) {
      std::string name = text();
      add(vars_, Var(std::move(name), type()));
    } else if (tag == format::kBufferTag) {
      add(buffers_, buffer());
    } else if (tag < format::kFirstStmtTag) {
      Expr e = read_alternative<Expr, decltype(ExprNode::value)>(tag - format::kFirstExprTag);
      if (!e.defined()) malformed("an expression without a value");
      add(exprs_, std::move(e));
    } else {
      Stmt s = read_alternative<Stmt, decltype(StmtNode::value)>(tag - format::kFirstStmtTag);
      if (!s.defined()) malformed("a statement without effect");
      add(stmts_, std::move(s));
    }
  }

  Buffer buffer() {
    std::string name = text();
    const Type element = type();
    const auto scope = enumerator<Scope>();
    const int alignment = small_number(1 << 30, "an alignment");
    std::vector<Expr> shape = refs(exprs_);
    std::vector<Expr> strides = refs(exprs_);
    return Buffer(std::move(name), element, std::move(shape), scope, std::move(strides), alignment);
  }

  /// Reads the node that is alternative `index` of Variant.
  template <class Handle, class Variant, std::size_t I = 0>
  Handle read_alternative(std::size_t index) {
    if constexpr (I == std::variant_size_v<Variant>) {
      malformed("an unknown node");
    } else {
      if (index != I) return read_alternative<Handle, Variant, I + 1>(index);
      return read_node(std::variant_alternative_t<I, Variant>{});
    }
  }

  template <class Node>
  auto read_node(Node node) {
    Type t;
    if constexpr (kHasOwnType<Node>) t = type();
    for_each_field<Node>([&](const auto& field) { read_field(field, node.*member_of(field)); });
    if constexpr (std::same_as<Node, Launch>) {
      launches_ = std::max<std::size_t>(launches_, static_cast<std::size_t>(node.kernel) + 1);
    }
    if constexpr (requires { make_node(std::move(node)); }) {
      return make_node(std::move(node));
    } else {
      Expr made = make_node(std::move(node), t);
      if (kHasOwnType<Node> && made.type() != t) malformed(t.str() + " is not the type of its operands");
      return made;
    }
  }
  Expr read_node(Reduce) { malformed("a reduction, which only an expression before lowering has"); }

  template <class M>
  void read_field(const Spelling<M>&, double&) {}
  template <class M>
  void read_field(const AtMost<M>& field, int& value) {
    value = small_number(static_cast<std::uint64_t>(field.max), field.what);
  }
  template <class M, class T>
  void read_field(const Optional<M>&, T& value) {
    value = optional_ref(table_of(value));
  }
  template <class Field, class T>
  void read_field(const Field&, T& value) {
    if constexpr (OneOf<T, Var, Buffer, Expr, Stmt>) {
      value = ref(table_of(value));
    } else if constexpr (std::is_enum_v<T>) {
      value = enumerator<T>();
    } else {
      read_value(value);
    }
  }
  template <class T>
  void read_value(std::vector<T>& values) {
    if constexpr (kHasParts<std::vector<T>>) {
      const std::uint64_t parts = count("parts of a node");
      for (std::uint64_t i = 0; i < parts; ++i) {
        T& part = values.emplace_back();
        for_each_field<T>([&](const auto& field) { read_field(field, part.*member_of(field)); });
      }
    } else {
      values = refs(table_of(T()));
    }
  }
  void read_value(bool& value) { value = byte() != 0; }
  void read_value(std::int64_t& value) { value = signed_number(); }
  void read_value(double& value) { value = real(); }
  void read_value(Type& value) { value = type(); }
  void read_value(std::string& value) { value = text(); }

  Table<Var>& table_of(const Var&) { return vars_; }
  Table<Buffer>& table_of(const Buffer&) { return buffers_; }
  Table<Expr>& table_of(const Expr&) { return exprs_; }
  Table<Stmt>& table_of(const Stmt&) { return stmts_; }

  std::string_view bytes_;
  std::size_t at_ = 0;
  std::size_t launches_ = 0;  ///< the highest kernel launched, plus one
  Reach reach_;               ///< the reach of the record being read
  Table<Var> vars_{"a variable", {}, {}};
  Table<Buffer> buffers_{"a buffer", {}, {}};
  Table<Expr> exprs_{"an expression", {}, {}};
  Table<Stmt> stmts_{"a statement", {}, {}};
};

}  // namespace

Program deserialize(std::string_view bytes) {
  try {
    return Reader(bytes).read();
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {  // the make functions check types: a failure means malformed bytes here, not a bug
    malformed(error.what());
  }
}

}  // namespace nestwright::ir
