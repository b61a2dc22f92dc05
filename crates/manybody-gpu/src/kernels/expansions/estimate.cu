// The least accelerations of cells, by which the criterion measures errors, from expansions of a low order.

// Roughly the least acceleration in `count` cells, from number `from` on, of a level at which the tree is cut here; a lane takes
// one of a cell's bodies. Neighbours are points, softened by their size, and the cell's own bodies are left out. `leaves` of the tree below it make a
// cell, the first of which is `first_leaf`.
#define CAUTION 0.8f
// in the middle of a body the pull of the spline is that of a Plummer sphere so much wider
#define WIDER real(SPLINE ? 1.62 : 1.0)
extern "C" __global__ void __launch_bounds__(128) estimate(Tree t, int first_leaf, int leaves, int from, int count) {
    const int number = blockIdx.x * 4 + threadIdx.x / 32, at = from + number, ln = lane();
    if (number >= count || t.report[OVERFLOW]) return;
    const int g = t.first_leaf + at, leaf = at * leaves + ln * leaves / 32, slot = leaf * LEAF + ln % (32 / leaves) * leaves;
    const bool is_body = slot < t.n;
    const Center center(t, g);
    real4 own = four(real(0), real(0), real(0), real(0));
    if (is_body) {
        const Step d = center.from(t, first_leaf + leaf);
        own = t.bodies[slot];
        own.x -= d.x; own.y -= d.y; own.z -= d.z;
    }
    Sums a = expanded(t, at, own, real(0));
    // lanes take cells in turn, and each what the others found
    const int lists[2] = {NEAR, SMALL};
    for (int q = 0; q < 2; q++) {
        Reader r(t, g, lists[q]);
        for (int k = 0; k < r.count; k += 32) {
            const bool here = k + ln < r.count;
            real4 b = own;
            real soft2 = real(0);
            if (here) {
                const int source = t.pages[(size_t)r.page * PAGE + (k + ln) % PAGE];
                const Step d = center.from(t, source);
                b = four(-d.x, -d.y, -d.z, t.moments[(size_t)source * t.moments_stride]);
                const real radius = t.lines[source].radius;
                soft2 = WIDER * SOFT2_OF(t, (real)t.lines[g].half, (real)t.lines[source].half) + real(0.5) * radius * radius;
            }
            for (u32 left = __ballot_sync(FULL, here); left; left &= left - 1) {
                const int from = __ffs(left) - 1;
                const real4 c = four(__shfl_sync(FULL, b.x, from), __shfl_sync(FULL, b.y, from),
                                     __shfl_sync(FULL, b.z, from), __shfl_sync(FULL, b.w, from));
                act_plummer(c.x - own.x, c.y - own.y, c.z - own.z, c.w, __shfl_sync(FULL, soft2, from), a);
            }
            if ((k + 32) % PAGE == 0) r.page = t.links[r.page];
        }
    }
    // squares of accelerations beyond 1e19 would leave the range of f32
    const float down = 0x1p-30f, x = (float)a.of[0] * down, y = (float)a.of[1] * down, z = (float)a.of[2] * down;
    const float square = x * x + y * y + z * z;
    const float least = warp_min(is_body ? square : __int_as_float(0x7f800000));
    if (ln == 0) t.least[at] = sqrtf(least) / down * CAUTION;
}

// The mean square of the least accelerations of leaves, by one thread block; sums has room for it.
extern "C" __global__ void __launch_bounds__(1024) mean_square(Tree t, double *sums) {
    __shared__ double parts[32];
    double sum = 0.0;
    for (int k = threadIdx.x; k < t.leaves; k += 1024) sum += (double)t.least[k] * t.least[k];
    sum = warp_sum(sum);
    if (lane() == 0) parts[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        sum = 0.0;
        for (int k = 0; k < 32; k++) sum += parts[k];
        sums[0] = sum / t.leaves;
    }
}

// The least accelerations of leaves, at least a part of their root mean square: where forces cancel, a relative error has no
// bound.
extern "C" __global__ void __launch_bounds__(128) least_of_leaves(Tree t, const double *sums) {
    const int leaf = blockIdx.x * 128 + threadIdx.x;
    if (leaf < t.leaves) t.lines[t.first_leaf + leaf].least = fmaxf(t.least[leaf], t.floor * (float)sqrt(sums[0]));
}

// Cells first to first + count - 1 take the least accelerations of their parents.
extern "C" __global__ void __launch_bounds__(128) least_from_above(Tree t, int first, int count) {
    const int at = blockIdx.x * 128 + threadIdx.x;
    if (at < count) t.lines[first + at].least = t.lines[(first + at - 1) / CHILDREN].least;
}
