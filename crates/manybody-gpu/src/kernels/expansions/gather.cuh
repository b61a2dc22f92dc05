// Moments of many cells at a time, in shared memory.

static __device__ __forceinline__ real power_of_two(int k) {
#if REAL_IS_DOUBLE
    return __hiloint2double((1023 + k) << 20, 0);
#else
    return __int_as_float((127 + k) << 23);
#endif
}

// A row for each harmonic.
#define ROWS ((ORDER + 1) * (ORDER + 1))
#if SPLIT
// Those that have parts in f64, which come first in a record; and numbers of a warp: columns of f32 for all rows, whose memory those of f64 use
// before.
#define LOW_ROWS ((IN_F64 + 1) * (IN_F64 + 1))
#define NUMBERS_OF_WARP ((33 * ROWS + 1) / 2)
// (as many moments as there are low rows may end three rows below these)
static_assert(33 * (LOW_ROWS + 3) <= NUMBERS_OF_WARP, "low rows in f64 take more memory than all rows in f32");
#else
// Numbers of a warp: its columns, and in f64 four of each lane.
#define NUMBERS_OF_WARP (33 * ROWS + (REAL_IS_DOUBLE ? 4 * 32 : 0))
#endif

// Gathers the first N moments of the sources of all lanes: harmonic i of lane k at 33 i + k. Lanes read what is side by side. They
// are in units of a sink (units are powers of two), or, where interactions have two parts, in those of their cells.
template <int N, typename R> static __device__ __forceinline__ void gather_moments(const Tree &t, int source, float unit, int many, R *to) {
    const int ln = lane(), own = __float_as_int(unit) >> 23;
    const int above = source >= 0 ? (__float_as_int(t.lines[source].unit) >> 23) - own : 0;
    int degrees[(N + 31) / 32], rows[(N + 31) / 32];
#pragma unroll
    for (int c = 0; c < (N + 31) / 32; c++) {
        const int i = 32 * c + ln, place = i > 0 && !DIPOLES ? i + 3 : i;
        int d = 0;
        while ((d + 1) * (d + 1) <= place) d++;
        degrees[c] = d;
        rows[c] = place;
    }
#pragma unroll 4
    for (int k = 0; k < many; k++) {
        const int from = __shfl_sync(FULL, source, k), doublings = __shfl_sync(FULL, above, k);
        const real *const record = t.spherical + (size_t)from * t.spherical_stride;
#pragma unroll
        for (int c = 0; c < (N + 31) / 32; c++) {
            const int i = 32 * c + ln;
            if (i < N) to[33 * rows[c] + k] = SPLIT ? R(record[i]) : R(record[i] * power_of_two(doublings * degrees[c]));
        }
    }
}
