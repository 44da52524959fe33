# Groups sources that can be compiled together. Prints a line for each source: the number of its batch and its path.
#
#   awk -v max_lines=LINES -f batches.awk HEADER... SOURCE...
#
# Two sources can share a batch if they use the same namespaces and neither mentions a name that is local to the other: one
# in an unnamed namespace, an alias or a macro. A source with a local name that a header declares, too, stays alone. A batch
# has at most `max_lines` lines. The sources must be formatted by clang-format.

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

FILENAME ~ /\.h$/ {
  if (/^[A-Za-z_]/) declared_by_headers[declared($0)]
  next
}
FNR == 1 {
  file = ++files
  path[file] = FILENAME
  unnamed = 0
}
{ ++lines[file] }
/^namespace \{$/ { unnamed = 1; next }
/^\}  \/\/ namespace$/ { unnamed = 0; next }
/^namespace .* \{$/ { if (!index(" " spaces[file], " " $2 " ")) spaces[file] = spaces[file] $2 " " }
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

# Returns 1 if a header declares one of the file's local names.
function is_alone(file, words, count, i) {
  count = split(own[file], words, " ")
  for (i = 1; i <= count; ++i) if (words[i] in declared_by_headers) return 1
  return 0
}

# Returns 1 if the file can join the batch.
function fits(batch, file, words, count, i) {
  if (spaces_of[batch] != spaces[file] || size[batch] + lines[file] > max_lines) return 0
  count = split(own[file], words, " ")
  for (i = 1; i <= count; ++i) if ((batch, words[i]) in in_use) return 0
  count = split(mentioned[file], words, " ")
  for (i = 1; i <= count; ++i) if ((batch, words[i]) in taken) return 0
  return 1
}

END {
  for (file = 1; file <= files; ++file) {
    alone = is_alone(file)
    for (batch = 1; batch <= batches && (alone || !fits(batch, file)); ++batch);
    if (batch > batches) batches = batch
    spaces_of[batch] = spaces[file]
    size[batch] += alone ? max_lines : lines[file]
    count = split(own[file], words, " ")
    for (i = 1; i <= count; ++i) taken[batch, words[i]]
    count = split(mentioned[file], words, " ")
    for (i = 1; i <= count; ++i) in_use[batch, words[i]]
    print batch, path[file]
  }
}
