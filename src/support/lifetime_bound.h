// NESTWRIGHT_LIFETIME_BOUND marks what a result refers into: a parameter or, behind a member function's parameters, the
// object. Where such a result outlives a temporary, clang warns (-Wdangling).
#pragma once

#if defined(__clang__)
#define NESTWRIGHT_LIFETIME_BOUND [[clang::lifetimebound]]
#else
#define NESTWRIGHT_LIFETIME_BOUND
#endif
