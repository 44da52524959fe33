// The arguments of commands that take a model in the place of a workload.
// Thread rule: one thread at a time.
#pragma once

#include <string>
#include <vector>

#include "cli/options/arguments.h"
#include "cli/options/common_options.h"
#include "nestwright/model/onnx.h"

namespace nestwright::cli {

struct ModelOptions {
  std::vector<std::string> dims;       ///< "batch=1"
  std::vector<std::string> constants;  ///< "sr=16000"

  bool is_empty() const { return dims.empty() && constants.empty(); }
};

/// Reads a model. Throws UsageError for an option that is malformed or given twice, and as import_onnx() does.
ImportedModel import_model(const std::string& path, const ModelOptions& options);

void add_model_options(Command& command, ModelOptions& options);

/// Whether the workload is the name of a model.
bool is_model(const CommonOptions& common);
/// The name of the model. Throws UsageError if there are other words.
std::string model_path(const CommonOptions& common);

/// One sentence that lists the operators that are missing.
std::string missing_operators_text(const ImportedModel& model);
/// Says on standard error which operators are missing, in one sentence; nothing if none is.
void note_missing_operators(const ImportedModel& model);

}  // namespace nestwright::cli
