#include "bench/comparison/timing/request.h"

#include "support/data/wire.h"

namespace nestwright::bench {

std::string encode(const ContestRequest& request) {
  Encoder encoder;
  encoder.bytes(request.workload).i64(request.threads).bytes(name_of(request.weights)).bytes(name_of(request.pages));
  encoder.bytes(name_of(request.caches)).bytes(request.database).bytes(request.template_name);
  encoder.i64(static_cast<std::int64_t>(request.tensors.size()));
  for (const TensorLayout& layout : request.tensors) encode(encoder, layout);
  return encoder.str();
}

ContestRequest decode_contest_request(std::string_view message) {
  Decoder decoder(message);
  ContestRequest request;
  request.workload = decoder.bytes();
  request.threads = static_cast<int>(decoder.i64());
  request.weights = parse_weights(decoder.bytes());
  request.pages = parse_pages(decoder.bytes());
  request.caches = parse_caches(decoder.bytes());
  request.database = decoder.bytes();
  request.template_name = decoder.bytes();
  for (std::int64_t left = decoder.i64(); left > 0; --left) request.tensors.push_back(decode_tensor_layout(decoder));
  return request;
}

}  // namespace nestwright::bench
