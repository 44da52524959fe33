// Links object code into this process, by RuntimeDyld rather than ORC: objects are independent of each other, so that
// any number of candidates with equal symbols can be loaded at once, and an object is unloaded with its memory.
#include <fmt/format.h>
#include <llvm/ExecutionEngine/RuntimeDyld.h>
#include <llvm/ExecutionEngine/SectionMemoryManager.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/DynamicLibrary.h>
#include <llvm/Support/MemoryBuffer.h>

#include <algorithm>

#include "codegen/backend.h"
#include "nestwright/error.h"
#include "target/description/tile_permission.h"

namespace nestwright {
namespace {

class LinkedObject final : public LoadedObject {
 public:
  explicit LinkedObject(const CompiledObject& object) : linker_(memory_, memory_) {
    // External functions of the object (libm, memset) are resolved in this process.
    static const bool process_is_searched = !llvm::sys::DynamicLibrary::LoadLibraryPermanently(nullptr);
    if (!process_is_searched) refuse(object, "this process cannot be searched for symbols");
    auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object.object, object.symbol));
    if (!file) refuse(object, llvm::toString(file.takeError()));
    require_symbols(object, **file);
    if (linker_.loadObject(**file) == nullptr || linker_.hasError()) refuse(object, linker_.getErrorString().str());
    linker_.resolveRelocations();
    if (linker_.hasError()) refuse(object, linker_.getErrorString().str());
    std::string problem;
    if (memory_.finalizeMemory(&problem)) refuse(object, problem);
    entry_ = address_of(object, object.symbol);
    if (!object.preparation.empty()) preparation_ = address_of(object, object.preparation);
  }

  void* entry() const override { return entry_; }
  void* preparation() const override { return preparation_; }

 private:
  /// RuntimeDyld ends the process at a function that it does not find.
  void require_symbols(const CompiledObject& object, const llvm::object::ObjectFile& file) {
    for (const llvm::object::SymbolRef& symbol : file.symbols()) {
      llvm::Expected<std::uint32_t> flags = symbol.getFlags();
      if (!flags) refuse(object, llvm::toString(flags.takeError()));
      if ((*flags & llvm::object::SymbolRef::SF_Undefined) == 0) continue;
      llvm::Expected<llvm::StringRef> name = symbol.getName();
      if (!name) refuse(object, llvm::toString(name.takeError()));
      if (name->empty() || memory_.getSymbolAddress(name->str()) != 0) continue;
      refuse(object, fmt::format("the process has no C function {}: link it as a shared library, or with -rdynamic",
                                 name->str()));
    }
  }

  void* address_of(const CompiledObject& object, const std::string& name) const {
    const llvm::JITEvaluatedSymbol symbol = linker_.getSymbol(name);
    if (!symbol) refuse(object, "it has no such symbol");
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(symbol.getAddress()));
  }

  [[noreturn]] static void refuse(const CompiledObject& object, const std::string& reason) {
    throw CompileError(fmt::format("the object of kernel {} cannot be linked: {}", object.symbol, reason));
  }

  llvm::SectionMemoryManager memory_;
  llvm::RuntimeDyld linker_;
  void *entry_ = nullptr, *preparation_ = nullptr;
};

}  // namespace

std::unique_ptr<LoadedObject> load_object(const CompiledObject& object) {
  const bool has_tiles = std::any_of(object.extensions.begin(), object.extensions.end(),
                                     [](const std::string& name) { return name.starts_with("amx_"); });
  if (has_tiles && !request_tile_permission()) {
    throw CompileError(fmt::format(
        "kernel {} uses tile registers, which this machine does not have or the operating system refuses: use "
        "a target without amx_bf16 and amx_int8",
        object.symbol));
  }
  return std::make_unique<LinkedObject>(object);
}

}  // namespace nestwright
