// The commands take a model in the place of a workload: its kernels are their tasks.
// Thread rule: one thread at a time.
#pragma once

#include <string>

#include "cli/options/common_options.h"
#include "cli/options/model_options.h"
#include "nestwright/database.h"
#include "nestwright/model/graph.h"

namespace nestwright::cli {

/// A model before its kernels are made (graph/passes/passes.h), and its kernels.
struct ModelKernels {
  Graph joined, kernels;
};

/// The kernels of a model as with_kernels() takes them from the log, which may be null. Notes operators that are
/// missing; throws UsageError for them if `is_complete`.
ModelKernels kernels_of_model(const CommonOptions& common, const ModelOptions& model, const TuningLog* log,
                              bool is_complete);

/// Prints the best known configuration of each kernel of a model, and returns the exit code.
int query_model(const CommonOptions& common, const ModelOptions& model);

/// Where and how a model is exported.
struct ModelExport {
  std::string directory, name;
  bool embed = false, unchecked = false;
  bool db_given = false;  ///< if so, the database must exist
};

/// Exports a model as a library, and returns the exit code.
int export_model(const CommonOptions& common, const ModelOptions& model, const ModelExport& options);

}  // namespace nestwright::cli
