// Computes the fingerprint of an object's machine code. Names of symbols and the layout of the file do not count, so
// that two configurations that compile to the same instructions have the same fingerprint.
#include <fmt/format.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>

#include "codegen/llvm/llvm_backend.h"
#include "nestwright/error.h"
#include "support/data/hash.h"

namespace nestwright::codegen {
namespace {

using llvm::object::ELFRelocationRef;
using llvm::object::ELFSectionRef;
using llvm::object::ObjectFile;
using llvm::object::SectionRef;
using llvm::object::SymbolRef;

template <class T>
T taken(llvm::Expected<T> value) {
  if (!value) throw InternalError("an object that was just made cannot be read: " + llvm::toString(value.takeError()));
  return std::move(*value);
}

class CodeHasher {
 public:
  explicit CodeHasher(const ObjectFile& file) : file_(file) {}

  std::uint64_t hash(const CompiledObject& object) {
    for (const SymbolRef& symbol : file_.symbols()) {
      const llvm::StringRef name = taken(symbol.getName());
      if (name == object.symbol || name == object.preparation) add_target(symbol);
    }
    for (const std::int64_t bytes : object.prepared_bytes) add(static_cast<std::uint64_t>(bytes));
    for (const SectionRef& section : file_.sections()) {
      if (is_loaded(section)) add_section(section);
      const auto relocated = taken(section.getRelocatedSection());
      if (relocated == file_.section_end() || !is_loaded(*relocated)) continue;
      for (const auto& relocation : section.relocations()) {
        add(relocated->getIndex());
        add(relocation.getOffset());
        add(relocation.getType());
        add(static_cast<std::uint64_t>(taken(ELFRelocationRef(relocation).getAddend())));
        if (relocation.getSymbol() != file_.symbol_end()) add_target(*relocation.getSymbol());
      }
    }
    return hash_;
  }

 private:
  static bool is_loaded(const SectionRef& section) {
    return (ELFSectionRef(section).getFlags() & llvm::ELF::SHF_ALLOC) != 0;
  }

  void add(std::uint64_t value) { hash_ = hash_combine(hash_, value); }

  void add_section(const SectionRef& section) {
    add(section.getIndex());
    add(section.getAlignment().value());
    if (section.isVirtual()) {
      add(section.getSize());
    } else {
      const llvm::StringRef bytes = taken(section.getContents());
      add(stable_hash({bytes.data(), bytes.size()}));
    }
  }

  /// Adds a symbol's position if it is defined in the object, else its name.
  void add_target(const SymbolRef& symbol) {
    if ((taken(symbol.getFlags()) & llvm::object::BasicSymbolRef::SF_Undefined) != 0) {
      const llvm::StringRef name = taken(symbol.getName());
      add(stable_hash({name.data(), name.size()}));
      return;
    }
    const auto section = taken(symbol.getSection());
    add(section == file_.section_end() ? 0 : section->getIndex());
    add(taken(symbol.getValue()));
  }

  const ObjectFile& file_;
  std::uint64_t hash_ = 0;
};

}  // namespace

std::string code_identity(const CompiledObject& object) {
  const auto file = taken(ObjectFile::createObjectFile(llvm::MemoryBufferRef(object.object, object.symbol)));
  const ir::Workspace& workspace = object.workspace;
  return fmt::format("{:016x}", hash_combine(hash_combine(CodeHasher(*file).hash(object),
                                                          static_cast<std::uint64_t>(workspace.shared_bytes)),
                                             static_cast<std::uint64_t>(workspace.per_thread_bytes)));
}

}  // namespace nestwright::codegen
