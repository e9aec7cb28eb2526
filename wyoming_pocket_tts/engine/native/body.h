/* The loops, once for each set of instructions: whoever includes this has said with a pragma and by WPT_AVX2 or WPT_AVX512 which one (clang does not
 * define __AVX2__ by a pragma), and gives the table's NAME. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

#define INLINE static inline __attribute__((always_inline))

/* Floats that a register holds, outputs of a panel of float32 weights, and rows whose sums fit beside it. */
#if defined(WPT_AVX512)
#define LANES 16
#define WPT_PANEL 32
#define MOST_ROWS 8
#elif defined(WPT_AVX2)
#define LANES 8
#define WPT_PANEL 16
#define MOST_ROWS 6
#else
/* ARM has registers for six rows, but gcc (12, 14) loads so far ahead that it runs out of them; four already keep its multipliers busy. */
#define LANES 4
#define WPT_PANEL 16
#define MOST_ROWS 4
#endif
/* Of inputs, to stay near. */
#define NEAR_BYTES (128 * 1024)
typedef float vec __attribute__((vector_size(4 * LANES)));
typedef int32_t ivec __attribute__((vector_size(4 * LANES)));
typedef uint32_t uvec __attribute__((vector_size(4 * LANES)));

INLINE vec load(const float *p) {
    vec v;
    memcpy(&v, p, sizeof v);
    return v;
}
INLINE void store(float *p, vec v) { memcpy(p, &v, sizeof v); }
INLINE vec all(float x) { return x - (vec){0}; }
INLINE float sum(vec v) {
    float s[LANES];
    memcpy(s, &v, sizeof v);
    for (int half = LANES / 2; half; half /= 2)
        for (int i = 0; i < half; i++) s[i] += s[i + half];
    return s[0];
}
INLINE vec pick(ivec mask, vec yes, vec no) { return (vec)((mask & (ivec)yes) | (~mask & (ivec)no)); }
/* What is not a number stays none: the engine looks for it in the end. */
INLINE vec at_most(vec a, vec limit) { return pick(a > limit, limit, a); }
INLINE vec at_least(vec a, vec limit) { return pick(a < limit, limit, a); }

/* e^x within 1.5 units of the last place: 2^n * e^r with |r| <= ln 2 / 2, and e^r by its series. Below -87 it is held there. */
INLINE vec exponential(vec x) {
    const vec shift = all(12582912.0f); /* 1.5 * 2^23: adding it leaves the nearest integer in the lowest bits */
    x = at_least(at_most(x, all(88.0f)), all(-87.0f));
    vec n = x * all(1.44269504f) + shift;
    uvec power = ((uvec)n + 127) << 23;
    n -= shift;
    vec r = x - n * all(0.693359375f) - n * all(-2.12194440e-4f);
    vec y = all(1.0f / 5040);
    y = y * r + all(1.0f / 720);
    y = y * r + all(1.0f / 120);
    y = y * r + all(1.0f / 24);
    y = y * r + all(1.0f / 6);
    y = y * r + all(0.5f);
    y = y * r + all(1.0f);
    y = y * r + all(1.0f);
    return y * (vec)power;
}

INLINE vec sigmoid(vec x) { return 1 / (1 + exponential(-x)); }

INLINE vec activate(vec x, int32_t activation) {
    switch (activation) {
    case WPT_GELU: /* approximated by tanh, written as x * sigmoid(2 * sqrt(2 / pi) * (x + 0.044715 * x^3)): arXiv 1606.08415 */
        return x * sigmoid(x * (1.59576912f + 0.0713548163f * x * x));
    case WPT_SILU:
        return x * sigmoid(x);
    case WPT_ELU:
        return pick(x <= 0, exponential(x) - 1, x);
    default:
        return x;
    }
}

