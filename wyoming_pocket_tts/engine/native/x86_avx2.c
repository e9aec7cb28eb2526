/* For processors with AVX2 and FMA: Intel's since 2013, AMD's since 2015. */
#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#define __AVX2__ 1
#else
#pragma GCC target("avx2,fma")
#endif
#define NAME wpt_avx2
#include "body.h"
#endif
