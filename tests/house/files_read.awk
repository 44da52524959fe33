# Reads paths of sources, or of files that include some by absolute paths (batches); prints each with all files below `root` that it
# is compiled from, relative to it. Headers of ours are included as "folder/name.h", from src/ or from the top.
#
#   awk -v root=FOLDER/ -f files_read.awk

# Sets included[path], the files of ours that a file includes.
function scan(path, line, name) {
  if (path in included) return
  included[path] = ""
  while ((getline line < path) > 0) {
    if (line !~ /^#include "/) continue
    split(line, parts, "\"")
    name = parts[2]
    if (name !~ /^\//) name = root (exists(root "src/" name) ? "src/" : "") name
    if (exists(name)) included[path] = included[path] " " name
  }
  close(path)
}

function exists(path, line) {
  if (!(path in there)) {
    there[path] = (getline line < path) > 0
    close(path)
  }
  return there[path]
}

{
  split("", seen)
  queue[last = 1] = $0
  for (next_up = 1; next_up <= last; ++next_up) {
    scan(queue[next_up])
    count = split(included[queue[next_up]], names, " ")
    for (i = 1; i <= count; ++i) {
      if (names[i] in seen) continue
      seen[names[i]]
      queue[++last] = names[i]
    }
  }
  text = $0
  for (i = 1; i <= last; ++i) if (index(queue[i], root) == 1 && queue[i] !~ /\/Unity\//) text = text " " substr(queue[i], length(root) + 1)
  print text
}
