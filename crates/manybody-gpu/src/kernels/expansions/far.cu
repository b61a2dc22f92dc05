// What is far: expansions about cells from cells and bodies, handed down to leaves.

// The expansions of the cells of a level and of those below, a warp each; the last cells, of which there are most, first.
extern "C" __global__ void __launch_bounds__(128, FAR_BLOCKS) far_cells(Tree t, int level, int last) {
    int at = blockIdx.x * 4 + threadIdx.x / 32;
    const int ln = lane();
    if (t.report[OVERFLOW]) return;
    for (; last > level && at >= t.level_count[last]; last--) at -= t.level_count[last];
    if (at >= t.level_count[last]) return;
    const int g = t.level_first[last] + at;
    const Center center(t, g);
    const real unit = t.lines[g].unit, per_unit = real(1) / unit, soft2 = SOFT2(t) * per_unit * per_unit;
    real L[HARMONICS];
#pragma unroll
    for (int i = 0; i < HARMONICS; i++) L[i] = real(0);
    each(t, g, FAR, [&](int source) {
        const Step d = center.from(t, source);
        const real ratio = (real)t.lines[source].unit * per_unit;
        real M[FOLDED];
        load_record<FOLDED>(t.folded + (size_t)source * t.folded_stride, M);
        from_cell_far(d.x * per_unit, d.y * per_unit, d.z * per_unit, soft2, ratio, M, L);
    });
    each(t, g, FAR_BODIES, [&](int slot) {
        const Step d = center.from(t, t.first_leaf + slot / LEAF);
        const real4 b = t.bodies[slot];
        from_body_far((d.x - b.x) * per_unit, (d.y - b.y) * per_unit, (d.z - b.z) * per_unit, soft2, b.w, L);
    });
#pragma unroll
    for (int i = 0; i < HARMONICS; i++) L[i] = warp_sum(L[i]);
    real all[LOCALS];
    unfold(L, all);
#pragma unroll
    for (int i = 0; i < LOCALS; i++)
        if (ln == (i & 31)) t.locals[(size_t)g * t.locals_stride + i] = all[i];
}

// Adds what is so close that the softening matters.
extern "C" __global__ void __launch_bounds__(128) soft_cells(Tree t, int level, int last) {
    int at = blockIdx.x * 4 + threadIdx.x / 32;
    const int ln = lane();
    if (t.report[OVERFLOW]) return;
    for (; last > level && at >= t.level_count[last]; last--) at -= t.level_count[last];
    if (at >= t.level_count[last]) return;
    const int g = t.level_first[last] + at;
    if (Reader(t, g, SOFT).count == 0) return;
    const Center center(t, g);
    const real unit = t.lines[g].unit, per_unit = real(1) / unit, soft2 = SOFT2(t) * per_unit * per_unit;
    real L[LOCALS];
#pragma unroll
    for (int i = 0; i < LOCALS; i++) L[i] = real(0);
    each(t, g, SOFT, [&](int source) {
        if (source >= 0) {
            const Step d = center.from(t, source);
            const real ratio = (real)t.lines[source].unit * per_unit;
            real M[MOMENTS];
            load_record<MOMENTS>(t.moments + (size_t)source * t.moments_stride, M);
            from_cell(d.x * per_unit, d.y * per_unit, d.z * per_unit, soft2, ratio, M, L);
        } else {
            const int slot = ~source;
            const Step d = center.from(t, t.first_leaf + slot / LEAF);
            const real4 b = t.bodies[slot];
            from_body((d.x - b.x) * per_unit, (d.y - b.y) * per_unit, (d.z - b.z) * per_unit, soft2, b.w, L);
        }
    });
#pragma unroll
    for (int i = 0; i < LOCALS; i++) {
        const real sum = warp_sum(L[i]);
        if (ln == (i & 31)) t.locals[(size_t)g * t.locals_stride + i] += sum;
    }
}

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
#pragma unroll
    for (int i = 0; i < LOCALS; i++) L[i] = own[i];
    load_record<LOCALS>(above, from);
    to_child(d.x * per_unit, d.y * per_unit, d.z * per_unit, ratio, from, L);
#pragma unroll
    for (int i = 0; i < LOCALS; i++) own[i] = L[i];
}

// What the expansion of its leaf says at a body: acceleration and potential.
static __device__ __forceinline__ real4 expanded(const Tree &t, int leaf, real4 b) {
    const int g = t.first_leaf + leaf;
    const real per_unit = real(1) / (real)t.lines[g].unit;
    const real *own = t.locals + (size_t)g * t.locals_stride;
    real L[LOCALS], to[4] = {real(0), real(0), real(0), real(0)};
    load_record<LOCALS>(own, L);
    at_body(b.x * per_unit, b.y * per_unit, b.z * per_unit, L, to);
    const real square = -(per_unit * per_unit);
    return four(to[0] * square, to[1] * square, to[2] * square, to[3] * per_unit);
}
