// One case of ONNX's node tests: a folder with model.onnx, and folders test_data_set_N with inputs and expected
// outputs. Thread rule: pure functions, which read files.
#pragma once

#include <filesystem>
#include <string>

namespace nestwright::testing {

enum class CaseOutcome { kPassed, kUnsupported, kWrong, kOtherTypes };

struct CaseResult {
  std::string op;  ///< of the first node of ONNX's own domain; "(expanded)" is added if the model is its function
  CaseOutcome outcome;
  std::string reason;  ///< one line; empty if it passed
};

/// The operator that a case tests. Throws UsageError if the folder has no model.
std::string operator_of_case(const std::filesystem::path& folder);

/// Imports the model, computes its outputs from each set of inputs, and compares them with those expected: types,
/// shapes, and elements with ONNX's tolerances (1e-3 relative plus 1e-7 absolute; NaN equals NaN; integers are equal).
/// If an operator needs a constant input, inputs that are integers, truth values or scalars are bound as constants, or
/// if that is not enough, all but the first.
CaseResult run_case(const std::filesystem::path& folder);

}  // namespace nestwright::testing
