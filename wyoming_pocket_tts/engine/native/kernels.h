/* What the engine's hot loops are called with; the same layouts as in torch, contiguous.
 *
 * One step of FlowLM reads every weight once, for a handful of rows: it lives on the memory's speed, and on how little is done besides. A row's
 * result never depends on the rows beside it: integers are summed exactly, floats in one order whatever the number of rows.
 */
#ifndef WPT_KERNELS_H
#define WPT_KERNELS_H

#include <stdint.h>

enum { WPT_NONE = 0, WPT_GELU = 1, WPT_SILU = 2, WPT_ELU = 3 };

/* y = activation(x @ weight.T + bias [+ residual]), with x and y [batches, rows, ...] */
typedef struct {
    /* int8: [outputs / 2, inputs / 64, 2, 64], padded with zeros, each output times its scale. float32: [outputs / panel, inputs, panel]. */
    const void *weight;
    const float *scales; /* [outputs] */
    const float *bias;   /* [outputs] or NULL */
    int64_t inputs, outputs;
    int32_t activation;
} wpt_linear;

/* Inputs. Rows may overlap: a convolution's window is a row that begins one step after the row before. */
typedef struct {
    const float *data;
    int64_t batches, rows;
    int64_t batch, row; /* from one to the next, in floats */
} wpt_rows;

/* One step of attention of several sequences, each over its own cache. */
typedef struct {
    int64_t heads, kv_heads, width; /* width: of a head, a multiple of 32, at most 256 */
    int32_t half;                   /* the caches hold bfloat16, else float32 */
} wpt_attention;

/* The cache of a row: [layers, kv_heads, capacity, width], of which `length` positions are in use. */
typedef struct {
    void *keys, *values;
    int64_t capacity, length;
} wpt_cache;

/* A layer norm. */
typedef struct {
    const float *weight, *bias; /* [width] both, or NULL both */
    int64_t width;
    float eps;
} wpt_norm;

typedef struct {
    int (*linear_int8)(const wpt_linear *, const wpt_rows *, const float *residual, float *y);
    int (*linear_float)(const wpt_linear *, const wpt_rows *, const float *residual, float *y);
    int (*attend)(const wpt_attention *, int64_t layer, const float *qkv, const float *rotations, const wpt_cache *, int64_t rows, float *out);
    void (*norm)(const wpt_norm *, const float *x, int64_t rows, const float *scale, const float *shift, int64_t between, float *y);
    void (*apply)(int32_t activation, const float *x, int64_t count, float *y);
    int64_t (*panel)(int64_t outputs);
} wpt_table;

/* Does `parts` pieces of work, each once, here and in a thread that lends itself (lend.c). Pieces must not depend on each other. */
void wpt_share(void (*piece)(const void *, int64_t), const void *work, int64_t parts);

extern const wpt_table wpt_plain;
#if defined(__x86_64__)
extern const wpt_table wpt_avx2, wpt_avx512;
#endif

#endif
