/* For processors with AVX-512 and its 16-bit products that add up (VNNI). */
#if defined(__x86_64__)
#include <immintrin.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,avx512f,avx512bw,avx512vl,avx512dq,avx512vnni"))), apply_to = function)
#else
#pragma GCC target("avx2,fma,avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")
#endif
#define WPT_AVX512
#define NAME wpt_avx512
#include "body.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
