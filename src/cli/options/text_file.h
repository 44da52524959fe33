// Reads files that the command line names. Thread rule: any thread.
#pragma once

#include <string>

namespace nestwright::cli {

/// Returns the text of a file. Throws UsageError that names the file where it cannot be read, or has more than 10 MB,
/// "which no CONTENT needs"; the sentence ends with `advice`, what to give instead.
std::string read_text_file(const std::string& file, const std::string& content, const std::string& advice);

}  // namespace nestwright::cli
