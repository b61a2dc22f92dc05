// Slots become sums, always in the same order, in double (in fixed point as integers, which then become double): `held`
// [NO][stride] keeps what earlier launches gave. The slots of a launch are cut into LINES lines, each is added up by itself,
// and their sums are added one after the other, on whichever GPU a line was added up.
#define LINES 8
// line l has the slots i[l] .. i[l + 1] of i and j[l] .. j[l + 1] of j
struct Lines { u32 i[LINES + 1], j[LINES + 1]; };

static __device__ __forceinline__ void add_slots(Gathered (&a)[NO], const Slot* __restrict__ slots, const u32 begin,
                                                 const u32 end, const u32 stride, const u32 b) {
    Gathered next[NO];
#pragma unroll 4
    for (u32 s = begin; s < end; s++) {
        for (int o = 0; o < NO; o++) next[o] = slots[((u64)s * NO + o) * stride + b];
        merge(a, next);
    }
}

// 32 bodies a block, a line of threads a line. Lines below `mine` and from `not_mine` on were added up before, by this GPU
// or others: `others` [LINES][NO][stride] has their sums.
extern "C" __global__ void __launch_bounds__(32 * LINES) gather(const Slot* __restrict__ slots_i,
                                                                const Slot* __restrict__ slots_j, const Lines lines,
                                                                const u32 mine, const u32 not_mine,
                                                                const Gathered* __restrict__ others,
                                                                double* __restrict__ held, const u32 n,
                                                                const u32 stride,
                                                                const u32 first UNITS_ARGS STEP_LAST_ARGS) {
    __shared__ Gathered partial[LINES - 1][NO][32];
    const u32 b = blockIdx.x * 32 + threadIdx.x, line = threadIdx.y;
    Gathered a[NO], next[NO];
    start(a);
    if (b < n) {
        if (line >= mine && line < not_mine) {
            add_slots(a, slots_i, lines.i[line], lines.i[line + 1], stride, b);
            add_slots(a, slots_j, lines.j[line], lines.j[line + 1], stride, b);
        } else {
            for (int o = 0; o < NO; o++) a[o] = others[((u64)line * NO + o) * stride + b];
        }
        if (line > 0)
            for (int o = 0; o < NO; o++) partial[line - 1][o][threadIdx.x] = a[o];
    }
    __syncthreads();
    if (b >= n || line > 0) return;
    for (int l = 0; l < LINES - 1; l++) {
        for (int o = 0; o < NO; o++) next[o] = partial[l][o][threadIdx.x];
        merge(a, next);
    }
#if SUM != FIXED
    if (!first) {
        for (int o = 0; o < NO; o++) next[o] = held[(u64)o * stride + b];
        merge(a, next);
    }
#endif
#if STEP
    if (last) {
        for (u32 k = 0; k < 3; k++) {
            const u64 at = (u64)k * n + b;
            move_component(step, b, k, __dmul_rn(GATHERED(a[k], k), step.factor[k]), step.x[at], step.v[at]);
        }
        return;
    }
#endif
    for (int o = 0; o < NO; o++) held[(u64)o * stride + b] = GATHERED(a[o], o);
}

// A GPU's own lines for a later gather, its own or another's: blockDim.y of them from `mine` on, to sums
// [blockDim.y][NO][stride].
extern "C" __global__ void __launch_bounds__(32 * LINES) add_lines(const Slot* __restrict__ slots_i,
                                                                   const Slot* __restrict__ slots_j, const Lines lines,
                                                                   const u32 mine, Gathered* __restrict__ sums,
                                                                   const u32 n, const u32 stride) {
    const u32 b = blockIdx.x * 32 + threadIdx.x, line = mine + threadIdx.y;
    if (b >= n) return;
    Gathered a[NO];
    start(a);
    add_slots(a, slots_i, lines.i[line], lines.i[line + 1], stride, b);
    add_slots(a, slots_j, lines.j[line], lines.j[line + 1], stride, b);
    for (int o = 0; o < NO; o++) sums[((u64)threadIdx.y * NO + o) * stride + b] = a[o];
}
