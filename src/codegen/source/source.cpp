#include "codegen/source/source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "codegen/source/expression.h"
#include "codegen/source/names.h"
#include "codegen/source/statement.h"
#include "ir/analysis/symbol_ranges.h"
#include "ir/gpu/launch.h"
#include "ir/gpu/swizzle.h"
#include "ir/traversal/rewrite.h"
#include "nestwright/error.h"
#include "nestwright/program.h"
#include "support/data/hash.h"

namespace nestwright::codegen {
namespace {

using namespace ir;

bool is_stored_to(const Stmt& body, const Buffer& buffer) {
  return any_stmt(body, [&](const Stmt& s) {
    const auto* store = s.as<Store>();
    return store != nullptr && store->buffer == buffer;
  });
}

/// Whether another argument of the program may share the parameter's memory.
bool may_be_shared(const Program& program, int parameter) {
  if (program.parameters[static_cast<std::size_t>(parameter)].in_place_of >= 0) return true;
  return std::any_of(program.parameters.begin(), program.parameters.end(),
                     [&](const Parameter& other) { return other.in_place_of == parameter; });
}

bool uses_float64(const Program& program) {
  const auto computes = [](const Expr& e) { return e.type().element() == kFloat64; };
  const auto stores = [](const Stmt& s) {
    const auto* store = s.as<Store>();
    return store != nullptr && store->buffer->element == kFloat64;
  };
  return std::any_of(program.kernels.begin(), program.kernels.end(), [&](const Kernel& kernel) {
    return any_expr(kernel.body, computes) || any_stmt(kernel.body, stores);
  });
}

class KernelWriter {
 public:
  KernelWriter(const Program& program, int number, const Dialect& dialect, Prelude& prelude)
      : program_(program),
        number_(number),
        kernel_(program.kernels[static_cast<std::size_t>(number)]),
        dialect_(dialect),
        fragments_(kernel_.body),
        swizzled_(swizzled_buffers(kernel_.body)),
        expressions_(dialect, prelude, names_, fragments_, swizzled_, ranges_of_host(program)),
        statements_(expressions_, prelude, names_, kernel_.body) {}

  std::string write() {
    for (const Kernel& kernel : program_.kernels) names_.fresh(kernel.name);
    const std::string head = comment() + signature();
    write_shared();
    write_indices(kernel_.body);
    statements_.write(body_, 1);
    return head + " {\n" + statements_.take() + "}\n";
  }

 private:
  std::string comment() const {
    const LaunchShape shape = launch_shape(kernel_);
    const auto text = [](const std::array<Expr, 3>& sizes) {
      std::vector<std::string> parts;
      for (const Expr& size : sizes) parts.push_back(to_string(size));
      return fmt::format("{}", fmt::join(parts, ", "));
    };
    std::string comment = fmt::format("// grid ({}), block ({})", text(shape.grid), text(shape.block));
    if (const std::int64_t bytes = shared_layout(kernel_).bytes; bytes > 0) {
      comment += fmt::format(", {} bytes of shared memory", bytes);
    }
    return comment + "\n";
  }

  std::string signature() {
    const KernelArguments arguments = kernel_arguments(program_, number_);
    std::vector<std::string> declared;
    const auto pointer = [&](const Buffer& buffer, bool alone) {
      declared.push_back(dialect_.parameter(dialect_.memory_type(buffer->element), expressions_.name(buffer),
                                            !is_stored_to(kernel_.body, buffer), alone));
    };
    for (const int p : arguments.parameters) {
      pointer(program_.parameters[static_cast<std::size_t>(p)].buffer, !may_be_shared(program_, p));
    }
    for (const Buffer& buffer : arguments.workspaces) pointer(buffer, true);
    for (const Var& scalar : arguments.scalars) {
      const std::string& name = names_.of(scalar.id(), scalar.name());
      declared.push_back(fmt::format("const {} {}", dialect_.integer_type(kInt64), name));
      expressions_.bind(scalar, {name, true});
    }
    const std::string head = dialect_.kernel_head(kernel_.name, constant_block());
    std::string line = fmt::format("{}({})", head, fmt::join(declared, ", "));
    constexpr std::size_t kLineLength = 118;
    return line.size() <= kLineLength ? line : fmt::format("{}(\n    {})", head, fmt::join(declared, ",\n    "));
  }

