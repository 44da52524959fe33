// import_onnx() of a build without ONNX.
#include "nestwright/error.h"
#include "nestwright/model/onnx.h"

namespace nestwright {

ImportedModel import_onnx(const std::string&, const ImportOptions&) {
  throw UsageError("this build reads no ONNX models: build with NESTWRIGHT_WITH_ONNX");
}

}  // namespace nestwright
