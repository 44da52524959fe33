// What the sessions of a task stayed within: a template, values of knobs, conditions.
// Thread rule: pure functions.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "logs/listing/sessions.h"
#include "nestwright/config_space.h"

namespace nestwright {

struct SessionScope {
  std::string template_name;  ///< the only template; empty: all
  Restriction restriction;

  /// As on the command line: --template matmul.cpu --fix unroll_k=4; empty: the whole space.
  std::string str() const;
};

/// The scope of a session; the whole space where its options cannot be read, as those of other tuners.
SessionScope scope_of(const ListedSession& session);

/// The scopes of the sessions that searched, each once, in the order of their first session. Those of `nestwright
/// revalidate` do not search.
std::vector<SessionScope> scopes_of(std::span<const ListedSession> sessions);

}  // namespace nestwright
