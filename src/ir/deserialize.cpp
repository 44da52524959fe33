#include <algorithm>
#include <bit>

#include "ir/serialize.h"
#include "ir/serialize_format.h"
#include "support/error.h"

namespace nestwright::ir {
namespace {

using format::Tag;

[[noreturn]] void malformed(const std::string& what) { throw UsageError("malformed program: " + what); }

/// How far a node reaches: refused beyond the limits of the format, whose walkers recurse.
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
      const Role role = enumerator<Role>(Role::kPrepared);
      const int in_place_of = small_number(parameters, "the input of an output") - 1;
      program.parameters.push_back({std::move(buffer), role, in_place_of, small_number(1, "constant or not") == 1});
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
  /// A number of things that follow; each takes a byte at least, so a hostile number cannot make us allocate.
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
  template <class E>
  E enumerator(E last) {
    const std::uint8_t value = byte();
    if (value > static_cast<std::uint8_t>(last))
      malformed("unknown enumerator " + std::to_string(value) + " at byte " + std::to_string(at_ - 1));
    return static_cast<E>(value);
  }
  bool flag() { return byte() != 0; }
  int lanes() {
    const int value = small_number(65535, "a number of lanes");
    if (value == 0) malformed("a type has no lanes");
    return value;
  }
  Type type() {
    Type t;
    t.code = enumerator<TypeCode>(TypeCode::kBool);
    t.bits = byte();
    t.lanes = static_cast<std::uint16_t>(lanes());
    bool known = false;
    switch (t.code) {
      case TypeCode::kInt:
      case TypeCode::kUInt:
        known = t.bits == 8 || t.bits == 16 || t.bits == 32 || t.bits == 64;
        break;
      case TypeCode::kFloat:
        known = t.bits == 16 || t.bits == 32 || t.bits == 64;
        break;
      case TypeCode::kBFloat:
        known = t.bits == 16;
        break;
      case TypeCode::kBool:
        known = t.bits == 1;
        break;
    }
    if (!known) malformed("unknown element type of " + std::to_string(t.bits) + " bits");
    return t;
  }

  /// The node referred to, charged to the record being read. Absent where `optional` holds and the reference is 0.
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
    const Tag tag = enumerator<Tag>(Tag::kLaunch);
    if (tag == Tag::kVar) {
      std::string name = text();
      add(vars_, Var(std::move(name), type()));
    } else if (tag == Tag::kBuffer) {
      add(buffers_, buffer());
    } else if (tag < Tag::kFor) {
      Expr e = expr(tag);
      if (!e.defined()) malformed("an expression without a value");
      add(exprs_, std::move(e));
    } else {
      Stmt s = stmt(tag);
      if (!s.defined()) malformed("a statement without effect");
      add(stmts_, std::move(s));
    }
  }

  Buffer buffer() {
    std::string name = text();
    const Type element = type();
    const auto scope = enumerator<Scope>(Scope::kFragment);
    const int alignment = small_number(1 << 30, "an alignment");
    std::vector<Expr> shape = refs(exprs_);
    std::vector<Expr> strides = refs(exprs_);
    return Buffer(std::move(name), element, std::move(shape), scope, std::move(strides), alignment);
  }

