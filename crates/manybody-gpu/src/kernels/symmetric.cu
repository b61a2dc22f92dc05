// Every pair once, both bodies served: tiles over the triangular domain, in circulant order.
//
//   Tile I meets tile I + d (mod tiles) in round d = 0, 1, ..., tiles / 2; for an even number of tiles only half of the
//   last round. In a round every tile is written once as j, so each has a slot of its own: no atomics, and sums follow
//   the order of the rounds. Block (I, g) does the rounds d0 + g CHAIN, ..., d0 + (g + 1) CHAIN - 1 for tile I.
//
//     one warp, one chunk:     lane            0   1   2  ...  31        32 K bodies i in registers, with their sums
//                              step 0: j =     0   1   2  ...  31        the sums of j stay with j: after a step they
//                              step 1: j =     1   2   3  ...   0        move one lane down, and after 32 they are home
//
// A chunk of 32 bodies j lies twice in shared memory, so that lane + step needs no wrap. The W warps take the chunks in
// W phases, so that no two add to the same sums at once [1.7 times the rate of one-sided evaluation, H200].
#define T (32 * K * W)
#define CHUNKS (K * W)

extern "C" __global__ void __launch_bounds__(32 * W, MIN_BLOCKS) symmetric(
    const Body* __restrict__ bodies, const Body* __restrict__ rotated, real* __restrict__ slots_j,
    real* __restrict__ slots_i, const u32 n, const u32 tiles, const u32 d0, const u32 d1, const u32 chain PAR_ARGS) {
    extern __shared__ Piece shared[];                                     // [PIECES][2 T]
    real* const sums = reinterpret_cast<real*>(shared + PIECES * 2 * T);  // [NO][T], for W > 1
    const Par par = {{PAR_VALUES}};
    const u32 I = blockIdx.x, warp = threadIdx.x >> 5, lane = threadIdx.x & 31, next = (lane + 1) & 31;
    const u64 stride = (u64)tiles * T;
    Body i[K];
    real oi[K][NO];
#pragma unroll
    for (int k = 0; k < K; k++) {
        i[k] = rotated[(u64)I * T + (warp * K + k) * 32 + lane];
        start(oi[k]);
    }
    const u32 begin = d0 + blockIdx.y * chain, end = min(d1, begin + chain);
    for (u32 d = begin; d < end; d++) {
        const u32 J = I + d < tiles ? I + d : I + d - tiles;
        real* const slot = slots_j + (u64)(d - max(d0, 1u)) * NO * stride + (u64)J * T;  // not used for d = 0
        if (2 * d == tiles && I >= d) {  // the other half of the last round: nothing for this slot
            real nothing[NO];
            start(nothing);
            for (u32 t = threadIdx.x; t < T; t += 32 * W)
                for (int k = 0; k < NO; k++) slot[k * stride + t] = nothing[k];
            continue;
        }
        __syncthreads();
        for (u32 t = threadIdx.x; t < T; t += 32 * W) {
            const Body b = bodies[(u64)J * T + t];
            const u32 at = (t >> 5) * 64 + (t & 31);
            store(shared + at, 2 * T, b);
            store(shared + at + 32, 2 * T, b);
        }
        __syncthreads();
        const bool whole = n - J * T >= T && n - I * T >= T;
        if (d == 0) {
#pragma unroll 1
            for (u32 t = 0; t < T; t++) {
                const u32 gj = J * T + t;
                const Body j = load(shared + (t >> 5) * 64 + (t & 31), 2 * T);
#pragma unroll
                for (int k = 0; k < K; k++) {
                    const u32 gi = I * T + (warp * K + k) * 32 + lane;
                    if (gj < n && (SELF || gi != gj)) pair(i[k], j, par, oi[k]);
                }
            }
            continue;
        }
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
                        const bool there = J * T + chunk * 32 + ((lane + s) & 31) < n;
#pragma unroll
                        for (int k = 0; k < K; k++)
                            if (there && I * T + (warp * K + k) * 32 + lane < n) pair_both(i[k], j, par, oi[k], oj);
#pragma unroll
                        for (int o = 0; o < NO; o++) oj[o] = __shfl_sync(FULL, oj[o], next);
                    }
                }
                real* const home = sums + chunk * 32 + lane;
                if (W > 1 && phase > 0) {
                    real held[NO];
                    for (int o = 0; o < NO; o++) held[o] = home[o * T];
                    merge(held, oj);
                    for (int o = 0; o < NO; o++) home[o * T] = held[o];
                } else if (W > 1) {
                    for (int o = 0; o < NO; o++) home[o * T] = oj[o];
                } else {
                    for (int o = 0; o < NO; o++) slot[o * stride + chunk * 32 + lane] = oj[o];
                }
            }
            if (W > 1) __syncthreads();
        }
        if (W > 1) {
            for (u32 t = threadIdx.x; t < T; t += 32 * W)
                for (int o = 0; o < NO; o++) slot[o * stride + t] = sums[o * T + t];
        }
    }
#pragma unroll
    for (int k = 0; k < K; k++)
        for (int o = 0; o < NO; o++)
            slots_i[((u64)blockIdx.y * NO + o) * stride + (u64)I * T + (warp * K + k) * 32 + lane] = oi[k][o];
}