/* Some values less than a register holds, and back. */
INLINE vec load_some(const float *p, int64_t count) {
    float lanes[LANES] = {0};
    memcpy(lanes, p, count * sizeof *p);
    return load(lanes);
}
INLINE void store_some(float *p, vec v, int64_t count) {
    float lanes[LANES];
    store(lanes, v);
    memcpy(p, lanes, count * sizeof *p);
}

typedef struct {
    int32_t activation;
    const float *x;
    int64_t count;
    float *y;
} application;

#define APPLIED 8192

static void apply_part(const void *shared, int64_t part) {
    const application *a = shared;
    const int64_t end = (part + 1) * APPLIED < a->count ? (part + 1) * APPLIED : a->count;
    int64_t i = part * APPLIED;
    for (; i + LANES <= end; i += LANES) store(a->y + i, activate(load(a->x + i), a->activation));
    if (i < end) store_some(a->y + i, activate(load_some(a->x + i, end - i), a->activation), end - i);
}

static void apply(int32_t activation, const float *x, int64_t count, float *y) {
    const application a = {activation, x, count, y};
    wpt_share(apply_part, &a, (count + APPLIED - 1) / APPLIED);
}

/* Products of int8 weights and int16 inputs, added up in int32. */
#if defined(WPT_AVX512)
#define STEP 32
typedef __m512i sums, shorts;
#define SUMS_ZERO _mm512_setzero_si512()
#define WEIGHTS(p) _mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)(p)))
#define INPUTS(p) _mm512_load_si512(p)
#define ADD_PRODUCTS(acc, w, x) acc = _mm512_dpwssd_epi32(acc, w, x)
#define TOTAL(acc) _mm512_reduce_add_epi32(acc)
#elif defined(WPT_AVX2)
#define STEP 16
typedef __m256i sums, shorts;
#define SUMS_ZERO _mm256_setzero_si256()
#define WEIGHTS(p) _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(p)))
#define INPUTS(p) _mm256_load_si256((const __m256i *)(p))
/* Left to itself the compiler adds into other registers and moves them back, and loads inputs once for each weight: a third slower. */
#define ADD_PRODUCTS(acc, w, x)                                \
    do {                                                       \
        const __m256i products = _mm256_madd_epi16(w, x);      \
        __asm__("vpaddd %1, %0, %0" : "+x"(acc) : "x"(products)); \
    } while (0)
#define IN_REGISTER(x) __asm__("" : "+x"(x))
INLINE int32_t total(__m256i v) {
    __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
    return _mm_cvtsi128_si32(_mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1)));
}
#define TOTAL(acc) total(acc)
#elif defined(__aarch64__)
#define STEP 8
/* Two of them, so that no sum waits for the one just before it. */
typedef struct {
    int32x4_t low, high;
} sums;
typedef int16x8_t shorts;
#define SUMS_ZERO ((sums){vdupq_n_s32(0), vdupq_n_s32(0)})
#define WEIGHTS(p) vmovl_s8(vld1_s8(p))
#define INPUTS(p) vld1q_s16(p)
#define ADD_PRODUCTS(acc, w, x)                                                    \
    do {                                                                           \
        (acc).low = vmlal_s16((acc).low, vget_low_s16(w), vget_low_s16(x));        \
        (acc).high = vmlal_high_s16((acc).high, w, x);                             \
    } while (0)
#define TOTAL(acc) vaddvq_s32(vaddq_s32((acc).low, (acc).high))
#else
#define STEP 1
typedef int32_t sums;
typedef int16_t shorts;
#define SUMS_ZERO 0
#define WEIGHTS(p) (*(p))
#define INPUTS(p) (*(p))
#define ADD_PRODUCTS(acc, w, x) acc += (int32_t)(w) * (x)
#define TOTAL(acc) (acc)
#endif
#ifndef IN_REGISTER
#define IN_REGISTER(x) (void)0
#endif

/* Bytes of a line of the cache, and how far ahead of what is being read memory is asked for: the processor itself looks no further than its page of
 * 4 KiB. */
