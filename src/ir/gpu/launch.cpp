#include "ir/gpu/launch.h"

#include <algorithm>

#include "ir/gpu/swizzle.h"
#include "ir/traversal/rewrite.h"
#include "nestwright/error.h"
#include "support/base/round_up.h"

namespace nestwright::ir {
namespace {

template <class T>
bool contains(const std::vector<T>& all, const T& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

/// The buffers and variables that the statements of a kernel mention.
struct Mentioned {
  std::vector<Buffer> buffers;
  std::vector<Var> vars;

  explicit Mentioned(const Stmt& body) {
    for_each_stmt(body, [&](const Stmt& s) {
      if (const auto* store = s.as<Store>()) add(store->buffer);
      if (const auto* prefetch = s.as<Prefetch>()) add(prefetch->buffer);
    });
    for_each_expr(body, [&](const Expr& e) { add(e); });
  }

 private:
  void add(const Buffer& buffer) {
    if (contains(buffers, buffer)) return;
    buffers.push_back(buffer);
    for (int d = 0; d < buffer->rank(); ++d) {
      for_each_expr(buffer->stride(d), [&](const Expr& e) { add(e); });
    }
  }
  void add(const Expr& e) {
    if (const auto* load = e.as<Load>()) add(load->buffer);
    if (const auto* ref = e.as<VarRef>(); ref != nullptr && !contains(vars, ref->var)) vars.push_back(ref->var);
  }
};

/// The variables and the buffers that the host statement defines, outermost first.
struct HostDefinitions {
  std::vector<Var> vars;
  std::vector<Buffer> buffers;

  explicit HostDefinitions(const Stmt& host) {
    for_each_stmt(host, [&](const Stmt& s) {
      if (const auto* loop = s.as<For>()) vars.push_back(loop->var);
      if (const auto* let = s.as<Let>()) vars.push_back(let->var);
      if (const auto* allocation = s.as<Allocate>()) buffers.push_back(allocation->buffer);
    });
  }
};

}  // namespace

LaunchShape launch_shape(const Kernel& kernel) {
  LaunchShape shape;
  shape.grid.fill(Expr(1));
  shape.block.fill(Expr(1));
  for_each_stmt(kernel.body, [&](const Stmt& s) {
    const For* loop = as_bound(s);
    if (loop == nullptr || loop->kind == LoopKind::kVirtualThread) return;
    if (!is_const_int(loop->min, 0)) {
      throw InternalError("internal error: loop " + loop->var.name() + " is bound and does not begin at 0");
    }
    (is_block_index(loop->kind) ? shape.grid : shape.block)[dimension_of(loop->kind)] = loop->extent;
  });
  return shape;
}

SharedLayout shared_layout(const Kernel& kernel) {
  SharedLayout layout;
  const std::set<Buffer> swizzled = swizzled_buffers(kernel.body);
  for_each_stmt(kernel.body, [&](const Stmt& s) {
    const auto* allocation = s.as<Allocate>();
    if (allocation == nullptr || allocation->buffer->scope != Scope::kShared) return;
    const Buffer& buffer = allocation->buffer;
    const std::int64_t alignment =
        swizzled.contains(buffer) ? kSwizzleAlignment : std::max<std::int64_t>(16, buffer->alignment);
    const std::int64_t offset = round_up(layout.bytes, alignment);
    layout.offsets.emplace_back(buffer, offset);
    layout.bytes = offset + buffer->elements() * buffer->element.bytes();
  });
  return layout;
}

KernelArguments kernel_arguments(const Program& program, int kernel) {
  const Mentioned mentioned(program.kernels[static_cast<std::size_t>(kernel)].body);
  const HostDefinitions host(program.host);
  KernelArguments arguments;
  for (std::size_t p = 0; p < program.parameters.size(); ++p) {
    if (contains(mentioned.buffers, program.parameters[p].buffer)) arguments.parameters.push_back(static_cast<int>(p));
  }
  for (const Buffer& buffer : host.buffers) {
    if (contains(mentioned.buffers, buffer)) arguments.workspaces.push_back(buffer);
  }
  for (const std::vector<Var>* vars : {&program.symbols, &host.vars}) {
    for (const Var& var : *vars) {
      if (contains(mentioned.vars, var)) arguments.scalars.push_back(var);
    }
  }
  return arguments;
}

}  // namespace nestwright::ir
