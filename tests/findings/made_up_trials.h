// Trials of made-up sessions, for the tests of findings: recorded in a log, and read as reports read them.
// Thread rule: one thread.
#pragma once

#include <string>
#include <vector>

#include "logs/listing/log_reader.h"
#include "logs/listing/sessions.h"
#include "nestwright/config_space.h"

namespace nestwright {

/// Columns that are written by hand.
class MadeUpTrials {
 public:
  explicit MadeUpTrials(std::string template_name = "made_up.cpu") {
    columns_.spaces.push_back({std::move(template_name), 1});
    columns_.messages.emplace_back();
    columns_.origins.emplace_back("random");
  }

  /// A sound trial, of a configuration as Config::str() writes it.
  void add(SessionId session, const std::string& config, double median_ns, std::uint8_t flags = kIsVerified) {
    add_row(session, config, Outcome::kOk, 0);
    columns_.median_ns.back() = median_ns;
    columns_.flags.back() = flags;
  }
  void fail(SessionId session, const std::string& config, Outcome outcome, const std::string& message) {
    columns_.messages.push_back(message);
    add_row(session, config, outcome, static_cast<std::uint32_t>(columns_.messages.size() - 1));
  }
  const TrialColumns& columns() const { return columns_; }

 private:
  void add_row(SessionId session, const std::string& config, Outcome outcome, std::uint32_t message) {
    columns_.id.push_back(static_cast<TrialId>(columns_.id.size()) + 1);
    columns_.session.push_back(session);
    columns_.outcome.push_back(static_cast<std::uint8_t>(outcome));
    columns_.flags.push_back(0);
    for (auto* const times : {&columns_.median_ns, &columns_.low_ns, &columns_.high_ns, &columns_.seconds}) {
      times->push_back(0);
    }
    columns_.space.push_back(0);
    columns_.message.push_back(message);
    columns_.origin.push_back(0);
    for (KnobColumn& column : columns_.knobs) column.value.push_back(-1);
    const Config parsed = Config::parse(config);
    for (const ConfigEntry& entry : parsed.entries()) {
      const std::string value = Config({entry}).str().substr(entry.knob.size() + 1);
      KnobColumn& column = column_of(entry.knob);
      auto at = std::find(column.values.begin(), column.values.end(), value);
      if (at == column.values.end()) at = column.values.insert(at, value);
      column.value.back() = static_cast<std::int32_t>(at - column.values.begin());
    }
  }
  KnobColumn& column_of(const std::string& knob) {
    for (KnobColumn& column : columns_.knobs) {
      if (column.knob == knob) return column;
    }
    columns_.knobs.push_back({0, knob, {}, std::vector<std::int32_t>(columns_.size(), -1)});
    return columns_.knobs.back();
  }

  TrialColumns columns_;
};

/// A session as it is listed, with an anchor where `anchor` is not 0.
inline ListedSession made_up_session(SessionId id, TrialId anchor = 0, double anchor_ns = 0,
                                     const std::string& options_json = "{}") {
  ListedSession session;
  session.id = id;
  session.options = options_json;
  session.status = "done";
  session.anchor = anchor;
  session.anchor_ns = anchor_ns;
  return session;
}

}  // namespace nestwright
