#include "ir/core/elements.h"

namespace nestwright::ir {
namespace {

template <class T>
T from_double(double v) {
  if constexpr (requires { T::from(v); }) {
    return T::from(v);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(std::nearbyint(v));
  } else {
    return static_cast<T>(v);
  }
}

}  // namespace

void encode_elements(Type type, std::span<const double> values, void* memory) {
  with_element(type, [&]<class T>(T*) {
    T* out = static_cast<T*>(memory);
    for (std::size_t i = 0; i < values.size(); ++i) out[i] = from_double<T>(values[i]);
  });
}

void decode_elements(Type type, const void* memory, std::size_t begin, std::size_t stride, std::span<double> values) {
  with_element(type, [&]<class T>(T*) {
    const T* const in = static_cast<const T*>(memory) + begin;
    if (stride == 1) {
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(in[i]);
    } else {
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(in[i * stride]);
    }
  });
}

double element_at(Type type, const void* memory, std::int64_t index) {
  return with_element(type,
                      [&]<class T>(T*) -> double { return static_cast<double>(static_cast<const T*>(memory)[index]); });
}

}  // namespace nestwright::ir
