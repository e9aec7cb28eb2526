/* For processors with AVX-512 and its 16-bit products that add up (VNNI). */
#if defined(__x86_64__)
#pragma GCC target("avx2,fma,avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")
#define NAME wpt_avx512
#include "body.h"
#endif
