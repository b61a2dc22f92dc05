// What is far: expansions about cells from cells and bodies.

// A body at a step from a sink, in units of the sink, and what it acts with.
#define FROM_BODY(how, slot, ...)                                                                                                      \
    const Step d = center.from(t, t.first_leaf + (slot) / LEAF);                                                                       \
    const real4 b = t.bodies[slot];                                                                                                    \
    const real w = SOFT2_WITH(t.own_of_slots[slot]);                                                                                   \
    WHAT_ACTS(m, slot, b, per_unit);                                                                                                   \
    how((d.x - b.x) * per_unit, (d.y - b.y) * per_unit, (d.z - b.z) * per_unit, w, m, __VA_ARGS__)

#if GATHERED
// Adds the first columns of the rows FIRST to END - 1: a lane has every 32nd row.
template <int FIRST, int END, typename R> static __device__ __forceinline__ void add_columns(const R *columns, int many, R *sums) {
    __syncwarp();
#pragma unroll 4
    for (int k = 0; k < many; k++) {
#pragma unroll
        for (int i = FIRST / 32; i < (END + 31) / 32; i++) {
            const int row = 32 * i + lane();
            if (row >= FIRST && row < END) sums[i] += columns[33 * row + k];
        }
    }
    __syncwarp();
}
#endif

#if SPLIT
// The same of columns of f32, which are in units of 1 / `unit`, to sums in f64: about a small sink, coefficients in its unit would be below the
// range of f32.
template <int FIRST> static __device__ __forceinline__ void add_high_columns(const float *columns, int many, real unit, real *sums) {
    float high[(ROWS + 31) / 32];
#pragma unroll
    for (int i = 0; i < (ROWS + 31) / 32; i++) high[i] = 0.0f;
    add_columns<FIRST, ROWS>(columns, many, high);
#pragma unroll
    for (int i = 0; i < (ROWS + 31) / 32; i++) sums[i] += real(high[i]) * unit;
}
#endif

