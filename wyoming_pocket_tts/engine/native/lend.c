/* Threads that have nothing to do lend themselves to those that do.
 *
 * The engine has two threads. While one waits for the other it may help with whatever the other is at: its loops come in pieces, and a counter says which
 * piece is next. Nobody is obliged to help, so nobody waits for a helper that the system does not run, but for the piece that it has begun.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "kernels.h"

#if defined(__x86_64__)
#define RELAX() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define RELAX() __asm__ volatile("yield")
#else
#define RELAX() (void)0
#endif

typedef struct {
    void (*piece)(const void *, int64_t);
    const void *work;
    int64_t parts;
    atomic_int_fast64_t next;
    atomic_int helpers;
} job;

/* What is being shared, how many threads look for something, and how many are about to join. */
static _Atomic(job *) shared;
static atomic_int lenders, inside;

/* Piece after piece, until there is none or `*stop` is not 0. */
static void take(job *j, const _Atomic int32_t *stop) {
    int64_t part;
    while (!(stop && atomic_load_explicit(stop, memory_order_relaxed)) && (part = atomic_fetch_add(&j->next, 1)) < j->parts) j->piece(j->work, part);
}

void wpt_share(void (*piece)(const void *, int64_t), const void *work, int64_t parts) {
    job mine = {piece, work, parts, 0, 0}, *none = NULL;
    if (parts < 2 || !atomic_load_explicit(&lenders, memory_order_relaxed) || !atomic_compare_exchange_strong(&shared, &none, &mine)) {
        for (int64_t part = 0; part < parts; part++) piece(work, part);
        return;
    }
    take(&mine, NULL);
    atomic_store(&shared, NULL);
    /* Microseconds, unless the system has taken the processor from whoever is at the last piece. */
    for (int64_t turn = 1; atomic_load(&inside) || atomic_load(&mine.helpers); turn++) {
        RELAX();
        if (turn % 4096 == 0) sched_yield();
    }
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

/* Helps until `*stop` is not 0, but no longer than `longest_s`; it sleeps, for moments, where nothing has been shared for a while. */
void wpt_lend(const _Atomic int32_t *stop, double longest_s) {
    const double until = seconds() + longest_s;
    double idle_since = 0;
    atomic_fetch_add(&lenders, 1);
    for (int64_t turn = 0; !atomic_load(stop); turn++) {
        if (atomic_load_explicit(&shared, memory_order_relaxed)) {
            atomic_fetch_add(&inside, 1);
            job *j = atomic_load(&shared);
            if (j) atomic_fetch_add(&j->helpers, 1);
            atomic_fetch_sub(&inside, 1);
            if (j) {
                take(j, stop);
                atomic_fetch_sub(&j->helpers, 1);
            }
            idle_since = 0;
        }
        RELAX();
        if (turn % 64) continue;
        const double now = seconds();
        if (now >= until) break;
        if (!idle_since) idle_since = now;
        if (now - idle_since > 0.0005) nanosleep(&(struct timespec){0, 100000}, NULL);
    }
    atomic_fetch_sub(&lenders, 1);
}