#define LINE 64
#define AHEAD 2048
/* Inputs of int8 products are padded with zeros to whole lines of weights, and weights lie in pairs of outputs, a line of each in turn: one stream
 * that the processor foresees. */
#define PAIR 2

/* What a product is made of. */
typedef struct {
    const wpt_linear *l;
    int64_t rows;
    int64_t inputs; /* of the padded rows */
    int64_t stride; /* from one row of inputs to the next, in elements */
    const int16_t *x;
    const float *steps; /* [rows]: what the inputs count */
    float *y;
} work;

INLINE void put(const work *w, int64_t row, int64_t output, float value) {
    /* Rounded here: the compiler would else round product and sum at once in the loop for so many rows, and not in the one for so many others. */
    __asm__("" : "+m"(value));
    if (output < w->l->outputs) w->y[row * w->l->outputs + output] = w->l->bias ? value + w->l->bias[output] : value;
}

/* The outputs `output` and the next of some rows from `row` on. The count is a constant where it is called, so the loops over rows are unrolled and
 * the sums stay in registers. */
INLINE void pair_int8(const work *w, int64_t row, int64_t output, const int rows) {
    const int8_t *weight = (const int8_t *)w->l->weight + output * w->inputs;
    const int16_t *x = w->x + row * w->stride;
    sums acc[PAIR][4];
    for (int o = 0; o < PAIR; o++)
        for (int r = 0; r < rows; r++) acc[o][r] = SUMS_ZERO;
    for (int64_t i = 0; i < w->inputs; i += LINE) {
        for (int o = 0; o < PAIR; o++) __builtin_prefetch(weight + PAIR * i + o * LINE + AHEAD);
        for (int step = 0; step < LINE; step += STEP) {
            shorts weights[PAIR];
            for (int o = 0; o < PAIR; o++) weights[o] = WEIGHTS(weight + PAIR * i + o * LINE + step);
            for (int r = 0; r < rows; r++) {
                shorts in = INPUTS(x + r * w->stride + i + step);
                IN_REGISTER(in);
                for (int o = 0; o < PAIR; o++) ADD_PRODUCTS(acc[o][r], weights[o], in);
            }
        }
    }
    for (int o = 0; o < PAIR; o++)
        for (int r = 0; r < rows; r++) put(w, row + r, output + o, TOTAL(acc[o][r]) * (w->steps[row + r] * w->l->scales[output + o]));
}

/* All rows pass by some outputs' weights while those are in the nearest cache. */
#define PANEL 16

static void panel_int8(const void *shared, int64_t part) {
    const work *w = shared;
    const int64_t begin = part * PANEL, end = begin + PANEL < w->l->outputs ? begin + PANEL : w->l->outputs;
    int64_t r = 0;
    for (; r + 4 <= w->rows; r += 4)
        for (int64_t o = begin; o < end; o += PAIR) pair_int8(w, r, o, 4);
    if (r + 2 <= w->rows) {
        for (int64_t o = begin; o < end; o += PAIR) pair_int8(w, r, o, 2);
        r += 2;
    }
    if (r < w->rows)
        for (int64_t o = begin; o < end; o += PAIR) pair_int8(w, r, o, 1);
}

/* A row of all batches' rows. */
INLINE const float *row_of(const wpt_rows *x, int64_t row) { return x->data + row / x->rows * x->batch + row % x->rows * x->row; }

INLINE int64_t padded(int64_t count, int64_t unit) { return (count + unit - 1) / unit * unit; }