  std::optional<std::array<std::int64_t, 3>> constant_block() const {
    std::array<std::int64_t, 3> block{};
    const LaunchShape shape = launch_shape(kernel_);
    for (std::size_t d = 0; d < block.size(); ++d) {
      const std::int64_t* threads = as_const_int(shape.block[d]);
      if (threads == nullptr) return std::nullopt;
      block[d] = *threads;
    }
    return block;
  }

  void write_shared() {
    const SharedLayout layout = shared_layout(kernel_);
    if (layout.offsets.empty()) return;
    std::vector<Dialect::SharedArray> arrays;
    for (const auto& [buffer, offset] : layout.offsets) {
      arrays.push_back({dialect_.memory_type(buffer->element), expressions_.name(buffer), buffer->elements(), offset,
                        swizzled_.contains(buffer) ? kSwizzleAlignment : kPointerAlignment});
    }
    for (const std::string& line : dialect_.shared(arrays, layout.bytes)) statements_.line(line, 1);
  }

  /// Writes the indices of the bound loops at the top of a kernel, and sets body_ to their body.
  void write_indices(const Stmt& s) {
    body_ = s;
    if (!s.defined()) return;
    if (const auto* allocation = s.as<Allocate>();
        allocation != nullptr && allocation->buffer->scope == Scope::kShared) {
      return write_indices(allocation->body);
    }
    const For* loop = as_bound(s);
    if (loop == nullptr || loop->kind == LoopKind::kVirtualThread) return;
    const std::string& name = names_.of(loop->var.id(), loop->var.name());
    statements_.line(fmt::format("const int {} = {};", name, dialect_.index(loop->kind)), 1);
    expressions_.ranges().bind(loop->var, loop->min, loop->extent);
    // An upper bound on the blocks and threads of any device.
    expressions_.ranges().assume(Expr(loop->var) <= Expr(std::int64_t{std::numeric_limits<std::int32_t>::max()}));
    expressions_.bind(loop->var, {name});
    write_indices(loop->body);
  }

  const Program& program_;
  const int number_;
  const Kernel& kernel_;
  const Dialect& dialect_;
  Names names_;
  const FragmentLayout fragments_;
  const std::set<Buffer> swizzled_;
  ExpressionWriter expressions_;
  StatementWriter statements_;
  Stmt body_;
};

std::string on_host(const Program& program) {
  std::string text = to_string(program.host);
  for (const Kernel& kernel : program.kernels) {
    const LaunchShape shape = launch_shape(kernel);
    for (const auto* sizes : {&shape.grid, &shape.block}) {
      for (const Expr& size : *sizes) text += to_string(size) + ",";
    }
  }
  const Workspace& space = program.workspace;
  return text + fmt::format("{} {}", space.shared_bytes,
                            space.symbolic_shared_bytes.defined() ? to_string(space.symbolic_shared_bytes) : "");
}

}  // namespace

Program with_legal_names(Program program) {
  Names names;
  for (Kernel& kernel : program.kernels) kernel.name = names.fresh(kernel.name);
  return program;
}

std::string source_of(const Program& program, const Dialect& dialect) {
  Prelude prelude(dialect);
  std::string kernels;
  for (std::size_t k = 0; k < program.kernels.size(); ++k) {
    kernels += "\n" + KernelWriter(program, static_cast<int>(k), dialect, prelude).write();
  }
  std::string text = dialect.file_prologue(uses_float64(program));
  if (!prelude.text().empty()) text += "\n" + prelude.text();
  text += kernels;
  return text.substr(text.find_first_not_of('\n'));
}

std::string source_identity(const Program& program, const Dialect& dialect) {
  Program nameless = program;
  for (std::size_t k = 0; k < nameless.kernels.size(); ++k) nameless.kernels[k].name = fmt::format("kernel{}", k);
  return fmt::format("{:016x}", stable_hash(source_of(nameless, dialect) + on_host(nameless)));
}

}  // namespace nestwright::codegen
