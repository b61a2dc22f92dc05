// What is far: expansions about cells from cells and bodies.

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
        const real w = SOFT2_WITH(t.own_of_slots[slot]);
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

