// Edits checked expressions: renames, substitutes and merges their statements. What was changed is printed as text
// and checked again, so that a mistake here cannot make a malformed program.
//
// Thread rule: pure functions.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "nestwright/model/graph.h"
#include "text/syntax/program.h"

namespace nestwright {

/// Calls `visit` for each part directly below a term.
void for_each_part(text::Term& term, const std::function<void(text::Term&)>& visit);

/// Calls `change` for each access in the term, innermost first.
void change_accesses(text::Term& term, const std::function<void(text::Access& access, text::Term& whole)>& change);

/// The term with each axis replaced by a term. Axes that are not in the map stay.
text::Term substitute_axes(text::Term term, const std::map<std::string, text::Term>& axes);

/// Renames tensors, those that are read and those that are computed.
void rename_tensors(text::Program& program, const std::map<std::string, std::string>& names);

/// Gives each axis a name of its own: prefix0, prefix1, ... from `next` on, which is increased.
void rename_axes(text::Program& program, const std::string& prefix, std::size_t& next);

/// The statements of `programs`, one after the other. Tensors of one name are one tensor: an input of a later program
/// is the result of an earlier one. Requires that axes have different names in all of them.
text::Program concatenated(const std::vector<text::Program>& programs);

/// Replaces reads of a tensor by what its statement computes, and removes the statement. Requires that the tensor is
/// computed without a reduction, and that no access of it is padded.
void inline_tensor(text::Program& program, const std::string& tensor);

/// Prints the program with all shapes and extents, and checks the text. Throws text::ExpressionError.
text::Program checked(const text::Program& changed);

/// The node with another program for the same results. It reads inputs of the node under the names that they had there,
/// and those of `added`. Removes tensors that no statement reads any more, and checks the program, as checked() does.
GraphNode changed_node(const GraphNode& node, text::Program program, const std::map<std::string, ValueId>& added = {});

/// The number of accesses of a tensor in the statement, or in all statements of a program.
std::size_t count_reads(const text::Stage& stage, const std::string& tensor);
std::size_t count_reads(const text::Program& program, const std::string& tensor);

/// The axes that a term uses, each once, in order.
std::vector<std::string> axes_of(const text::Term& term);

}  // namespace nestwright