/* The row in steps of its own size, as fine as sums of 32 bits allow, padded with zeros; returns the size of a step. */
INLINE float quantise(const float *x, int64_t count, int64_t inputs, int16_t *q) {
    vec most = all(0), zero = all(0);
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        const vec v = load(x + i);
        most = at_least(most, at_least(v, -v));
        zero += v * 0; /* unless it is infinite, or not a number */
    }
    float lanes[LANES], largest = 0, finite = sum(zero);
    store(lanes, most);
    for (int lane = 0; lane < LANES; lane++) largest = lanes[lane] > largest ? lanes[lane] : largest;
    for (; i < count; i++) {
        largest = fabsf(x[i]) > largest ? fabsf(x[i]) : largest;
        finite += x[i] * 0;
    }
    if (finite != 0) {
        memset(q, 0, inputs * sizeof *q);
        return NAN;
    }
    int64_t levels = INT32_MAX / (127 * inputs);
    if (levels > INT16_MAX) levels = INT16_MAX;
    const float inverse = largest > 0 ? levels / largest : 0;
    for (i = 0; i < count; i++) {
        const float shifted = x[i] * inverse + 12582912.0f; /* the nearest integer is in its lowest bits */
        int32_t bits;
        memcpy(&bits, &shifted, 4);
        q[i] = (int16_t)bits;
    }
    memset(q + count, 0, (inputs - count) * sizeof *q);
    return largest / levels;
}

static int linear_int8(const wpt_linear *l, const wpt_rows *x, const float *residual, float *y) {
    const int64_t inputs = padded(l->inputs, LINE), stride = inputs + LINE / 2; /* not a power of two: rows would push each other out of the cache */
    const int64_t rows = x->batches * x->rows;
    float *steps = aligned_alloc(LINE, padded(4 * rows, LINE) + 2 * rows * stride);
    if (!steps) return -1;
    int16_t *numbers = (int16_t *)((char *)steps + padded(4 * rows, LINE));
    for (int64_t r = 0; r < rows; r++) steps[r] = quantise(row_of(x, r), l->inputs, inputs, numbers + r * stride);
    const work w = {l, rows, inputs, stride, numbers, steps, y};
    wpt_share(panel_int8, &w, (l->outputs + PANEL - 1) / PANEL);
    free(steps);
    const int64_t count = rows * l->outputs;
    if (residual)
        for (int64_t i = 0; i < count; i++) y[i] += residual[i];
    if (l->activation != WPT_NONE) apply(l->activation, y, count, y);
    return 0;
}

/* float32: the products of some rows with a panel of outputs, which registers hold; inputs in their order, whatever the number of rows. */
#define VECS (WPT_PANEL / LANES)

static int64_t panel_of(int64_t outputs) { return outputs < 4 ? 1 : WPT_PANEL; }

INLINE void panel_float(const wpt_linear *l, const wpt_rows *x, const float *from, int64_t panel, const int rows, const float *residual, float *y) {
    const float *weight = (const float *)l->weight + panel * l->inputs;
    const int64_t outputs = l->outputs, left = outputs - panel;
    vec acc[MOST_ROWS][VECS];
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < VECS; v++) acc[r][v] = all(0);
    for (int64_t i = 0; i < l->inputs; i++) {
        vec w[VECS];
        for (int v = 0; v < VECS; v++) w[v] = load(weight + v * LANES);
        __builtin_prefetch((const char *)weight + AHEAD);
        for (int r = 0; r < rows; r++) {
            const vec in = all(from[r * x->row + i]);
            for (int v = 0; v < VECS; v++) acc[r][v] += in * w[v];
        }
        weight += WPT_PANEL;
    }
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < VECS; v++) {
            const int64_t at = panel + v * LANES, here = r * outputs + at, some = left - v * LANES;
            vec sum = acc[r][v];
            if (some >= LANES) {
                if (l->bias) sum += load(l->bias + at);
                if (residual) sum += load(residual + here);
                store(y + here, activate(sum, l->activation));
            } else if (some > 0) {
                if (l->bias) sum += load_some(l->bias + at, some);
                if (residual) sum += load_some(residual + here, some);
                store_some(y + here, activate(sum, l->activation), some);
            }
        }
}

