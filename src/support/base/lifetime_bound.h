// NESTWRIGHT_LIFETIME_BOUND marks a parameter, or after the parameter list the object itself, that the result of a
// function refers to. clang warns if such a result outlives a temporary (-Wdangling).
// Thread rule: a macro.
#pragma once

#if defined(__clang__)
#define NESTWRIGHT_LIFETIME_BOUND [[clang::lifetimebound]]
#else
#define NESTWRIGHT_LIFETIME_BOUND
#endif
