// Generates the function that launches a device's kernels: the program's host statement, as C.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "exporter/source/c_text.h"
#include "exporter/source/device_sources.h"
#include "exporter/source/index_expression.h"
#include "ir/gpu/launch.h"
#include "ir/traversal/rewrite.h"
#include "nestwright/error.h"
#include "runtime/device_program.h"

namespace nestwright {
namespace {

class HostStatement {
 public:
  HostStatement(const Exported& e, std::string stream) : e_(e), stream_(std::move(stream)) {
    const ir::Program& program = *e.program;
    for (std::size_t p = 0; p < program.parameters.size(); ++p) {
      pointers_[program.parameters[p].buffer] = "&" + e.parameters[p];
    }
    for (const ir::Buffer& buffer : device_workspaces(program)) {
      pointers_[buffer] = fmt::format("&handle->workspaces[{}]", pointers_.size() - program.parameters.size());
    }
  }

  std::string text() && {
    write(e_.program->host);
    return std::move(text_);
  }

 private:
  void line(const std::string& text) { text_ += indent_ + text + "\n"; }
  void open(const std::string& head) {
    line(head + (head.empty() ? "{" : " {"));
    indent_ += "  ";
  }
  void close() {
    indent_.resize(indent_.size() - 2);
    line("}");
  }
  std::string value(const Expr& e) const { return c_index(e, names_); }

  void write(const ir::Stmt& s) {
    if (!s.defined()) return;
    if (const auto* block = s.as<ir::Block>()) {
      for (const ir::Stmt& each : block->stmts) write(each);
    } else if (const auto* loop = s.as<ir::For>()) {
      write(*loop);
    } else if (const auto* let = s.as<ir::Let>()) {
      open("");
      line(fmt::format("const int64_t {} = {};", define(let->var, "let"), value(let->value)));
      write(let->body);
      close();
    } else if (const auto* condition = s.as<ir::IfThenElse>()) {
      open(fmt::format("if ({})", c_index(condition->condition, names_)));
      write(condition->then_case);
      close();
      if (!condition->else_case.defined()) return;
      open("else");
      write(condition->else_case);
      close();
    } else if (const auto* allocation = s.as<ir::Allocate>()) {
      write(allocation->body);
    } else if (const auto* started = s.as<ir::Launch>()) {
      write(*started);
    } else {
      throw InternalError("internal error: the host statement of " + e_.program->name +
                          " does more than launch kernels");
    }
  }

  void write(const ir::For& loop) {
    const std::string min = value(loop.min), end = value(loop.min + loop.extent);
    const std::string& var = define(loop.var, "step");
    open(fmt::format("for (int64_t {0} = {1}; {0} < {2}; ++{0})", var, min, end));
    write(loop.body);
    close();
  }

  void write(const ir::Launch& started) {
    const ir::Kernel& kernel = e_.program->kernels[static_cast<std::size_t>(started.kernel)];
    const ir::LaunchShape shape = ir::launch_shape(kernel);
    const ir::KernelArguments arguments = ir::kernel_arguments(*e_.program, started.kernel);
    std::vector<std::string> sizes, handed;
    for (const auto* part : {&shape.grid, &shape.block}) {
      for (const Expr& size : *part) sizes.push_back(value(size));
    }
    for (const int p : arguments.parameters) {
      handed.push_back(pointers_.at(e_.program->parameters[static_cast<std::size_t>(p)].buffer));
    }
    for (const ir::Buffer& buffer : arguments.workspaces) handed.push_back(pointers_.at(buffer));
    const std::size_t pointers = handed.size();
    for (const ir::Var& scalar : arguments.scalars) handed.push_back("&(int64_t){" + value(Expr(scalar)) + "}");
    open("");
    line(fmt::format("const long sizes[] = {{{}}};", fmt::join(sizes, ", ")));
    line(fmt::format("void* const arguments[] = {{{}}};", fmt::join(handed, ", ")));
    line(fmt::format("code = launch(handle, {}, {}, sizes, {}, {}, arguments);", stream_, started.kernel, pointers,
                     handed.size()));
    line("if (code != 0) return code;");
    close();
  }