/* The same for outputs too few to fill a panel: each of them a row of weights. */
static void few_outputs(const wpt_linear *l, const wpt_rows *x, const float *residual, float *y) {
    const int64_t rows = x->batches * x->rows;
    for (int64_t r = 0; r < rows; r++) {
        const float *from = row_of(x, r);
        for (int64_t o = 0; o < l->outputs; o++) {
            const float *weight = (const float *)l->weight + o * l->inputs;
            vec acc = all(0);
            int64_t i = 0;
            for (; i + LANES <= l->inputs; i += LANES) acc += load(from + i) * load(weight + i);
            if (i < l->inputs) acc += load_some(from + i, l->inputs - i) * load_some(weight + i, l->inputs - i);
            float value = sum(acc);
            if (l->bias) value += l->bias[o];
            if (residual) value += residual[r * l->outputs + o];
            y[r * l->outputs + o] = value;
        }
    }
    if (l->activation != WPT_NONE) apply(l->activation, y, rows * l->outputs, y);
}

/* A product cut into pieces: some rows, as many as stay in the second cache while panels pass by, with some panels. */
typedef struct {
    const wpt_linear *l;
    const wpt_rows *x;
    const float *residual;
    float *y;
    int64_t chunk, chunks; /* rows of a piece, and pieces that a batch has of them */
    int64_t panels;        /* of a piece */
    int64_t across;        /* pieces for the same rows */
} cut;

static void piece_float(const void *shared, int64_t part) {
    const cut *c = shared;
    const wpt_linear *l = c->l;
    const wpt_rows *x = c->x;
    const int64_t group = part / c->across, batch = group / c->chunks, first = group % c->chunks * c->chunk;
    const int64_t end = first + c->chunk < x->rows ? first + c->chunk : x->rows;
    const int64_t from_output = part % c->across * c->panels * WPT_PANEL, to_output = from_output + c->panels * WPT_PANEL;
    for (int64_t panel = from_output; panel < to_output && panel < l->outputs; panel += WPT_PANEL) {
        for (int64_t r = first; r < end;) {
            const float *from = x->data + batch * x->batch + r * x->row;
            const int64_t at = (batch * x->rows + r) * l->outputs;
            const float *add = c->residual ? c->residual + at : NULL;
#define ROWS(n)                                                  \
    case n:                                                      \
        panel_float(l, x, from, panel, n, add, c->y + at);       \
        r += n;                                                  \
        break;
            switch (end - r < MOST_ROWS ? end - r : MOST_ROWS) {
                ROWS(1)
                ROWS(2)
                ROWS(3)
                ROWS(4)
#if MOST_ROWS >= 6
                ROWS(5)
                ROWS(6)
#endif
#if MOST_ROWS == 8
                ROWS(7)
                ROWS(8)
#endif
            }
#undef ROWS
        }
    }
}

/* Multiplications of a piece, at least: some ten microseconds, which is worth the handing over. */
#define PIECE (512 * 1024)

static int linear_float(const wpt_linear *l, const wpt_rows *x, const float *residual, float *y) {
    if (panel_of(l->outputs) == 1) {
        few_outputs(l, x, residual, y);
        return 0;
    }
    if (!x->batches || !x->rows) return 0;
    cut c = {.l = l, .x = x, .residual = residual, .y = y};
    c.chunk = NEAR_BYTES / (4 * x->row + 1) / MOST_ROWS * MOST_ROWS;
    if (c.chunk < 8 * MOST_ROWS) c.chunk = 8 * MOST_ROWS;
    if (c.chunk > x->rows) c.chunk = x->rows;
    c.chunks = (x->rows + c.chunk - 1) / c.chunk;
    c.panels = PIECE / (c.chunk * l->inputs * WPT_PANEL) + 1;
    c.across = (l->outputs + c.panels * WPT_PANEL - 1) / (c.panels * WPT_PANEL);
    wpt_share(piece_float, &c, x->batches * c.chunks * c.across);
    return 0;
}

