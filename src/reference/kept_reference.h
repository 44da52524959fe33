// Keeps what was judged, so that a text is judged once by commands that follow each other.
// Thread rule: a value; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reference/reference.h"
#include "support/data/blob_store.h"

namespace nestwright {

/// What is known of a definition on some inputs.
struct KnownReference {
  bool samples_agree = false;  ///< with the interpreter
  std::optional<Reference> reference = {};
  std::string refusal = {};  ///< the message of the UsageError; empty: it was not refused
};

class KeptReference {
 public:
  KeptReference(const HostTensors& inputs, const ReferenceOptions& options);

  KnownReference find(const Definition& definition) const;
  /// Keeps that the samples agree with the interpreter, and the elements of the reference that were judged, if these
  /// are few.
  void keep(const Reference& reference) const;
  void keep_refusal(const std::string& message) const;

 private:
  BlobStore store_;
  std::string key_;
};

}  // namespace nestwright
