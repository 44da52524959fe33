# Groups sources that can be compiled together. Prints a line for each source: the number of its batch and its path.
#
#   awk -v max_lines=LINES -f batches.awk HEADER... SOURCE...
#
# Two sources can share a batch if neither mentions a name that is local to the other (one in an unnamed namespace, an alias or a
# macro), nor includes a header that declares such a name and that the other does not include. A batch has at most `max_lines`
# lines. The sources must be formatted by clang-format.

# Returns the name that a declaration at the beginning of a line introduces; "" if it introduces none.
function declared(line, words, name) {
  if (line ~ /^(TEST|TEST_F|TEST_P|TYPED_TEST)\(/) {
    split(line, words, /[(),]+ */)
    return words[2] "_" words[3] "_Test"
  }
  if (line ~ /^(struct|class|union|enum) /) {
    sub(/^enum class/, "enum", line)
    sub(/ alignas\([^)]*\)/, "", line)
    split(line, words, /[^A-Za-z0-9_]+/)
    return words[2]
  }
  if (line ~ /^(using [^=]*;|template|namespace)/) return ""
  sub(/ *[(={;[].*/, "", line)
  if (line ~ /::~?[A-Za-z0-9_]+$/) return ""
  name = line
  sub(/.*[^A-Za-z0-9_]/, "", name)
  return name ~ /^[A-Z_]*$/ ? "" : name
}

/^#include "/ {
  split($0, words, "\"")
  includes[FILENAME] = includes[FILENAME] " " words[2]
}
FILENAME ~ /\.h$/ {
  if (FNR == 1) {
    suffix = FILENAME
    while (sub(/^[^\/]*\//, "", suffix)) header_of[suffix] = FILENAME
  }
  if (/^[A-Za-z_]/) {
    name = declared($0)
    if (!index(headers_with[name] " ", " " FILENAME " ")) headers_with[name] = headers_with[name] " " FILENAME
  }
  next
}
FNR == 1 {
  file = ++files
  path[file] = FILENAME
  unnamed = 0
  raw_end = ""
}
{ ++lines[file] }
raw_end != "" {  # within a raw string of several lines
  if (!index($0, raw_end)) next
  raw_end = ""
}
match($0, /R"[A-Za-z_]*\(/) {
  raw_end = ")" substr($0, RSTART + 2, RLENGTH - 3) "\""
  if (index($0, raw_end)) raw_end = ""
}
/^namespace \{$/ { unnamed = 1; next }
/^\}  \/\/ namespace$/ { unnamed = 0; next }
/^#define/ { own[file] = own[file] " " declared(substr($0, 9)) }
{
  gsub(/"([^"\\]|\\.)*"/, "\"\"")
  sub(/\/\/.*/, "")
  if (/^[A-Za-z_]/ && (unnamed || /^(static |using [A-Za-z0-9_]+ =)/)) own[file] = own[file] " " declared($0)
  # In a::b, a.b and a->b only the first name can refer to a local name.
  count = split($0, words, /[^A-Za-z0-9_.:>]+/)
  for (i = 1; i <= count; ++i) {
    sub(/[.:>].*/, "", words[i])
    if (words[i] != "" && !((file, words[i]) in mentions)) {
      mentions[file, words[i]]
      mentioned[file] = mentioned[file] " " words[i]
    }
  }
}

# Adds the headers that `from` includes, directly or not, to reached[file].
function reach(file, from, words, count, i, header) {
  count = split(includes[from], words, " ")
  for (i = 1; i <= count; ++i) {
    header = header_of[words[i]]
    if (header == "" || index(reached[file] " ", " " header " ")) continue
    reached[file] = reached[file] " " header
    reach(file, header)
  }
}

# Sets avoided[file]: the headers that it does not include and that declare one of its local names.
function avoid(file, words, found, count, i, j, number) {
  count = split(own[file], words, " ")
  for (i = 1; i <= count; ++i) {
    number = split(headers_with[words[i]], found, " ")
    for (j = 1; j <= number; ++j) {
      if (!index(reached[file] " ", " " found[j] " ")) avoided[file] = avoided[file] " " found[j]
    }
  }
}

# Returns 1 if one of the words is in the batch's set.
function any_in(batch, list, set, words, count, i) {
  count = split(list, words, " ")
  for (i = 1; i <= count; ++i) if ((batch, words[i]) in set) return 1
  return 0
}

# Adds the words to the batch's set.
function add(batch, list, set, words, count, i) {
  count = split(list, words, " ")
  for (i = 1; i <= count; ++i) set[batch, words[i]]
}

# Returns 1 if the file can join the batch.
function fits(batch, file) {
  return size[batch] + lines[file] <= max_lines && !any_in(batch, own[file], in_use) && !any_in(batch, mentioned[file], taken) &&
         !any_in(batch, reached[file], shunned) && !any_in(batch, avoided[file], included)
}

END {
  for (file = 1; file <= files; ++file) {
    reach(file, path[file])
    avoid(file)
    for (batch = 1; batch <= batches && !fits(batch, file); ++batch);
    if (batch > batches) batches = batch
    size[batch] += lines[file]
    add(batch, own[file], taken)
    add(batch, mentioned[file], in_use)
    add(batch, avoided[file], shunned)
    add(batch, reached[file], included)
    print batch, path[file]
  }
}