/* Keys and values, float32 or the upper half of it (bfloat16). */
INLINE vec load_half(const uint16_t *p) {
    uint16_t h[LANES];
    uint32_t wide[LANES];
    vec v;
    memcpy(h, p, sizeof h);
    for (int i = 0; i < LANES; i++) wide[i] = (uint32_t)h[i] << 16;
    memcpy(&v, wide, sizeof v);
    return v;
}
INLINE vec load_kept(const void *p, int64_t at, const int half) {
    return half ? load_half((const uint16_t *)p + at) : load((const float *)p + at);
}
INLINE void keep(void *p, int64_t at, float x, const int half) {
    if (!half) {
        ((float *)p)[at] = x;
        return;
    }
    uint32_t bits;
    memcpy(&bits, &x, 4);
    /* To the nearest, and to even in the middle; what is not a number stays none. */
    uint32_t rounded = x == x ? bits + 0x7fff + (bits >> 16 & 1) : bits | 0x400000;
    ((uint16_t *)p)[at] = rounded >> 16;
}

/* Turns the pairs (2i, 2i + 1) of a head by the complex numbers of its position. */
INLINE void rotate(const float *in, const float *rotation, int64_t width, float *out) {
    for (int64_t i = 0; i < width; i += 2) {
        out[i] = in[i] * rotation[i] - in[i + 1] * rotation[i + 1];
        out[i + 1] = in[i] * rotation[i + 1] + in[i + 1] * rotation[i];
    }
}

#define WIDEST 256

/* Has the memory bring a position of a head's cache; beyond the end nothing happens. */
#define POSITIONS_AHEAD 16
INLINE void ask_for(const void *kept, int64_t position, int64_t width, const int half) {
    const int64_t bytes = width * (half ? 2 : 4);
    for (int64_t at = 0; at < bytes; at += LINE) __builtin_prefetch((const char *)kept + position * bytes + at);
}

/* One query over a head's cache. `scores` has room for `count`. */
INLINE void attend_head(const float *query, const void *keys, const void *values, int64_t count, int64_t width, const int half, float *scores, float *out) {
    const float scale = 1 / sqrtf((float)width);
    float largest = -INFINITY;
    for (int64_t t = 0; t < count; t++) {
        vec even = all(0), odd = all(0);
        for (int64_t i = 0; i < width; i += 2 * LANES) {
            even += load(query + i) * load_kept(keys, t * width + i, half);
            odd += load(query + i + LANES) * load_kept(keys, t * width + i + LANES, half);
        }
        ask_for(keys, t + POSITIONS_AHEAD, width, half);
        scores[t] = sum(even + odd) * scale;
        largest = scores[t] > largest ? scores[t] : largest;
    }
    int64_t at = 0;
    for (; at + LANES <= count; at += LANES) store(scores + at, exponential(load(scores + at) - largest));
    if (at < count) store_some(scores + at, exponential(load_some(scores + at, count - at) - largest), count - at);
    float total = 0;
    for (int64_t t = 0; t < count; t++) total += scores[t];
    vec mean[WIDEST / LANES];
    for (int64_t i = 0; i < width / LANES; i++) mean[i] = all(0);
    for (int64_t t = 0; t < count; t++) {
        ask_for(values, t + POSITIONS_AHEAD, width, half);
        for (int64_t i = 0; i < width / LANES; i++) mean[i] += scores[t] * load_kept(values, t * width + i * LANES, half);
    }
    for (int64_t i = 0; i < width / LANES; i++) store(out + i * LANES, mean[i] / total);
}

typedef struct {
    const wpt_attention *a;
    int64_t layer;
    const float *qkv, *rotations;
    const wpt_cache *caches;
    float *out;
    float *scores; /* [rows * kv_heads, room] */
    int64_t room;
} attention;