// The expansions of the cells of a level and of those below, a warp each. Where they are gathered, moments, and what comes of them, are in
// shared memory: a row for each harmonic, a column for each lane; and above order 8, where they execute
// more than the cache of instructions holds, the warps of a block share a cell, and keep step.
#if GATHERED
extern "C" __global__ void __launch_bounds__(HIGH ? 160 : 32) far_cells(Tree t, int level, int last) {
    extern __shared__ real rows[];
    const int g = cell_at(t, blockIdx.x, level, last), ln = lane(), warps = HIGH ? blockDim.x / 32 : 1;
    const int warp = HIGH ? threadIdx.x / 32 : 0;
    real *const columns = rows + warp * NUMBERS_OF_WARP;
#if SPLIT
    float *const high_columns = (float *)columns;
#endif
#else
extern "C" __global__ void __launch_bounds__(128, FAR_BLOCKS) far_cells(Tree t, int level, int last) {
    const int g = cell_of_warp(t, level, last), ln = lane();
#endif
    if (g < 0) return;
    const Center center(t, g);
    const real unit = t.lines[g].unit, per_unit = real(1) / unit;
#if OWN_SOFTENINGS
    const real own_half = t.lines[g].half;
#else
    const real soft2 = SOFT2_IN(t, unit, per_unit);
#endif
#if GATHERED
    real sums[(ROWS + 31) / 32];
    for (int i = 0; i < (ROWS + 31) / 32; i++) sums[i] = real(0);
    // (lanes that each read a record of their own take 32 lines of the cache for a number)
    Reader cells(t, g, FAR);
#pragma unroll 1
    for (int first = 0, page = 0; first < cells.count; first += 32 * warps) {
        const int at = first + 32 * warp, many = max(min(cells.count - at, 32), 0);
        for (; many > 0 && page < at / PAGE; page++) cells.page = t.links[cells.page];
        const int source = ln < many ? t.pages[(size_t)cells.page * PAGE + (at + ln) % PAGE] : -1;
        // (what lanes without a source find is not added)
        const int other = source >= 0 ? source : g;
        const Step d = center.from(t, other);
#if SPLIT
        real frame[7];
        gather_moments<(SPHERICAL < LOW_ROWS ? SPHERICAL : LOW_ROWS)>(t, source, unit, many, columns);
        __syncwarp();
        from_cell_low(d.x * per_unit, d.y * per_unit, d.z * per_unit, SOFT2_WITH(t.lines[other].half),
                      (real)t.lines[other].unit * per_unit, columns + ln, frame);
        add_columns<0, LOW_ROWS>(columns, many, sums);
        gather_moments<SPHERICAL>(t, source, unit, many, high_columns);
        __syncwarp();
        single::from_cell_high((float)frame[0], (float)frame[1], (float)(frame[2] * per_unit), (float)frame[3], (float)frame[4],
                               (float)frame[5], (float)frame[6], high_columns + ln);
        add_high_columns<0>(high_columns, many, unit, sums);
#else
        gather_moments<SPHERICAL>(t, source, unit, many, columns);
        __syncwarp();
        from_cell_far(d.x * per_unit, d.y * per_unit, d.z * per_unit, SOFT2_WITH(t.lines[other].half), columns + ln,
                      columns + 33 * ROWS + ln);
        add_columns<0, ROWS>(columns, many, sums);
#endif
    }
    Reader bodies(t, g, FAR_BODIES);
#pragma unroll 1
    for (int at = 32 * warp, page = 0; at < bodies.count; at += 32 * warps) {
        const int many = min(bodies.count - at, 32);
        for (; page < at / PAGE; page++) bodies.page = t.links[bodies.page];
        const int slot = ln < many ? t.pages[(size_t)bodies.page * PAGE + (at + ln) % PAGE] : -1;
#if SPLIT
        real place[5];
        if (slot >= 0) {
            FROM_BODY(from_body_low, slot, columns + ln, place);
        }
        add_columns<0, LOW_ROWS>(columns, many, sums);
        if (slot >= 0) {
            const real4 b = t.bodies[slot];
            WHAT_ACTS(m, slot, b, per_unit);
            IN_SINGLE(m, real(1));
            single::from_body_high((float)(place[0] * per_unit), (float)place[1], (float)place[2], (float)place[3], (float)place[4],
                                   single_of_m, high_columns + ln);
        }
        add_high_columns<LOW_ROWS>(high_columns, many, unit, sums);
#else
        if (slot >= 0) {
            FROM_BODY(from_body_far, slot, columns + ln);
        }
        add_columns<0, ROWS>(columns, many, sums);
#endif
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < (ROWS + 31) / 32; i++)
        if (32 * i + ln < ROWS) rows[warp * ROWS + 32 * i + ln] = sums[i];
    __syncthreads();
    if (warp > 0) return;
    for (int row = ln; row < ROWS; row += 32)
        for (int k = 1; k < warps; k++) rows[row] += rows[k * ROWS + row];
    __syncwarp();
    const real *const L = rows + !POTENTIAL;
#else
    real L[HARMONICS];
#pragma unroll
    for (int i = 0; i < HARMONICS; i++) L[i] = real(0);
    each(t, g, FAR, [&](int source) {
        const Step d = center.from(t, source);
        const real ratio = (real)t.lines[source].unit * per_unit;
        real M[SPHERICAL];
        load_record<SPHERICAL>(t.spherical + (size_t)source * t.spherical_stride, M);
        const real w = SOFT2_WITH(t.lines[source].half);
        from_cell_far(d.x * per_unit, d.y * per_unit, d.z * per_unit, w, ratio, M, L);
    });
    each(t, g, FAR_BODIES, [&](int slot) { FROM_BODY(from_body_far, slot, L); });
#pragma unroll
    for (int i = 0; i < HARMONICS; i++) L[i] = warp_sum(L[i]);
#endif
    real *const to = t.locals + (size_t)g * t.locals_stride;
#define WRITE(first, many)                                                \
    _Pragma("unroll") for (int i = 0; i < (many); i++)                    \
        if (ln == (((first) + i) & 31)) to[(first) + i] = all[i];
    EACH_DEGREE(WRITE)
#undef WRITE
}
