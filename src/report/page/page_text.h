// The files that each page contains: its markup, style and scripts.
// Thread rule: any thread.
#pragma once

#include <string_view>

namespace nestwright::report {

/// Returns the text of "page.html", "page.css", "page.js" or "chart.js", as it was when this program was built.
std::string_view page_text(std::string_view name);

}  // namespace nestwright::report
