// What is so close that the softening matters.

#if SOFT_SPLIT
// Adds the sums of all lanes to the expansion about a cell, in this unit.
template <int N, typename R> static __device__ __forceinline__ void add_locals(const Tree &t, int g, R *L, real unit) {
#pragma unroll
    for (int i = 0; i < N; i++) {
        const R sum = warp_sum(L[i]);
        if (lane() == (i & 31)) t.locals[(size_t)g * t.locals_stride + i] += real(sum) * unit;
    }
}

// Adds it to the expansions: pairs of low degrees in f64, then all others in f32, in units of 1 / `unit`: about a small sink, coefficients in its
// unit would be below the range of f32.
extern "C" __global__ void __launch_bounds__(128) soft_cells(Tree t, int level, int last) {
    const int g = cell_of_warp(t, level, last);
    if (g < 0 || Reader(t, g, SOFT).count == 0) return;
    const Center center(t, g);
    const real unit = t.lines[g].unit, per_unit = real(1) / unit, soft2 = SOFT2_IN(t, unit, per_unit);
    {
        real L[LOW_LOCALS];
#pragma unroll
        for (int i = 0; i < LOW_LOCALS; i++) L[i] = real(0);
        each(t, g, SOFT, [&](int source) {
            if (source >= 0) {
                const Step d = center.from(t, source);
                real M[LOW_MOMENTS];
                load_record<LOW_MOMENTS>(t.moments + (size_t)source * t.moments_stride, M);
                soft_cell_low(d.x * per_unit, d.y * per_unit, d.z * per_unit, soft2, (real)t.lines[source].unit * per_unit, M, L);
            } else {
                FROM_BODY(soft_body_low, ~source, L);
            }
        });
        add_locals<LOW_LOCALS>(t, g, L, real(1));
    }
    float L[LOCALS];
#pragma unroll
    for (int i = 0; i < LOCALS; i++) L[i] = 0.0f;
    const float soft2_single = (float)soft2, scale = (float)per_unit;
    each(t, g, SOFT, [&](int source) {
        if (source >= 0) {
            const Step d = center.from(t, source);
            const real *const from = t.moments + (size_t)source * t.moments_stride;
            float M[MOMENTS];
#pragma unroll
            for (int i = 0; i < MOMENTS; i++) M[i] = (float)from[i];
            single::soft_cell_high((float)(d.x * per_unit), (float)(d.y * per_unit), (float)(d.z * per_unit), soft2_single, scale,
                                   (float)((real)t.lines[source].unit * per_unit), M, L);
        } else {
            const int slot = ~source;
            const Step d = center.from(t, t.first_leaf + slot / LEAF);
            const real4 b = t.bodies[slot];
            WHAT_ACTS(m, slot, b, per_unit);
            IN_SINGLE(m, per_unit);
            single::soft_body_high((float)((d.x - b.x) * per_unit), (float)((d.y - b.y) * per_unit), (float)((d.z - b.z) * per_unit),
                                   soft2_single, single_of_m, L);
        }
    });
    add_locals<LOCALS>(t, g, L, unit);
}
#else
// Adds it to the expansions.
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
            const real w = SOFT2_WITH(t.own_of_slots[slot]);
            WHAT_ACTS(m, slot, b, per_unit);
            from_body((d.x - b.x) * per_unit, (d.y - b.y) * per_unit, (d.z - b.z) * per_unit, w, m, L);
        }
    });
#pragma unroll
    for (int i = 0; i < LOCALS; i++) {
        const real sum = warp_sum(L[i]);
        if (ln == (i & 31)) t.locals[(size_t)g * t.locals_stride + i] += sum;
    }
}
#endif

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
            const real w = SOFT2_WITH(t.own_of_slots[slot]);
            WHAT_ACTS(m, slot, b, per_unit);
            from_body_1((d.x - b.x) * per_unit, (d.y - b.y) * per_unit, (d.z - b.z) * per_unit, w, factor, m, L);
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

