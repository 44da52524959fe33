// Says whether this code is compiled for AddressSanitizer or ThreadSanitizer. Their runtimes reserve terabytes of
// addresses and start processes of their own. Thread rule: a constant.
#pragma once

namespace nestwright {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsSanitized = true;
#elif defined(__has_feature)
inline constexpr bool kIsSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool kIsSanitized = false;
#endif

}  // namespace nestwright
