// The rates of moments, of leaves from bodies that move and of cells from their children, in records of their own.

// Those of a leaf, from number `offset` of its record on: of bodies at b, in units of the leaf, with this velocity.
static __device__ __forceinline__ void rates_of(const Tree &t, int g, real4 b, real4 v, size_t offset, real *M) {
#pragma unroll
    for (int i = 0; i < MOMENTS; i++) M[i] = real(0);
    of_body(b.x, b.y, b.z, b.w, v.x, v.y, v.z, M);
#pragma unroll
    for (int i = 0; i < MOMENTS; i++) {
        M[i] = warp_sum(M[i]);
        if (lane() == (i & 31)) t.moments[(size_t)g * t.moments_stride + offset + i] = M[i];
    }
}

extern "C" __global__ void __launch_bounds__(128) rates_of_leaves(Tree t) {
    const int leaf = blockIdx.x * 4 + threadIdx.x / 32, slot = leaf * LEAF + lane(), g = t.first_leaf + leaf;
    if (leaf >= t.leaves) return;
    const u32 k = slot < t.n ? t.order[slot] : 0;
    const size_t n = t.n;
    const bool here = slot < t.n;
    real4 v = four(here ? (real)t.velocities[k] : real(0), here ? (real)t.velocities[n + k] : real(0),
                   here ? (real)t.velocities[2 * n + k] : real(0), real(0));
    t.moving[slot] = v;
    const real per_unit = real(1) / (real)t.lines[g].unit;
    real4 b = t.bodies[slot];
    b.x *= per_unit; b.y *= per_unit; b.z *= per_unit;
    v.x *= per_unit; v.y *= per_unit; v.z *= per_unit;
    real M[MOMENTS];
#if OWN_SOFTENINGS
    // products with differences
    real4 product = b;
    product.w = (real)(here ? t.mass[k] * ((t.own[k] - t.base) / t.difference) : 0.0);
    rates_of(t, g, product, v, SECOND_MOMENTS(t), M);
#endif
    rates_of(t, g, b, v, 0, M);
    write_spherical(t, g, M, lane(), 32);
}

// The cells first to first + count - 1; their children end before `end`.
extern "C" __global__ void __launch_bounds__(128) rates_of_cells(Tree t, int first, int count, int end) {
    const int at = (blockIdx.x * 128 + threadIdx.x) / LANES_OF_CELL, sub = threadIdx.x & 7;
    const bool is_cell = at < count;
    const int g = first + (is_cell ? at : count - 1), child = CHILDREN * g + 1 + sub;
    const bool here = child < end;
    const Place own = t.places[g], other = t.places[here ? child : g];
    const double off[3] = {other.x - own.x, other.y - own.y, other.z - own.z};
    ROOM_FOR_MOMENTS(M);
    hand_up(t, g, child, here, is_cell, off, t.lines[here ? child : g].unit, real(1) / (real)t.lines[g].unit, M);
}
