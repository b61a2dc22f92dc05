// What expansions of a law have of their own: sums at a few bodies, from which the host makes the table of the criterion; how much is
// allowed in leaves; and the effective radii of cells.

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

// The sums of |q| r^(p+1) of the bodies of leaves about the centre of the cell of a level that they are in, in its unit: a warp a
// leaf. Cells of the level begin with number `first` and have `leaves` each.
extern "C" __global__ void __launch_bounds__(128) powers_of_leaves(Tree t, int first, int leaves) {
    const int leaf = blockIdx.x * 4 + threadIdx.x / 32;
    if (leaf >= t.leaves) return;
    const int g = first + leaf / leaves;
    const Step d = Center(t, g).from(t, t.first_leaf + leaf);
    const real4 b = t.bodies[leaf * LEAF + lane()];
    const float per_unit = 1.0f / t.lines[g].unit;
    const float x = (float)(b.x - d.x) * per_unit, y = (float)(b.y - d.y) * per_unit, z = (float)(b.z - d.z) * per_unit;
    const float r = sqrtf(x * x + y * y + z * z);
    float power = fabsf((float)b.w);
#pragma unroll
    for (int k = 0; k <= ORDER; k++) power *= r;
    power = warp_sum(power);
    if (lane() == 0) t.least[leaf] = power;
}

// The effective radii of cells: that at which all of their charge has the same sum. A warp a cell.
extern "C" __global__ void __launch_bounds__(128) effective_radii(Tree t, int first, int count, int leaves) {
    const int at = blockIdx.x * 4 + threadIdx.x / 32;
    if (at >= count) return;
    float sum = 0.0f;
    for (int leaf = at * leaves + lane(); leaf < min((at + 1) * leaves, t.leaves); leaf += 32) sum += t.least[leaf];
    sum = warp_sum(sum);
    if (lane() == 0) {
        Line &line = t.lines[first + at];
        const float mean = line.mass > 0.0f ? sum / line.mass : 0.0f;
        line.effective = fminf(line.unit * powf(mean, 1.0f / (ORDER + 1)), line.radius);
    }
}
