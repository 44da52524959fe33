#include "reference/kept_reference.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "codegen/fingerprint.h"
#include "support/base/chunks.h"
#include "support/data/hash.h"

namespace nestwright {
namespace {

/// Raised whenever this folder judges otherwise: other values, bounds, samples or refusals.
constexpr int kVersion = 1;

constexpr std::size_t kMostKept = 1 << 16;  // elements of all outputs

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::uint64_t hash_of(const std::vector<double>& values) {
  std::vector<std::uint64_t> of_chunks((values.size() + kChunkElements - 1) / kChunkElements);
  for_chunks(values.size(), [&](std::size_t begin, std::size_t end) {
    std::uint64_t hash = begin;
    for (std::size_t e = begin; e < end; ++e) {
      hash = std::rotl((hash ^ std::bit_cast<std::uint64_t>(values[e])) * 0x9e3779b97f4a7c15, 29);
    }
    of_chunks[begin / kChunkElements] = hash;
  });
  std::uint64_t all = values.size();
  for (const std::uint64_t hash : of_chunks) all = hash_combine(all, hash);
  return all;
}

/// The first byte of a blob: what follows are elements of the reference, nothing, or the message of a refusal.
constexpr char kElements = 'e', kAgreement = 'a', kRefusal = 'r';

/// An element that was judged.
struct Element {
  std::uint64_t output, element;
  double expected, bound;
};

}  // namespace

KeptReference::KeptReference(const HostTensors& inputs, const ReferenceOptions& options) : store_(options.kept_in) {
  if (options.kept_in.empty()) return;
  key_ = fmt::format("judgement {} {} {} {} {} {}", kVersion, code_generator_fingerprint(),
                     static_cast<int>(options.rounding), static_cast<int>(options.parts), options.refuses_infinite,
                     options.subject);
  for (const std::vector<double>& input : inputs) key_ += fmt::format(" {:016x}", hash_of(input));
}

KnownReference KeptReference::find(const Definition& definition) const {
  const std::optional<std::string> blob = store_.find(key_);
  if (!blob || blob->empty()) return {};
  if (blob->front() == kRefusal) return {.refusal = blob->substr(1)};
  KnownReference found{.samples_agree = true};
  if (blob->front() != kElements || (blob->size() - 1) % sizeof(Element) != 0) return found;
  Reference reference;
  for (const Tensor& output : definition.outputs()) {
    const auto elements = static_cast<std::size_t>(output.buffer()->elements());
    reference.expected.emplace_back(elements);
    reference.bound.emplace_back(elements, kInfinity);
  }
  for (std::size_t at = 1; at < blob->size(); at += sizeof(Element)) {
    Element element{};
    std::memcpy(&element, blob->data() + at, sizeof(Element));
    if (element.output >= reference.expected.size() || element.element >= reference.expected[element.output].size()) {
      return found;
    }
    reference.expected[element.output][element.element] = element.expected;
    reference.bound[element.output][element.element] = element.bound;
  }
  found.reference = std::move(reference);
  return found;
}

void KeptReference::keep(const Reference& reference) const {
  std::string blob(1, kElements);
  for (std::size_t o = 0; o < reference.expected.size(); ++o) {
    for (std::size_t e = 0; e < reference.expected[o].size(); ++e) {
      if (reference.expected[o][e] == 0 && std::isinf(reference.bound[o][e])) continue;
      const Element element{o, e, reference.expected[o][e], reference.bound[o][e]};
      blob.append(reinterpret_cast<const char*>(&element), sizeof(Element));
      if (blob.size() <= kMostKept * sizeof(Element)) continue;
      store_.keep(key_, std::string(1, kAgreement));
      return;
    }
  }
  store_.keep(key_, blob);
}

void KeptReference::keep_refusal(const std::string& message) const { store_.keep(key_, kRefusal + message); }

}  // namespace nestwright
