# Rewrites compile_commands.json: adds a command for each source of a batch, and removes the precompiled headers. Only g++ can read
# these, and without them a source that does not include what it uses is found.
function print_entry(entry) {
  printf "%s%s", printed++ ? ",\n" : "[\n", entry
}

/^\{/ { entry = "" }
/^[{} ]/ {
  gsub(/ -Winvalid-pch -include [^ ]+cmake_pch\.hxx/, "")
  sub(/^\},$/, "}")
  entry = entry (entry == "" ? "" : "\n") $0
}
/^  "file": / { split($0, parts, "\""); file = parts[4] }
/^\}/ {
  print_entry(entry)
  if (file !~ /\/Unity\//) next
  while ((getline line < file) > 0) {
    if (line !~ /^#include "/) continue
    split(line, parts, "\"")
    rest = entry
    alone = ""
    while ((at = index(rest, file)) > 0) {
      alone = alone substr(rest, 1, at - 1) parts[2]
      rest = substr(rest, at + length(file))
    }
    print_entry(alone rest)
  }
  close(file)
}
END { print "\n]" }