  Expr expr(Tag tag) {
    switch (tag) {
      case Tag::kIntImm: {
        const Type t = type();
        if (t.is_float()) malformed("an integer literal of a floating-point type");
        return make_int(signed_number(), t);
      }
      case Tag::kFloatImm: {
        const Type t = type();
        if (!t.is_float()) malformed("a floating-point literal of an integer type");
        return make_float(real(), t);
      }
      case Tag::kVarRef:
        return Expr(ref(vars_));
      case Tag::kBinary: {
        const auto op = enumerator<BinaryOp>(BinaryOp::kOr);
        Expr a = ref(exprs_), b = ref(exprs_);
        return make_binary(op, std::move(a), std::move(b));
      }
      case Tag::kNot:
        return make_not(ref(exprs_));
      case Tag::kSelect: {
        Expr condition = ref(exprs_), if_true = ref(exprs_), if_false = ref(exprs_);
        return make_select(std::move(condition), std::move(if_true), std::move(if_false));
      }
      case Tag::kCast: {
        const Type t = type();
        return make_cast(t, ref(exprs_));
      }
      case Tag::kLoad: {
        Buffer buffer = ref(buffers_);
        std::vector<Expr> indices = refs(exprs_);
        return make_load(std::move(buffer), std::move(indices), optional_ref(exprs_));
      }
      case Tag::kRamp: {
        Expr base = ref(exprs_), stride = ref(exprs_);
        return make_ramp(std::move(base), std::move(stride), lanes());
      }
      case Tag::kBroadcast: {
        Expr value = ref(exprs_);
        return make_broadcast(std::move(value), lanes());
      }
      case Tag::kCall: {
        const auto intrinsic = enumerator<Intrinsic>(Intrinsic::kRoundTf32);
        const Type t = type();
        return make_call(intrinsic, refs(exprs_), t);
      }
      default:
        malformed("an unknown expression");
    }
  }

  Stmt stmt(Tag tag) {
    switch (tag) {
      case Tag::kFor: {
        Var var = ref(vars_);
        Expr min = ref(exprs_), extent = ref(exprs_);
        const auto kind = enumerator<LoopKind>(LoopKind::kVirtualThread);
        return make_for(std::move(var), std::move(min), std::move(extent), kind, ref(stmts_));
      }
      case Tag::kBlock:
        return block(refs(stmts_));
      case Tag::kLet: {
        Var var = ref(vars_);
        Expr value = ref(exprs_);
        return make_let(std::move(var), std::move(value), ref(stmts_));
      }
      case Tag::kIfThenElse: {
        Expr condition = ref(exprs_);
        Stmt then_case = optional_ref(stmts_), else_case = optional_ref(stmts_);
        return make_if(std::move(condition), std::move(then_case), std::move(else_case));
      }
      case Tag::kStore: {
        Buffer buffer = ref(buffers_);
        std::vector<Expr> indices = refs(exprs_);
        Expr value = ref(exprs_), mask = optional_ref(exprs_);
        const bool streams = flag();
        return make_store(std::move(buffer), std::move(indices), std::move(value), std::move(mask), streams);
      }
      case Tag::kAllocate: {
        Buffer buffer = ref(buffers_);
        Stmt body = ref(stmts_);
        const std::int64_t offset = signed_number();
        const bool per_thread = flag();
        return make_allocate(std::move(buffer), std::move(body), offset, per_thread, optional_ref(exprs_));
      }
      case Tag::kPrefetch: {
        Buffer buffer = ref(buffers_);
        std::vector<Expr> indices = refs(exprs_);
        const bool for_write = flag();
        return make_prefetch(std::move(buffer), std::move(indices), for_write, small_number(3, "a prefetch locality"));
      }
      case Tag::kCommitCopies:
        return make_commit_copies(small_number(kMaxPendingGroups, "a number of groups of copies"));
      case Tag::kBarrier:
        return make_barrier(small_number(kMaxPendingGroups, "a number of groups of copies"));
      case Tag::kLaunch: {
        const int kernel = small_number(1 << 20, "a kernel number");
        launches_ = std::max<std::size_t>(launches_, static_cast<std::size_t>(kernel) + 1);
        return make_launch(kernel);
      }
      default:
        malformed("an unknown statement");
    }
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  std::size_t launches_ = 0;  ///< the highest kernel launched, plus one
  Reach reach_;               ///< of the record being read
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
  } catch (const Error& error) {  // the node makers check types: what they refuse is malformed here, not a bug of ours
    malformed(error.what());
  }
}

}  // namespace nestwright::ir
