#include "codegen/source/statement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "ir/analysis/interval.h"
#include "ir/simplify/vector_access.h"
#include "ir/traversal/equal.h"
#include "ir/traversal/linear.h"
#include "ir/traversal/rewrite.h"
#include "nestwright/error.h"

namespace nestwright::codegen {

using namespace ir;

void StatementWriter::line(const std::string& text, int depth) {
  out_.append(static_cast<std::size_t>(depth) * 2, ' ');
  out_ += text + "\n";
}

void StatementWriter::write(const Stmt& s, int depth) {
  if (!s.defined()) return;
  std::visit(overloaded{[&](const For& n) { write_loop(n, depth); },
                        [&](const Block& n) {
                          for (const Stmt& child : n.stmts) write(child, depth);
                        },
                        [&](const Let& n) { write_let(n, depth); }, [&](const IfThenElse& n) { write_if(n, depth); },
                        [&](const Store& n) { n.asynchronous ? write_copy(n, depth) : write_store(n, depth); },
                        [&](const Allocate& n) {
                          // Shared arrays are declared at the top of the kernel.
                          if (n.buffer->scope != Scope::kShared) write_array(n, depth);
                          write(n.body, depth);
                        },
                        [](const Prefetch&) {},  // GPUs hide latency by other threads
                        [&](const CommitCopies&) {
                          if (copies_asynchronously_) line(dialect_.commit_copies(), depth);
                        },
                        [&](const Barrier& n) {
                          if (copies_asynchronously_) line(dialect_.wait_for_copies(n.pending), depth);
                          if (multiplies_by_warpgroups_) line(dialect_.proxy_fence(), depth);
                          line(dialect_.barrier(), depth);
                        },
                        [&](const TensorInstruction& n) { write_instruction(n, depth); },
                        [](const Launch&) { throw InternalError("internal error: a kernel launches a kernel"); }},
             s.node().value);
}

void StatementWriter::write_loop(const For& loop, int depth) {
  if (loop.kind != LoopKind::kSerial && loop.kind != LoopKind::kUnrolled) {
    throw InternalError(
        fmt::format("internal error: a {} loop over {} inside a kernel", loop_kind_name(loop.kind), loop.var.name()));
  }
  const Text first = expressions_.value(loop.min), end = expressions_.value(to_linear(loop.min + loop.extent).expr());
  expressions_.ranges().bind(loop.var, loop.min, loop.extent);
  const Interval values = expressions_.ranges().find(loop.var);
  // The variable ends one above its last value.
  const bool wide = !within(add(values, {0, 1}), type_range(kInt32));
  const std::string& name = names_.of(loop.var.id(), loop.var.name());
  expressions_.bind(loop.var, {name, wide});
  if (loop.kind == LoopKind::kUnrolled) line("#pragma unroll", depth);
  line(fmt::format("for ({0} {1} = {2}; {1} < {3}; ++{1}) {{", dialect_.integer_type(wide ? kInt64 : kInt32), name,
                   first.text, end.in(Precedence::kSum)),
       depth);
  write(loop.body, depth + 1);
  line("}", depth);
}

void StatementWriter::write_instruction(const TensorInstruction& instruction, int depth) {
  std::vector<std::string> arguments;
  for (const Operand& operand : instruction.operands) {
    const std::string text = expressions_.value(operand.at).text;
    arguments.push_back(operand.buffer.defined() ? fmt::format("&{}[{}]", expressions_.name(operand.buffer), text)
                                                 : text);
  }
  line(fmt::format("{}({});", prelude_.tensor_function(instruction), fmt::join(arguments, ", ")), depth);
}

void StatementWriter::declare(const Var& var, const Expr& value, const std::string& name, int depth) {
  const Text text = expressions_.value(value);
  const char* type = dialect_.value_type(value.type() == kInt64 && !text.wide ? kInt32 : value.type());
  line(fmt::format("const {} {} = {};", type, name, text.text), depth);
  expressions_.bind(var, {name, text.wide});
}

void StatementWriter::write_let(const Let& let, int depth) {
  if (let.var.type().is_scalar()) {
    declare(let.var, let.value, names_.of(let.var.id(), let.var.name()), depth);
    if (let.var.type() == kIndex) expressions_.ranges().bind(let.var, let.value, Expr(1));
    return write(let.body, depth);
  }
  const std::vector<HeldLoad> held = load_vectors({let.value}, depth);
  std::vector<Var> lanes;
  for (int lane = 0; lane < let.var.type().lanes; ++lane) {
    lanes.emplace_back(fmt::format("{}_{}", let.var.name(), lane), let.var.type().element());
    declare(lanes.back(), at_lane(let.value, lane, lane_vars_, held), names_.fresh(lanes.back().name()), depth);
  }
  lane_vars_[let.var] = std::move(lanes);
  write(let.body, depth);
}

void StatementWriter::write_if(const IfThenElse& choice, int depth) {
  if (!choice.condition.type().is_scalar())
    throw InternalError("internal error: a branch of a kernel differs in lanes");
  line(fmt::format("if ({}) {{", expressions_.value(choice.condition).text), depth);
  const Ranges outside = expressions_.ranges();
  expressions_.ranges().assume(choice.condition);
  write(choice.then_case, depth + 1);
  expressions_.ranges() = outside;
  if (choice.else_case.defined()) {
    line("} else {", depth);
    expressions_.ranges().assume_not(choice.condition);
    write(choice.else_case, depth + 1);
    expressions_.ranges() = outside;
  }
  line("}", depth);
}

void StatementWriter::write_array(const Allocate& allocation, int depth) {
  const Buffer& buffer = allocation.buffer;
  if (buffer->scope == Scope::kFragment) {
    return line(fmt::format("{} {}[{}];", dialect_.value_type(expressions_.fragments().register_type(buffer)),
                            expressions_.name(buffer), expressions_.fragments().registers(buffer)),
                depth);
  }
  if (buffer->scope != Scope::kLocal && buffer->scope != Scope::kRegister) {
    throw CompileError(
        fmt::format("buffer {} is kept in {} scope, which a device's kernel does not have: keep it in local or "
                    "shared scope",
                    buffer->name, scope_name(buffer->scope)));
  }
  const bool constant = std::all_of(buffer->shape.begin(), buffer->shape.end(),
                                    [](const Expr& extent) { return as_const_int(extent) != nullptr; });
  if (!constant) {
    throw CompileError(
        fmt::format("local buffer {} has no constant size: split the loops that it is computed for by a "
                    "constant factor",
                    buffer->name));
  }
  line(fmt::format("{} {}[{}];", dialect_.memory_type(buffer->element), expressions_.name(buffer),
                   std::max<std::int64_t>(buffer->elements(), 1)),
       depth);
}

void StatementWriter::write_store(const Store& store, int depth) {
  const int lanes = lanes_of(store.indices);
  if (lanes > 1) return write_vector_store(store, lanes, depth);
  std::string text = expressions_.element(store.buffer, store.indices);
  const std::string value = expressions_.stored(store.value);
  text = store.non_temporal && store.buffer->scope == Scope::kGlobal ? dialect_.non_temporal_store(text, value)
                                                                     : fmt::format("{} = {};", text, value);
  if (store.mask.defined()) text = fmt::format("if ({}) {}", expressions_.value(store.mask).text, text);
  line(text, depth);
}

void StatementWriter::write_copy(const Store& store, int depth) {
  const Load& load = *store.value.as<Load>();
  const int bytes = lanes_of(store.indices) * store.buffer->element.bytes();
  const auto first = [&](const Buffer& buffer, const std::vector<Expr>& indices) {
    return expressions_.element(buffer, at_lane(indices, 0));
  };
  line(fmt::format("{}(&{}, &{}, {});", prelude_.copy(bytes), first(store.buffer, store.indices),
                   first(load.buffer, load.indices),
                   load.mask.defined() ? expressions_.value(common_mask(load.mask)).text : "true"),
       depth);
}

std::string StatementWriter::vector_place(const Buffer& buffer, const std::vector<Expr>& indices, bool is_const) {
  const int lanes = lanes_of(indices);
  // Elements of private buffers are registers.
  if (buffer->scope != Scope::kGlobal && buffer->scope != Scope::kShared) return {};
  const std::string type = dialect_.vector_type(buffer->element, lanes);
  if (type.empty() || !is_one_access(buffer, indices, expressions_.ranges())) return {};
  return dialect_.vector_at(expressions_.element(buffer, at_lane(indices, 0)), type, buffer->scope, is_const);
}

std::string StatementWriter::loaded_vector(const Load& load) {
  const Expr mask = load.mask.defined() ? common_mask(load.mask) : Expr();
  if (load.mask.defined() && !mask.defined()) return {};
  const std::string place = vector_place(load.buffer, load.indices, true);
  if (place.empty() || !mask.defined()) return place;
  const Type type = load.buffer->element;
  const std::vector<std::string> zeros(static_cast<std::size_t>(lanes_of(load.indices)),
                                       expressions_.stored(make_const(0, type)));
  return fmt::format("{} ? {} : {}", expressions_.value(mask).in(Precedence::kOr), place,
                     dialect_.make_vector(type, zeros));
}

std::vector<HeldLoad> StatementWriter::load_vectors(const std::vector<Expr>& of, int depth) {
  std::vector<HeldLoad> held;
  const auto visit = [&](const Expr& e) {
    const auto* load = e.as<Load>();
    if (load == nullptr || e.lanes() == 1) return;
    if (std::any_of(held.begin(), held.end(), [&](const HeldLoad& other) { return equal(other.load, e); })) return;
    const std::string place = loaded_vector(*load);
    if (place.empty()) return;
    const std::string name = names_.fresh(load->buffer->name + "_vector");
    line(fmt::format("const {} {} = {};", dialect_.vector_type(load->buffer->element, e.lanes()), name, place), depth);
    HeldLoad& loaded = held.emplace_back(HeldLoad{e, {}});
    for (int lane = 0; lane < e.lanes(); ++lane) {
      loaded.lanes.emplace_back(name, e.type().element());
      expressions_.bind(loaded.lanes.back(),
                        {dialect_.vector_lane(name, e.type().element(), e.lanes(), lane), e.type().bits == 64, true});
    }
  };
  for (const Expr& e : of) {
    if (e.defined()) for_each_expr(e, visit);
  }
  return held;
}

void StatementWriter::write_vector_store(const Store& store, int lanes, int depth) {
  const std::string place = store.mask.defined() ? std::string() : vector_place(store.buffer, store.indices, false);
  const auto write_whole = [&](const std::string& value) {
    line(store.non_temporal && store.buffer->scope == Scope::kGlobal ? dialect_.non_temporal_store(place, value)
                                                                     : fmt::format("{} = {};", place, value),
         depth);
  };
  const auto* copied = store.value.as<Load>();
  if (!place.empty() && copied != nullptr) {
    const std::string from = loaded_vector(*copied);
    if (!from.empty()) return write_whole(from);
  }
  std::vector<Expr> read = store.indices;
  read.push_back(store.value);
  read.push_back(store.mask);
  const std::vector<HeldLoad> held = load_vectors(read, depth);
  if (place.empty()) return write_lanes(store, lanes, held, depth);
  std::vector<std::string> values;
  for (int lane = 0; lane < lanes; ++lane) {
    values.push_back(expressions_.stored(at_lane(store.value, lane, lane_vars_, held)));
  }
  write_whole(dialect_.make_vector(store.buffer->element, values));
}

/// Writes a vector store as one scalar store for each lane.
void StatementWriter::write_lanes(const Store& store, int lanes, const std::vector<HeldLoad>& held, int depth) {
  // All lanes are loaded before the first is stored.
  const bool reads_others = any_expr(store.value, [&](const Expr& e) {
    const auto* load = e.as<Load>();
    if (load == nullptr || load->buffer != store.buffer) return false;
    if (std::any_of(held.begin(), held.end(), [&](const HeldLoad& other) { return equal(other.load, e); }))
      return false;
    for (std::size_t d = 0; d < load->indices.size(); ++d) {
      if (!equal(load->indices[d], store.indices[d])) return true;
    }
    return false;
  });
  std::vector<Expr> values;
  for (int lane = 0; lane < lanes; ++lane) {
    values.push_back(at_lane(store.value, lane, lane_vars_, held));
    if (!reads_others) continue;
    const Var whole(fmt::format("{}_lane", store.buffer->name), values.back().type());
    declare(whole, values.back(), names_.fresh(whole.name()), depth);
    values.back() = whole;
  }
  for (int lane = 0; lane < lanes; ++lane) {
    write_store({store.buffer, at_lane(store.indices, lane, lane_vars_, held), values[static_cast<std::size_t>(lane)],
                 at_lane(store.mask, lane, lane_vars_, held), store.non_temporal},
                depth);
  }
}

}  // namespace nestwright::codegen
