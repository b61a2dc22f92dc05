// Which cell each of many blocks works on: how a map is compared with the host's, and asked for single cells.
struct Call { u32 w[16]; };
#define NONE 0xffffffffu

// queries [n][8]: x, y of the block, then its domain; cells [n][4]: i, j, k, or `NONE`.
extern "C" __global__ void __launch_bounds__(64) look_up(const u32* __restrict__ queries, const u32* __restrict__ table,
                                                         u32* __restrict__ cells, const Call call) {
    const u32 q = (blockIdx.x + blockIdx.y * gridDim.x) * 64 + threadIdx.x;
    if (q >= call.w[0]) return;
    const u32* const a = queries + 8 * (u64)q;
    const Domain d = {a[2], a[3], a[4], a[5], a[6]};
    const u32 x = a[0], y = a[1];
    u32 i = 0, j = 0, k = 0;
#if SPACE == 3
    const bool work = MAP(i, j, k) && i < d.rows + 2 * d.shift && j + d.shift <= i && k + d.shift <= j;
#elif TRIANGLE
    // a published root that has gone wrong gives a cell outside, which a kernel's own guard discards
    const bool work = MAP(i, j) && i < d.rows + d.shift && j + d.shift <= i;
#else
    const bool work = MAP(i, j);
#endif
    cells[4 * (u64)q] = work ? i : NONE;
    cells[4 * (u64)q + 1] = j;
    cells[4 * (u64)q + 2] = k;
}

// The same for the exact maps with 64-bit indices: w [n] -> rows and layers [n][2].
extern "C" __global__ void __launch_bounds__(64) roots64(const u64* __restrict__ w, u64* __restrict__ roots, const Call call) {
    const u32 q = blockIdx.x * 64 + threadIdx.x;
    if (q >= call.w[0]) return;
    u64 place = w[q];
    roots[2 * (u64)q] = triangle_root(place);
    roots[2 * (u64)q + 1] = tetrahedron_root(w[q]);
}

#if TRIANGLE && !TABLE
// The first of the blocks [w0, w0 + n) of a triangle with its diagonal that MAP sends elsewhere than where it belongs;
// `first` holds the smallest so far.
extern "C" __global__ void __launch_bounds__(256) first_wrong(u32* __restrict__ first, const Call call) {
    const Domain d = {92681, 0, 0xffffffffu, 0, 0};
    u32 mine = NONE;
    for (u32 k = blockIdx.x * 256 + threadIdx.x; k < call.w[1]; k += gridDim.x * 256) {
        const u32 x = call.w[0] + k, y = 0;
        u32 i = 0, j = 0;
        const bool work = MAP(i, j);
        // right is T(i) <= w < T(i + 1)
        const bool right = work && i <= 92681 && triangle_number(i) <= x && x - triangle_number(i) <= i;
        if (!right || j != x - triangle_number(i)) mine = min(mine, x);
    }
    if (mine != NONE) atomicMin(first, mine);
}
#endif
