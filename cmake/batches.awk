# Which sources can be compiled together: prints a line for each source, the number of its batch and its path.
#
#   awk -v most=LINES -f batches.awk SOURCE...
#
# Two sources share a batch where both are in the same namespaces, and neither of them mentions a name that the other one
# keeps to itself: in an unnamed namespace, as an alias or as a macro. A batch has at most `most` lines. Reads the
# sources as clang-format lays them out.

# The name that a declaration at the beginning of a line introduces, "" where that is none.
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
  # Of a::b, a.b and a->b only the first name can mean one at the top.
  count = split($0, words, /[^A-Za-z0-9_.:>]+/)
  for (i = 1; i <= count; ++i) {
    sub(/[.:>].*/, "", words[i])
    if (words[i] != "" && !((file, words[i]) in mentions)) {
      mentions[file, words[i]]
      mentioned[file] = mentioned[file] " " words[i]
    }
  }
}

# Whether the file can join the batch.
function fits(batch, file, words, count, i) {
  if (spaces_of[batch] != spaces[file] || size[batch] + lines[file] > most) return 0
  count = split(own[file], words, " ")
  for (i = 1; i <= count; ++i) if ((batch, words[i]) in in_use) return 0
  count = split(mentioned[file], words, " ")
  for (i = 1; i <= count; ++i) if ((batch, words[i]) in taken) return 0
  return 1
}

END {
  for (file = 1; file <= files; ++file) {
    for (batch = 1; batch <= batches && !fits(batch, file); ++batch);
    if (batch > batches) batches = batch
    spaces_of[batch] = spaces[file]
    size[batch] += lines[file]
    count = split(own[file], words, " ")
    for (i = 1; i <= count; ++i) taken[batch, words[i]]
    count = split(mentioned[file], words, " ")
    for (i = 1; i <= count; ++i) in_use[batch, words[i]]
    print batch, path[file]
  }
}
