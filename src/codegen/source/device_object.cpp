#include "codegen/source/device_object.h"

#include "codegen/source/names.h"
#include "codegen/source/source.h"
#include "ir/serialize/serialize.h"
#include "nestwright/error.h"

namespace nestwright::codegen {

CompiledObject device_object(const ir::Program& program, const Dialect& dialect) {
  if (program.preparation.defined()) {
    throw CompileError(program.name + " prepares tensors, which is done for CPUs only: compute them at root");
  }
  const ir::Program named = with_legal_names(program);
  CompiledObject result;
  result.symbol = identifier(program.name);
  result.source = source_of(named, dialect);
  result.code_fingerprint = source_identity(named, dialect);
  result.launches = ir::serialize(named);
  result.workspace = program.workspace;
  result.symbols = program.symbols;
  return result;
}

}  // namespace nestwright::codegen
