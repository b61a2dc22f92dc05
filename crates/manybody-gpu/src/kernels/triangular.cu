// Every pair of a law in square tiles of the triangle: block (x, y) of the launch does the tile pair (I, J), I >= J, that MAP
// gives it. Mirrored as in symmetric.cu, whose head has the drawing, or one-sided: each tile's bodies sum over the other's.
//
// The sums of tile I over the bodies of tile J have the slot J of tile I: no atomics, and every slot is written once by
// any map that is right. That takes n^2 / T slots, so this traversal is for comparing maps and for sizes whose slots fit;
// the circulant order of symmetric.cu needs as many as rounds are under way.
#define T (32 * K * W)
struct Call { u32 w[16]; };  // the domain, n, tiles

static __device__ __forceinline__ void tile_into(Piece* const shared, const Body* __restrict__ bodies, const u32 J) {
    __syncthreads();
    for (u32 t = threadIdx.x; t < T; t += 32 * W) {
        const Body b = bodies[(u64)J * T + t];
        const u32 at = (t >> 5) * 64 + (t & 31);
        store(shared + at, 2 * T, b);
#if MIRRORED
        store(shared + at + 32, 2 * T, b);  // twice, so that lane + step needs no wrap
#endif
    }
    __syncthreads();
}

// the sums of tile I over the tile J that is in shared memory, one side only
static __device__ __forceinline__ void one_sided(const Piece* const shared, const Body* __restrict__ rotated,
                                                 real* __restrict__ slots, const Par& par, const u32 I, const u32 J,
                                                 const u32 n, const u64 stride) {
    const u32 first = I * T + (threadIdx.x >> 5) * (32 * K) + (threadIdx.x & 31);
    Body i[K];
    real oi[K][NO];
#pragma unroll
    for (int k = 0; k < K; k++) {
        i[k] = rotated[first + 32 * k];
        start(oi[k]);
    }
    const u32 m = min((u32)T, n - J * T);
    if (I != J && m == T) {
#pragma unroll 4
        for (u32 t = 0; t < T; t++) {
            const Body j = load(shared + (t >> 5) * 64 + (t & 31), 2 * T);
#pragma unroll
            for (int k = 0; k < K; k++) pair(i[k], j, par, oi[k]);
        }
    } else {
#pragma unroll 1
        for (u32 t = 0; t < m; t++) {
            const Body j = load(shared + (t >> 5) * 64 + (t & 31), 2 * T);
#pragma unroll
            for (int k = 0; k < K; k++)
                if (SELF || first + 32 * k != J * T + t) pair(i[k], j, par, oi[k]);
        }
    }
#pragma unroll
    for (int k = 0; k < K; k++)
        for (int o = 0; o < NO; o++) slots[((u64)J * NO + o) * stride + first + 32 * k] = oi[k][o];
}

extern "C" __global__ void __launch_bounds__(32 * W, MIN_BLOCKS) triangular(
    const Body* __restrict__ bodies, const Body* __restrict__ rotated, real* __restrict__ slots,
    const real* __restrict__ parameters, const u32* __restrict__ table, const Call call) {
    __shared__ Piece shared[PIECES * 2 * T];
    const Domain d = {call.w[0], call.w[1], call.w[2], call.w[3], call.w[4]};
    const u32 n = call.w[5], x = blockIdx.x, y = blockIdx.y;
    const u64 stride = (u64)call.w[6] * T;
    u32 I, J;
    if (!MAP(I, J) || J > I || I >= call.w[6]) return;
    Par par;
#pragma unroll
    for (int p = 0; p < NP; p++) par.p[p] = parameters[p];
    tile_into(shared, bodies, J);
#if MIRRORED
    if (I == J) {
        one_sided(shared, rotated, slots, par, I, J, n, stride);
        return;
    }
    __shared__ real sums[NO * T];
    const u32 warp = threadIdx.x >> 5, lane = threadIdx.x & 31, next = (lane + 1) & 31;
    const u32 first = I * T + warp * (32 * K) + lane;
    Body i[K];
    real oi[K][NO];
#pragma unroll
    for (int k = 0; k < K; k++) {
        i[k] = rotated[first + 32 * k];
        start(oi[k]);
    }
    const bool whole = n - I * T >= T;  // the tile J comes before it
    for (u32 phase = 0; phase < W; phase++) {
        const u32 group = W == 1 ? 0 : (warp + phase) % W;
        for (u32 c = 0; c < K; c++) {
            const u32 chunk = group * K + c;
            const Piece* const q = shared + chunk * 64 + lane;
            real oj[NO];
            start(oj);
            if (whole) {
#pragma unroll UNROLL
                for (int s = 0; s < 32; s++) {
                    const Body j = load(q + s, 2 * T);
#pragma unroll
                    for (int k = 0; k < K; k++) pair_both(i[k], j, par, oi[k], oj);
#pragma unroll
                    for (int o = 0; o < NO; o++) oj[o] = __shfl_sync(FULL, oj[o], next);
                }
            } else {
#pragma unroll 1
                for (int s = 0; s < 32; s++) {
                    const Body j = load(q + s, 2 * T);
#pragma unroll
                    for (int k = 0; k < K; k++)
                        if (first + 32 * k < n) pair_both(i[k], j, par, oi[k], oj);
#pragma unroll
                    for (int o = 0; o < NO; o++) oj[o] = __shfl_sync(FULL, oj[o], next);
                }
            }
            real* const home = sums + chunk * 32 + lane;
            if (phase > 0) {
                real held[NO];
                for (int o = 0; o < NO; o++) held[o] = home[o * T];
                merge(held, oj);
                for (int o = 0; o < NO; o++) home[o * T] = held[o];
            } else {
                for (int o = 0; o < NO; o++) home[o * T] = oj[o];
            }
        }
        __syncthreads();
    }
    for (u32 t = threadIdx.x; t < T; t += 32 * W)
        for (int o = 0; o < NO; o++) slots[((u64)I * NO + o) * stride + (u64)J * T + t] = sums[o * T + t];
#pragma unroll
    for (int k = 0; k < K; k++)
        for (int o = 0; o < NO; o++) slots[((u64)J * NO + o) * stride + first + 32 * k] = oi[k][o];
#else
    one_sided(shared, rotated, slots, par, I, J, n, stride);
    if (I == J) return;
    tile_into(shared, bodies, I);
    one_sided(shared, rotated, slots, par, J, I, n, stride);
#endif
}

// Slots become sums, in the order of tiles, in double.
extern "C" __global__ void __launch_bounds__(64) gather_tiles(const real* __restrict__ slots, double* __restrict__ held,
                                                              const Call call) {
    const u32 b = blockIdx.x * 64 + threadIdx.x, tiles = call.w[6];
    if (b >= call.w[5]) return;
    const u64 stride = (u64)tiles * T;
    double a[NO], next[NO];
    start(a);
#pragma unroll 4
    for (u32 s = 0; s < tiles; s++) {
        for (int o = 0; o < NO; o++) next[o] = slots[((u64)s * NO + o) * stride + b];
        merge(a, next);
    }
    for (int o = 0; o < NO; o++) held[(u64)o * stride + b] = a[o];
}
