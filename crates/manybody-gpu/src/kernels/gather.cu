// Slots become sums, always in the same order, in double (in fixed point as integers, which then become double): `held`
// [NO][stride] keeps what earlier launches gave. 32 bodies a block; LINES lines of threads take every LINES-th slot each,
// and their sums are added one after the other.
#define LINES 8
extern "C" __global__ void __launch_bounds__(32 * LINES) gather(const Slot* __restrict__ slots_i, const u32 ni,
                                                                const Slot* __restrict__ slots_j, const u32 nj,
                                                                double* __restrict__ held, const u32 n,
                                                                const u32 stride,
                                                                const u32 first UNITS_ARGS STEP_LAST_ARGS) {
    __shared__ Gathered partial[LINES - 1][NO][32];
    const u32 b = blockIdx.x * 32 + threadIdx.x, line = threadIdx.y;
    Gathered a[NO], next[NO];
    start(a);
    if (b < n) {
#pragma unroll 4
        for (u32 s = line; s < ni + nj; s += LINES) {
            const Slot* const slot = s < ni ? slots_i + (u64)s * NO * stride : slots_j + (u64)(s - ni) * NO * stride;
            for (int o = 0; o < NO; o++) next[o] = slot[(u64)o * stride + b];
            merge(a, next);
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