  /// Generates names, because those of the program are for people and may equal a tensor's.
  const std::string& define(const ir::Var& var, const char* kind) {
    return names_[var] = fmt::format("{}{}", kind, names_.size());
  }

  const Exported& e_;
  const std::string stream_;
  std::map<ir::Buffer, std::string> pointers_;
  CVariables names_;
  std::string text_, indent_ = "  ";
};

bool is_cuda(const Exported& e) { return e.task->target.device == DeviceKind::kCuda; }

}  // namespace

std::vector<ir::Buffer> device_workspaces(const ir::Program& program) {
  std::vector<ir::Buffer> workspaces;
  ir::for_each_stmt(program.host, [&](const ir::Stmt& s) {
    if (const auto* allocation = s.as<ir::Allocate>()) workspaces.push_back(allocation->buffer);
  });
  return workspaces;
}

std::int64_t device_workspace_bytes(const Exported& e) {
  std::int64_t bytes = 0;
  for (const ir::Buffer& buffer : device_workspaces(*e.program)) bytes += bytes_of(buffer);
  return bytes;
}

std::int64_t bytes_of(const ir::Buffer& buffer) { return bytes_in_memory(buffer, {}, {}); }

std::string device_parameters(const Exported& e) {
  std::string parameters = fmt::format("struct {}_handle* handle", e.name);
  for (std::size_t i = 0; i < e.definition->args.size(); ++i) {
    const Tensor& tensor = e.definition->args[i];
    const bool is_input = static_cast<int>(i) < e.definition->inputs;
    parameters += is_cuda(e)
                      ? fmt::format(", {}{}* {}", is_input ? "const " : "", c_type(tensor.dtype()), e.parameters[i])
                      : ", cl_mem " + e.parameters[i];
  }
  return parameters + (is_cuda(e) ? ", struct CUstream_st* stream" : ", cl_command_queue queue");
}

std::string device_tables(const Exported& e) {
  const ir::Program& program = *e.program;
  std::vector<std::string> names, threads, shared, workspaces;
  for (const ir::Kernel& kernel : program.kernels) {
    names.push_back('"' + kernel.name + '"');
    std::int64_t count = 1;
    for (const Expr& size : ir::launch_shape(kernel).block) {
      const std::int64_t* value = ir::as_const_int(size);
      count *= value == nullptr ? 0 : *value;
    }
    threads.push_back(std::to_string(count));
    shared.push_back(std::to_string(is_cuda(e) ? ir::shared_layout(kernel).dynamic_bytes() : 0));
  }
  for (const ir::Buffer& buffer : device_workspaces(program)) workspaces.push_back(std::to_string(bytes_of(buffer)));
  const std::size_t count = workspaces.size();
  if (count == 0) workspaces.emplace_back("0");  // C does not have empty arrays
  const std::string limits =
      is_cuda(e)
          ? fmt::format("/* Of a block, beyond what kernels declare. */\nstatic const int shared_bytes[] = {{{}}};\n",
                        fmt::join(shared, ", "))
          : fmt::format("/* Of a block; 0: more than one number. */\nstatic const size_t block_threads[] = {{{}}};\n",
                        fmt::join(threads, ", "));
  return "\n" + c_text("device/device_tables", {{"KERNELS", std::to_string(program.kernels.size())},
                                                {"WORKSPACES", std::to_string(count)},
                                                {"NAMES", fmt::format("{}", fmt::join(names, ", "))},
                                                {"LIMITS", limits},
                                                {"WORKSPACE_BYTES", fmt::format("{}", fmt::join(workspaces, ", "))}});
}

std::string device_function(const Exported& e, const std::string& serves) {
  std::string usable = serves;
  for (std::size_t i = 0; i < e.definition->args.size(); ++i) {
    usable += fmt::format(" && usable({}, {})", e.parameters[i],
                          is_cuda(e) ? e.alignment(i) : bytes_of(e.program->parameters[i].buffer));
  }
  const std::string host = HostStatement(e, is_cuda(e) ? "stream" : "queue").text();
  return c_division_for(host) + "\n" +
         c_text("device/device_call",
                {{"NAME", e.name}, {"PARAMETERS", device_parameters(e)}, {"USABLE", usable}, {"BODY", host}});
}

}  // namespace nestwright
