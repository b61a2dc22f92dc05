// Expansions of leaves at their bodies.

// Adds what an expansion of its leaf says at a body, in units of the leaf: gradient and value; then the rate of the gradient. `slot` is
// that of the body, and the expansion begins with this number of the record.
static __device__ __forceinline__ void add_expanded(const Tree &t, int g, int at, real4 b, real per_unit, int slot, real *to) {
    const size_t there = (size_t)g * t.locals_stride + at;
    const real x = b.x * per_unit, y = b.y * per_unit, z = b.z * per_unit;
#if JERKS
    const real4 v = t.moving[slot];
    at_body(x, y, z, v.x * per_unit, v.y * per_unit, v.z * per_unit, t.locals + there, of_rates(t).locals + there, to);
#else
    real L[LOCALS];
    load_record<LOCALS>(t.locals + there, L);
    at_body(x, y, z, L, to);
#endif
}

// What the expansions of its leaf say at a body. `difference` is that of the body's softening; where jerks are computed `slot` is
// that of the body.
static __device__ __forceinline__ Sums expanded(const Tree &t, int leaf, real4 b, real difference, int slot = 0) {
    const int g = t.first_leaf + leaf;
    const real per_unit = real(1) / (real)t.lines[g].unit, slope = SLOPE_OF(per_unit), value = VALUE_OF(per_unit);
    Sums a;
#pragma unroll
    for (int e = 0; e < EXPANSIONS; e++) add_expanded(t, g, e * (t.locals_stride / EXPANSIONS), b, per_unit, slot, a.of + 4 * e);
#if SECOND_EXPANSIONS && WITH_BODIES
    Sums second;
    add_expanded(t, g, SECOND_LOCALS(t), b, per_unit, slot, second.of);
    for (int k = 0; k < 4 * QUADS; k++) a.of[k] = m_fma(difference, second.of[k], a.of[k]);
#endif
#pragma unroll
    for (int k = 0; k < 4 * QUADS; k++) a.of[k] *= k % 4 == 3 ? value : slope;
    return a;
}
