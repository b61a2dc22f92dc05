// What is far: expansions about cells from cells and bodies, handed down to leaves.

// The cell of a warp, of a level and of those below; the last ones, of which there are most, first. -1 where there is no cell.
static __device__ __forceinline__ int cell_of_warp(const Tree &t, int level, int last) {
    int at = blockIdx.x * 4 + threadIdx.x / 32;
    if (t.report[OVERFLOW]) return -1;
    for (; last > level && at >= t.level_count[last]; last--) at -= t.level_count[last];
    return at < t.level_count[last] ? t.level_first[last] + at : -1;
}

#if !LAW
// The expansions of the cells of a level and of those below, a warp each.
extern "C" __global__ void __launch_bounds__(128, FAR_BLOCKS) far_cells(Tree t, int level, int last) {
    const int g = cell_of_warp(t, level, last), ln = lane();
    if (g < 0) return;
    const Center center(t, g);
    const real unit = t.lines[g].unit, per_unit = real(1) / unit;
#if OWN_SOFTENINGS
    const real own_half = t.lines[g].half;
#else
    const real soft2 = SOFT2_IN(t, unit, per_unit);
#endif
    real L[HARMONICS];
#pragma unroll
    for (int i = 0; i < HARMONICS; i++) L[i] = real(0);
    each(t, g, FAR, [&](int source) {
        const Step d = center.from(t, source);
        const real ratio = (real)t.lines[source].unit * per_unit;
        real M[FOLDED];
        load_record<FOLDED>(t.folded + (size_t)source * t.folded_stride, M);
        const real w = SOFT2_WITH(t.lines[source].half);
        from_cell_far(d.x * per_unit, d.y * per_unit, d.z * per_unit, w, ratio, M, L);
    });
    each(t, g, FAR_BODIES, [&](int slot) {
        const Step d = center.from(t, t.first_leaf + slot / LEAF);
        const real4 b = t.bodies[slot];
        const real w = SOFT2_WITH(t.halves[slot]);
        from_body_far((d.x - b.x) * per_unit, (d.y - b.y) * per_unit, (d.z - b.z) * per_unit, w, b.w, L);
    });
#pragma unroll
    for (int i = 0; i < HARMONICS; i++) L[i] = warp_sum(L[i]);
    real all[LOCALS];
    unfold(L, all);
#pragma unroll
    for (int i = 0; i < LOCALS; i++)
        if (ln == (i & 31)) t.locals[(size_t)g * t.locals_stride + i] = all[i];
}
#endif

#if OWN_SOFTENINGS
// A half's difference, in units of the largest.
static __device__ __forceinline__ real difference_of(const Tree &t, double half) { return (real)((half - t.base) / t.difference); }

// Moments of products with differences from the cell's own mean, in place of the moments.
static __device__ __forceinline__ void take_products(const Tree &t, int source, real *M) {
    const real mean = difference_of(t, t.lines[source].half);
    real P[MOMENTS];
    load_record<MOMENTS>(t.moments + (size_t)source * t.moments_stride + SECOND_MOMENTS(t), P);
#pragma unroll
    for (int i = 0; i < MOMENTS; i++) M[i] = m_fma(-mean, M[i], P[i]);
}
#endif

// Adds what is so close that the softening matters.
extern "C" __global__ void __launch_bounds__(128) soft_cells(Tree t, int level, int last) {
    const int g = cell_of_warp(t, level, last), ln = lane();
    if (g < 0) return;
    bool is_empty = true;
    for (int list = SOFT; list < LISTS; list++) is_empty = is_empty && Reader(t, g, list).count == 0;
    if (is_empty) return;
    const Center center(t, g);
    const real unit = t.lines[g].unit, per_unit = real(1) / unit;
#if OWN_SOFTENINGS
    const real own_half = t.lines[g].half, factor = (real)(0.5 * t.difference) * per_unit * per_unit;
#else
    const real soft2 = SOFT2_IN(t, unit, per_unit);
#endif
    real L[LOCALS];
#pragma unroll
    for (int i = 0; i < LOCALS; i++) L[i] = real(0);
#pragma unroll 1
    for (int list = SOFT; list < LISTS; list++) each(t, g, list, [&](int source) {
        if (source >= 0) {
            const Step d = center.from(t, source);
            const real ratio = (real)t.lines[source].unit * per_unit, w = SOFT2_WITH(t.lines[source].half);
            real M[MOMENTS];
            load_record<MOMENTS>(t.moments + (size_t)source * t.moments_stride, M);
            from_cell(d.x * per_unit, d.y * per_unit, d.z * per_unit, w, ratio, M, L);
#if OWN_SOFTENINGS
            if (list == UNLIKE) {
                take_products(t, source, M);
                from_cell_1(d.x * per_unit, d.y * per_unit, d.z * per_unit, w, factor, ratio, M, L);
            }
#endif
        } else {
            const int slot = ~source;
            const Step d = center.from(t, t.first_leaf + slot / LEAF);
            const real4 b = t.bodies[slot];
            const real w = SOFT2_WITH(t.halves[slot]);
            from_body((d.x - b.x) * per_unit, (d.y - b.y) * per_unit, (d.z - b.z) * per_unit, w, b.w, L);
        }
    });
#pragma unroll
    for (int i = 0; i < LOCALS; i++) {
        const real sum = warp_sum(L[i]);
        if (ln == (i & 31)) t.locals[(size_t)g * t.locals_stride + i] += sum;
    }
}

