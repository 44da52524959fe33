// The output of the subcommands of `nestwright log`: tables of a log and descriptions of its tasks.
// Thread rule: pure functions, except note_rest().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nestwright/records.h"
#include "support/data/json.h"

namespace nestwright::cli {

/// "matmul m=512 n=512 k=512 on cpu,isa=avx2,threads=1 --caches cold", with the format of a record of another tuner.
std::string task_text(const TaskKey& task);
/// All fields of the key.
Json task_json(const TaskKey& task);

/// A table whose columns are as wide as their widest cell; the first row has their names. Cells are aligned to the
/// right where `alignment` has an 'r' for their column, and to the left for an 'l'. Each row has as many cells as
/// `alignment` has letters. Control characters are replaced (printable()).
std::string table_text(const std::vector<std::vector<std::string>>& rows, std::string_view alignment);

/// "1 session", "2 sessions".
std::string counted(std::int64_t count, const std::string& noun);

/// Says on standard error that a listing was cut to `shown` of `matching` rows, if it was. `which` and `what` are words
/// of that sentence: "latest", "sessions".
void note_rest(std::int64_t shown, std::int64_t matching, const char* which, const char* what);

}  // namespace nestwright::cli