/* A key head of a row, with the queries that share it. */
static void attend_part(const void *shared, int64_t part) {
    const attention *s = shared;
    const wpt_attention *a = s->a;
    const int64_t width = a->width, group = a->heads / a->kv_heads, r = part / a->kv_heads, h = part % a->kv_heads;
    const wpt_cache *cache = s->caches + r;
    const float *rotation = s->rotations + r * width;
    const float *row = s->qkv + r * (a->heads + 2 * a->kv_heads) * width;
    const int64_t size = cache->capacity * width * (a->half ? 2 : 4);
    char *keys = (char *)cache->keys + (s->layer * a->kv_heads + h) * size;
    char *values = (char *)cache->values + (s->layer * a->kv_heads + h) * size;
    float turned[WIDEST];
    rotate(row + (a->heads + h) * width, rotation, width, turned);
    const float *value = row + (a->heads + a->kv_heads + h) * width;
    for (int64_t i = 0; i < width; i++) {
        keep(keys, cache->length * width + i, turned[i], a->half);
        keep(values, cache->length * width + i, value[i], a->half);
    }
    for (int64_t q = h * group; q < (h + 1) * group; q++) {
        rotate(row + q * width, rotation, width, turned);
        float *scores = s->scores + part * s->room, *to = s->out + (r * a->heads + q) * width;
        if (width == 64 && a->half)
            attend_head(turned, keys, values, cache->length + 1, 64, 1, scores, to);
        else if (width == 64)
            attend_head(turned, keys, values, cache->length + 1, 64, 0, scores, to);
        else
            attend_head(turned, keys, values, cache->length + 1, width, a->half, scores, to);
    }
}

static int attend(const wpt_attention *a, int64_t layer, const float *qkv, const float *rotations, const wpt_cache *caches, int64_t rows, float *out) {
    attention s = {a, layer, qkv, rotations, caches, out, NULL, 0};
    for (int64_t r = 0; r < rows; r++) s.room = caches[r].length + 1 > s.room ? caches[r].length + 1 : s.room;
    s.room = padded(s.room, LINE / 4);
    s.scores = aligned_alloc(LINE, 4 * s.room * rows * a->kv_heads);
    if (!s.scores) return -1;
    wpt_share(attend_part, &s, rows * a->kv_heads);
    free(s.scores);
    return 0;
}

/* (x - mean) / deviation * weight + bias, then * (1 + scale) + shift where there are such. */
static void norm(const wpt_norm *n, const float *x, int64_t rows, const float *scale, const float *shift, int64_t between, float *y) {
    const int64_t width = n->width, whole = width / LANES * LANES;
    for (int64_t r = 0; r < rows; r++, x += width, y += width, scale += scale ? between : 0, shift += shift ? between : 0) {
        vec total = all(0);
        for (int64_t i = 0; i < whole; i += LANES) total += load(x + i);
        float mean = sum(total);
        for (int64_t i = whole; i < width; i++) mean += x[i];
        mean /= width;
        vec squares = all(0);
        for (int64_t i = 0; i < whole; i += LANES) {
            const vec d = load(x + i) - mean;
            squares += d * d;
        }
        float variance = sum(squares);
        for (int64_t i = whole; i < width; i++) variance += (x[i] - mean) * (x[i] - mean);
        const float factor = 1 / sqrtf(variance / width + n->eps);
        for (int64_t i = 0; i < width; i += LANES) {
            const int64_t some = width - i < LANES ? width - i : LANES;
#define PART(p) (some == LANES ? load((p) + i) : load_some((p) + i, some))
            vec v = (PART(x) - mean) * factor;
            if (n->weight) v = v * PART(n->weight) + PART(n->bias);
            if (scale) v = v * (1 + PART(scale)) + PART(shift);
#undef PART
            if (some == LANES)
                store(y + i, v);
            else
                store_some(y + i, v, some);
        }
    }
}

const wpt_table NAME = {linear_int8, linear_float, attend, norm, apply, panel_of};
