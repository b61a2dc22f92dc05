// What expansions of a law have of their own: sums at a few bodies, from which the host makes the table of the criterion; how much is
// allowed in leaves; and what cells weigh.

#define PARTS 32

// The gradients and values of the law at some bodies, by parts of those that act: `sums` [sample][part][expansion].
extern "C" __global__ void __launch_bounds__(128) sample_sums(Tree t, real4 *sums, const u32 *sampled) {
    __shared__ real4 of_warps[4 * EXPANSIONS];
    const u32 k = sampled[blockIdx.x / PARTS];
    const int part = blockIdx.x % PARTS, w = threadIdx.x / 32, ln = lane();
    const double x = t.x[k], y = t.y[k], z = t.z[k];
    Sums a;
    for (int leaf = 4 * part + w; leaf < t.leaves; leaf += 4 * PARTS) {
        const Place center = t.places[t.first_leaf + leaf];
        const int slot = leaf * LEAF + ln;
        real4 b = t.bodies[slot];
        if (slot < t.n && t.order[slot] == k && !SELF) b.w = real(0);
        real charges[CHARGES];
        take_own(t, slot, charges);
        pair(b, charges, (real)(x - center.x), (real)(y - center.y), (real)(z - center.z), SOFT2(t), a);
    }
    a.over_warp();
    if (ln == 0) a.store(of_warps, w);
    __syncthreads();
    if (threadIdx.x < EXPANSIONS) {
        real4 sum = of_warps[threadIdx.x];
        for (int k = 1; k < 4; k++) {
            const real4 b = of_warps[k * EXPANSIONS + threadIdx.x];
            sum.x += b.x; sum.y += b.y; sum.z += b.z; sum.w += b.w;
        }
        sums[(size_t)blockIdx.x * EXPANSIONS + threadIdx.x] = sum;
    }
}

// The least that is allowed in leaves, a warp each.
extern "C" __global__ void __launch_bounds__(128) allowed_in_leaves(Tree t) {
    const int leaf = blockIdx.x * 4 + threadIdx.x / 32, slot = leaf * LEAF + lane();
    if (leaf >= t.leaves) return;
    const float least = warp_min(slot < t.n ? t.allowed[t.order[slot]] : __int_as_float(0x7f7fffff));
    if (lane() == 0) t.lines[t.first_leaf + leaf].least = least;
}

// What the cells of a level weigh as sources, and their radii as such: those that lack least about a sink of their own size. Cells of the
// level have so many bodies each.
extern "C" __global__ void __launch_bounds__(128) weigh_cells(Tree t, int first, int count, int bodies) {
    const int at = blockIdx.x * 128 + threadIdx.x, g = first + at;
    if (at >= count) return;
    Line &line = t.lines[g];
    const double size = t.places[g].mass;
    if (!(size > 0.0)) return;
    const float per_unit = 1.0f / line.unit;
    real squares[ORDER + 1], to[2];
#pragma unroll
    for (int d = 0; d <= ORDER; d++) squares[d] = real(0);
    for (int charge = 0; charge < CHARGES; charge++) add_squares((real)(1.0 / size), MOMENTS_OF(t, g, charge), squares);
    const float rms = (float)sqrt(t.boxes[g].spread / size) * per_unit;
    weigh(line.radius * per_unit, rms, rsqrtf((float)min(bodies, t.n - at * bodies)), squares, to);
    line.mass = (float)size * (float)to[0];
    line.effective = fminf((float)to[1] * line.unit, line.radius);
}
