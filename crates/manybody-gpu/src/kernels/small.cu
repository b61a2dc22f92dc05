// One-sided, for few bodies: a block has K bodies i, its threads share out all j, and their sums meet in the block. One
// launch, no slots, and the device is full from a few hundred bodies on [2.5 us for 1,024, H200].
//
// Sums meet as a tree of fixed shape, so the bits are the same every time. A step of the tree over a warp halves the
// values that a lane still has to pass on: lanes of one kind keep the first half and give the second, the others the
// other way round, so that K NO values cost K NO + 5 exchanges, not 5 K NO. Only sums can be halved so; laws with other
// results exchange whole records.
#define VALUES (K * NO)
#define WARPS (B / 32)

#if ALL_SUMS
// values[0 .. COUNT) over 32 / (2 BIT) groups of lanes; returns how many are left to a lane
template <int COUNT, int BIT> struct Halve {
    static __device__ __forceinline__ void run(real* v, const u32 lane) {
        constexpr int HALF = (COUNT + 1) / 2;
        const bool up = lane & BIT;
#pragma unroll
        for (int k = 0; k < HALF; k++) {
            const real low = v[k], high = k + HALF < COUNT ? v[k + HALF] : (real)0;
            v[k] = (up ? high : low) + __shfl_xor_sync(FULL, up ? low : high, BIT);
        }
        Halve<HALF, BIT * 2>::run(v, lane);
    }
};
template <int COUNT> struct Halve<COUNT, 32> {
    static __device__ __forceinline__ void run(real*, const u32) {}
};
// where the tree leaves value k: the lane's bits choose a half at every step
static __device__ __forceinline__ u32 home_lane(u32 k) {
    u32 lane = 0;
    int count = VALUES;
    for (int bit = 1; bit < 32; bit *= 2) {
        const int half = (count + 1) / 2;
        if (k >= half) lane |= bit, k -= half;
        count = half;
    }
    return lane;
}
// and at which place of that lane
static __device__ __forceinline__ u32 home_place(u32 k) {
    int count = VALUES;
    for (int bit = 1; bit < 32; bit *= 2) {
        const int half = (count + 1) / 2;
        if (k >= half) k -= half;
        count = half;
    }
    return k;
}
// the sum of a value over the warps, in four chains: one would take their number of additions
static __device__ __forceinline__ double over_warps(const real (*partial)[VALUES], const u32 k) {
    double chain[4] = {0, 0, 0, 0};
#pragma unroll
    for (u32 w = 0; w < WARPS; w++) chain[w & 3] += partial[w][k];
    return (chain[0] + chain[1]) + (chain[2] + chain[3]);
}
#endif

extern "C" __global__ void __launch_bounds__(B, MIN_BLOCKS) small(const Body* bodies_i,
                                                      const Body* bodies_j, double* __restrict__ held,
                                                      const u32 ni, const u32 nj, const u32 stride,
                                                      const u32 same STEP_ARGS PAR_ARGS) {
    BEGIN_EARLY;
    __shared__ real partial[WARPS][VALUES];
    const Par par = {{PAR_VALUES}};
    const u32 i0 = blockIdx.x * K, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
#if STEP
    // component c of body k: asked for now, needed at the end
    __shared__ double held_x[3 * K], held_v[3 * K];
    const u32 mine = i0 + threadIdx.x / 3, component = threadIdx.x % 3;
    const bool moves = threadIdx.x < 3 * K && mine < ni;
    if (moves) {
        held_x[threadIdx.x] = step.x[(u64)component * ni + mine];
        held_v[threadIdx.x] = step.v[(u64)component * ni + mine];
    }
#endif
    Body i[K];
    real sums[K][NO];
#pragma unroll
    for (int k = 0; k < K; k++) {
        i[k] = bodies_i[i0 + k];  // rotated, padded to whole blocks
        start(sums[k]);
    }
    // only in the stretch of B bodies j that has its own bodies need a thread ask which these are
    u32 j0 = threadIdx.x;
    const bool asks = same && !SELF;
    const u32 s0 = i0 + same - 1;  // body 0 of i is body same - 1 of j, if same is not 0
    const u32 own = asks ? min(nj, s0 / B * B) : nj, after = asks ? min(nj, (s0 + K - 1) / B * B + B) : nj;
#pragma unroll UNROLL
    for (; j0 < own; j0 += B) {
        const Body j = bodies_j[j0];
#pragma unroll
        for (int k = 0; k < K; k++) pair(i[k], j, par, sums[k]);
    }
#pragma unroll 1
    for (; j0 < after; j0 += B) {
        const Body j = bodies_j[j0];
#pragma unroll
        for (int k = 0; k < K; k++)
            if (s0 + k != j0) pair(i[k], j, par, sums[k]);
    }
#pragma unroll UNROLL
    for (; j0 < nj; j0 += B) {
        const Body j = bodies_j[j0];
#pragma unroll
        for (int k = 0; k < K; k++) pair(i[k], j, par, sums[k]);
    }
#if ALL_SUMS
    real v[VALUES];
#pragma unroll
    for (int k = 0; k < VALUES; k++) v[k] = sums[k / NO][k % NO];
    Halve<VALUES, 1>::run(v, lane);
#pragma unroll
    for (int k = 0; k < VALUES; k++)
        if (lane == home_lane(k)) partial[warp][k] = v[home_place(k)];
#else
#pragma unroll
    for (int k = 0; k < K; k++) {
#pragma unroll
        for (int bit = 1; bit < 32; bit *= 2) {
            real other[NO];
            for (int o = 0; o < NO; o++) other[o] = __shfl_xor_sync(FULL, sums[k][o], bit);
            merge(sums[k], other);
        }
        if (lane == 0)
            for (int o = 0; o < NO; o++) partial[warp][k * NO + o] = sums[k][o];
    }
#endif
    __syncthreads();
#if STEP
    if (moves) {
        const double a = __dmul_rn(over_warps(partial, threadIdx.x / 3 * NO + component), step.factor[component]);
        move_component(step, mine, component, a, held_x[threadIdx.x], held_v[threadIdx.x]);
    }
#elif ALL_SUMS
    for (u32 k = threadIdx.x; k < VALUES; k += B)
        if (i0 + k / NO < ni) held[(u64)(k % NO) * stride + i0 + k / NO] = over_warps(partial, k);
#else
    if (threadIdx.x < K && i0 + threadIdx.x < ni) {
        double a[NO], next[NO];
        start(a);
        for (u32 w = 0; w < WARPS; w++) {
            for (int o = 0; o < NO; o++) next[o] = partial[w][threadIdx.x * NO + o];
            merge(a, next);
        }
        for (int o = 0; o < NO; o++) held[(u64)o * stride + i0 + threadIdx.x] = a[o];
    }
#endif
}
