#include "findings/session_scope.h"

#include <algorithm>

#include "nestwright/error.h"
#include "space/config_json.h"

namespace nestwright {

std::string SessionScope::str() const {
  std::string text = template_name.empty() ? "" : "--template " + template_name;
  if (!restriction.empty()) text += (text.empty() ? "" : " ") + restriction.str();
  return text;
}

SessionScope scope_of(const ListedSession& session) {
  try {
    RecordedRestriction recorded = restriction_from_json(session.options);
    return {std::move(recorded.template_name), std::move(recorded.restriction)};
  } catch (const UsageError&) {
    return {};
  }
}

std::vector<SessionScope> scopes_of(std::span<const ListedSession> sessions) {
  std::vector<SessionScope> scopes;
  std::vector<std::string> known;
  for (const ListedSession& session : sessions) {
    if (session.strategy == kRevalidateStrategy) continue;
    SessionScope scope = scope_of(session);
    if (std::find(known.begin(), known.end(), scope.str()) != known.end()) continue;
    known.push_back(scope.str());
    scopes.push_back(std::move(scope));
  }
  return scopes;
}

}  // namespace nestwright
