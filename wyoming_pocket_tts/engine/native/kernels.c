/* The functions that Python calls, and for every processor the plain loops. */
#define NAME wpt_plain
#include "body.h"

static const wpt_table *table = &wpt_plain;

/* Of what Python knows: a library that was built from other sources is not used. */
int wpt_version(void) { return 1; }

__attribute__((constructor)) static void choose(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) table = &wpt_avx2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vnni"))
        table = &wpt_avx512;
#endif
}

/* How many outputs a panel of float32 weights has, where there are so many in all. */
int64_t wpt_panel(int64_t outputs) { return table->panel(outputs); }

/* Inputs are `data`, [batches, rows, inputs] with `batch` and `row` floats from one to the next. 0, or -1 where there is no memory. */
int wpt_linear_int8(const wpt_linear *l, const float *data, int64_t batches, int64_t rows, int64_t batch, int64_t row, const float *residual, float *y) {
    const wpt_rows x = {data, batches, rows, batch, row};
    return table->linear_int8(l, &x, residual, y);
}
int wpt_linear_float(const wpt_linear *l, const float *data, int64_t batches, int64_t rows, int64_t batch, int64_t row, const float *residual, float *y) {
    const wpt_rows x = {data, batches, rows, batch, row};
    return table->linear_float(l, &x, residual, y);
}
int wpt_attend(const wpt_attention *a, int64_t layer, const float *qkv, const float *rotations, const wpt_cache *caches, int64_t rows, float *out) {
    return table->attend(a, layer, qkv, rotations, caches, rows, out);
}
/* `scale` and `shift` are of each row, so many floats from one to the next, or NULL. */
void wpt_layer_norm(const wpt_norm *n, const float *x, int64_t rows, const float *scale, const float *shift, int64_t between, float *y) {
    table->norm(n, x, rows, scale, shift, between, y);
}
void wpt_apply(int32_t activation, const float *x, int64_t count, float *y) { table->apply(activation, x, count, y); }