#if OWN_SOFTENINGS
// The second expansions about cells, which bodies take times their differences. Those are from one number for all cells: the
// mean of the cell is taken out of the first expansion.
extern "C" __global__ void __launch_bounds__(128) soft_differences(Tree t, int level, int last) {
    const int g = cell_of_warp(t, level, last), ln = lane();
    if (g < 0) return;
    real *own = t.locals + (size_t)g * t.locals_stride;
    if (Reader(t, g, UNLIKE).count == 0) {
        for (int i = ln; i < LOCALS; i += 32) own[SECOND_LOCALS(t) + i] = real(0);
        return;
    }
    const Center center(t, g);
    const real unit = t.lines[g].unit, per_unit = real(1) / unit;
    const real own_half = t.lines[g].half, factor = (real)(0.5 * t.difference) * per_unit * per_unit;
    real L[LOCALS];
#pragma unroll
    for (int i = 0; i < LOCALS; i++) L[i] = real(0);
    each(t, g, UNLIKE, [&](int source) {
        if (source >= 0) {
            const Step d = center.from(t, source);
            const real ratio = (real)t.lines[source].unit * per_unit, w = SOFT2_WITH(t.lines[source].half);
            real M[MOMENTS];
            load_record<MOMENTS>(t.moments + (size_t)source * t.moments_stride, M);
            from_cell_1(d.x * per_unit, d.y * per_unit, d.z * per_unit, w, factor, ratio, M, L);
            take_products(t, source, M);
            from_cell_2(d.x * per_unit, d.y * per_unit, d.z * per_unit, w, factor, ratio, M, L);
        } else {
            const int slot = ~source;
            const Step d = center.from(t, t.first_leaf + slot / LEAF);
            const real4 b = t.bodies[slot];
            const real w = SOFT2_WITH(t.halves[slot]);
            from_body_1((d.x - b.x) * per_unit, (d.y - b.y) * per_unit, (d.z - b.z) * per_unit, w, factor, b.w, L);
        }
    });
    const real mean = difference_of(t, t.lines[g].half);
#pragma unroll
    for (int i = 0; i < LOCALS; i++) {
        const real sum = warp_sum(L[i]);
        if (ln == (i & 31)) {
            own[i] = m_fma(-mean, sum, own[i]);
            own[SECOND_LOCALS(t) + i] = sum;
        }
    }
}
#endif

// Hands the expansions of the level above to the cells first to first + count - 1.
extern "C" __global__ void __launch_bounds__(128) hand_down(Tree t, int first, int count) {
    const int at = blockIdx.x * 128 + threadIdx.x;
    if (at >= count) return;
    const int g = first + at, parent = (g - 1) / CHILDREN;
    const Step d = Center(t, g).from(t, parent);
    const real per_unit = real(1) / (real)t.lines[parent].unit, ratio = (real)t.lines[g].unit * per_unit;
    real from[LOCALS], L[LOCALS];
    const real *above = t.locals + (size_t)parent * t.locals_stride;
    real *own = t.locals + (size_t)g * t.locals_stride;
#if OWN_SOFTENINGS && WITH_BODIES
    for (int half = 0; half < 2; half++, above += SECOND_LOCALS(t), own += SECOND_LOCALS(t))
#endif
    {
#pragma unroll
        for (int i = 0; i < LOCALS; i++) L[i] = own[i];
        load_record<LOCALS>(above, from);
        to_child(d.x * per_unit, d.y * per_unit, d.z * per_unit, ratio, from, L);
#pragma unroll
        for (int i = 0; i < LOCALS; i++) own[i] = L[i];
    }
}

// What the expansion of its leaf says at a body: acceleration and potential. `difference` is that of the body's softening.
static __device__ __forceinline__ real4 expanded(const Tree &t, int leaf, real4 b, real difference) {
    const int g = t.first_leaf + leaf;
    const real per_unit = real(1) / (real)t.lines[g].unit;
    const real *own = t.locals + (size_t)g * t.locals_stride;
    real L[LOCALS], to[4] = {real(0), real(0), real(0), real(0)};
    load_record<LOCALS>(own, L);
    at_body(b.x * per_unit, b.y * per_unit, b.z * per_unit, L, to);
#if OWN_SOFTENINGS && WITH_BODIES
    real second[4] = {real(0), real(0), real(0), real(0)};
    load_record<LOCALS>(own + SECOND_LOCALS(t), L);
    at_body(b.x * per_unit, b.y * per_unit, b.z * per_unit, L, second);
    for (int k = 0; k < 4; k++) to[k] = m_fma(difference, second[k], to[k]);
#endif
    const real slope = SLOPE_OF(per_unit);
    return four(to[0] * slope, to[1] * slope, to[2] * slope, to[3] * VALUE_OF(per_unit));
}
