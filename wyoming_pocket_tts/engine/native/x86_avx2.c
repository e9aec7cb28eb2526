/* For processors with AVX2 and FMA: Intel's since 2013, AMD's since 2015. */
#if defined(__x86_64__)
#include <immintrin.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif
#define WPT_AVX2
#define NAME wpt_avx2
#include "body.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
