// What is far: expansions about cells from cells and bodies.

// A body at a step from a sink, in units of the sink, and what it acts with.
#define FROM_BODY(slot, to)                                                                                                            \
    const Step d = center.from(t, t.first_leaf + (slot) / LEAF);                                                                       \
    const real4 b = t.bodies[slot];                                                                                                    \
    const real w = SOFT2_WITH(t.own_of_slots[slot]);                                                                                   \
    WHAT_ACTS(m, slot, b, per_unit);                                                                                                   \
    from_body_far((d.x - b.x) * per_unit, (d.y - b.y) * per_unit, (d.z - b.z) * per_unit, w, m, to)

#if GATHERED
// Adds the first columns of each row: a lane has every 32nd row.
static __device__ __forceinline__ void add_columns(const real *columns, int many, real *sums) {
    __syncwarp();
#pragma unroll 4
    for (int k = 0; k < many; k++) {
#pragma unroll
        for (int i = 0; i < (ROWS + 31) / 32; i++) {
            const int row = 32 * i + lane();
            if (row < ROWS) sums[i] += columns[33 * row + k];
        }
    }
    __syncwarp();
}
#endif

// The expansions of the cells of a level and of those below, a warp each. Where they are gathered, moments, and what comes of them, are in
// shared memory: a row for each harmonic, a column for each lane; and above order 8, where they execute
// more than the cache of instructions holds, the warps of a block share a cell, and keep step.
#if GATHERED
extern "C" __global__ void __launch_bounds__(HIGH ? 128 : 32) far_cells(Tree t, int level, int last) {
    extern __shared__ real rows[];
    const int g = cell_at(t, blockIdx.x, level, last), ln = lane(), warps = HIGH ? blockDim.x / 32 : 1;
    const int warp = HIGH ? threadIdx.x / 32 : 0;
    real *const columns = rows + warp * NUMBERS_OF_WARP;
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
        gather_moments<SPHERICAL>(t, source, unit, many, columns);
        __syncwarp();
        // (what lanes without a source find is not added)
        const int other = source >= 0 ? source : g;
        const Step d = center.from(t, other);
        from_cell_far(d.x * per_unit, d.y * per_unit, d.z * per_unit, SOFT2_WITH(t.lines[other].half), columns + ln,
                      columns + 33 * ROWS + ln);
        add_columns(columns, many, sums);
    }
    Reader bodies(t, g, FAR_BODIES);
#pragma unroll 1
    for (int at = 32 * warp, page = 0; at < bodies.count; at += 32 * warps) {
        const int many = min(bodies.count - at, 32);
        for (; page < at / PAGE; page++) bodies.page = t.links[bodies.page];
        if (ln < many) {
            const int slot = t.pages[(size_t)bodies.page * PAGE + (at + ln) % PAGE];
            FROM_BODY(slot, columns + ln);
        }
        add_columns(columns, many, sums);
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
    each(t, g, FAR_BODIES, [&](int slot) { FROM_BODY(slot, L); });
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
