// What is far: expansions about cells from cells and bodies. Some degrees, for which PART(name) are the operators and the kernel.

// The expansions of the cells of a level and of those below, a warp each. In f64 of high orders moments are in shared memory.
#if HIGH && REAL_IS_DOUBLE
extern "C" __global__ void __launch_bounds__(32, 1) PART(far_cells)(Tree t, int level, int last) {
    __shared__ real moments[PART_MOMENTS * 33];
    const int g = cell_at(t, blockIdx.x, level, last), ln = lane();
#else
extern "C" __global__ void __launch_bounds__(128, FAR_BLOCKS) PART(far_cells)(Tree t, int level, int last) {
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
    real L[PART_NUMBERS];
#pragma unroll
    for (int i = 0; i < PART_NUMBERS; i++) L[i] = real(0);
#if HIGH && REAL_IS_DOUBLE
    // (lanes that each read a record of their own take 32 lines of the cache for a number)
    Reader cells(t, g, FAR);
    for (int at = 0; at < cells.count; at += 32) {
        if (at > 0 && at % PAGE == 0) cells.page = t.links[cells.page];
        const int source = at + ln < cells.count ? t.pages[(size_t)cells.page * PAGE + (at + ln) % PAGE] : -1;
        __syncwarp();
        gather_moments<PART_MOMENTS>(t, source, unit, min(cells.count - at, 32), moments);
        __syncwarp();
        if (source >= 0) {
            const Step d = center.from(t, source);
            const real ratio = (real)t.lines[source].unit * per_unit;
            const real w = SOFT2_WITH(t.lines[source].half);
            PART(from_cell_far)(d.x * per_unit, d.y * per_unit, d.z * per_unit, w, ratio, moments + ln, L);
        }
    }
#else
    each(t, g, FAR, [&](int source) {
        const Step d = center.from(t, source);
        const real ratio = (real)t.lines[source].unit * per_unit;
#if HIGH
        real *const M = t.folded + (size_t)source * t.folded_stride;
#else
        real M[FOLDED];
        load_record<FOLDED>(t.folded + (size_t)source * t.folded_stride, M);
#endif
        const real w = SOFT2_WITH(t.lines[source].half);
        PART(from_cell_far)(d.x * per_unit, d.y * per_unit, d.z * per_unit, w, ratio, M, L);
    });
#endif
    each(t, g, FAR_BODIES, [&](int slot) {
        const Step d = center.from(t, t.first_leaf + slot / LEAF);
        const real4 b = t.bodies[slot];
        const real w = SOFT2_WITH(t.own_of_slots[slot]);
        WHAT_ACTS(m, slot, b, per_unit);
        PART(from_body_far)((d.x - b.x) * per_unit, (d.y - b.y) * per_unit, (d.z - b.z) * per_unit, w, m, L);
    });
#pragma unroll
    for (int i = 0; i < PART_NUMBERS; i++) L[i] = warp_sum(L[i]);
    real *const to = t.locals + (size_t)g * t.locals_stride;
#define WRITE(first, many)                                                \
    _Pragma("unroll") for (int i = 0; i < (many); i++)                    \
        if (ln == (((first) + i) & 31)) to[(first) + i] = all[i];
    EACH_DEGREE(WRITE)
#undef WRITE
}
