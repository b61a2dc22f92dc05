// What acts by the expansions of a law, for one coupling: from a charge to an expansion, or (a DYAD) from a vector of charges along the
// separation to the expansions along it.

#if DYAD
// The moments of the charges along the separation, of all cells. They are where gravity has spherical moments.
extern "C" __global__ void __launch_bounds__(128) moments_of_dyad(Tree t, int cells) {
    const int g = blockIdx.x * 128 + threadIdx.x;
    if (g >= cells) return;
    real M[GIVEN];
    moments_along(t.moments + (size_t)g * t.moments_stride, M);
#pragma unroll
    for (int i = 0; i < GIVEN; i++) t.spherical[(size_t)g * t.spherical_stride + i] = M[i];
}
#endif

// Adds what acts on cells, a warp each.
extern "C" __global__ void __launch_bounds__(128) law_cells(Tree t, int level, int last, int charge, int expansion) {
    const int g = cell_of_warp(t, level, last), ln = lane();
    if (g < 0 || Reader(t, g, SOFT).count == 0) return;
    const Center center(t, g);
    const real unit = t.lines[g].unit, per_unit = real(1) / unit, square = SOFT2_IN(t, unit, per_unit);
    real L[ONTO];
#pragma unroll
    for (int i = 0; i < ONTO; i++) L[i] = real(0);
    each(t, g, SOFT, [&](int source) {
        if (source >= 0) {
            const Step d = center.from(t, source);
            const real ratio = (real)t.lines[source].unit * per_unit;
            real M[GIVEN];
            load_record<GIVEN>(DYAD ? t.spherical + (size_t)source * t.spherical_stride : MOMENTS_OF(t, source, charge), M);
            from_cell(d.x * per_unit, d.y * per_unit, d.z * per_unit, square, ratio, M, L);
        } else {
            const int slot = ~source;
            const Step d = center.from(t, t.first_leaf + slot / LEAF);
            const real4 b = t.bodies[slot];
            const real x = (d.x - b.x) * per_unit, y = (d.y - b.y) * per_unit, z = (d.z - b.z) * per_unit;
#if DYAD
            real charges[CHARGES];
            take_own(t, slot, charges);
            from_body(x, y, z, square, charges, L);
#else
            from_body(x, y, z, square, t.own_of_slots[(size_t)slot * CHARGES + charge], L);
#endif
        }
    });
#pragma unroll
    for (int i = 0; i < ONTO; i++) L[i] = warp_sum(L[i]);
#define ADD(numbers, expansion)                        \
    _Pragma("unroll") for (int i = 0; i < LOCALS; i++) \
        if (ln == (i & 31)) LOCALS_OF(t, g, expansion)[i] += numbers[i];
#if DYAD
#define WRITE(along) ADD(all, along)
    EACH_AXIS(WRITE)
#undef WRITE
#else
    ADD(L, expansion)
#endif
#undef ADD
}
