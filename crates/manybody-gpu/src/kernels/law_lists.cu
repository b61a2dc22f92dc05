// A law over lists: a block has a leaf of LEAF bodies i, a thread K of them, and goes through ranges of bodies j that a list
// names, in tiles of T bodies in shared memory. As in direct.cu, sums of a bag of tiles are added to the sums of the leaf.
struct Call { u32 w[16]; };  // first item, how many, whether bodies are left out of their own sums, first leaf

extern "C" __global__ void __launch_bounds__(B) law_lists(const Body* __restrict__ bodies_i,
                                                          const Body* __restrict__ bodies_j,
                                                          const real* __restrict__ parameters,
                                                          const uint4* __restrict__ items,
                                                          const uint2* __restrict__ ranges,
                                                          const u32* __restrict__ itself, real* __restrict__ results,
                                                          const Call call) {
    __shared__ Body tile[T];
    const u32 block = blockIdx.x + blockIdx.y * gridDim.x;
    if (block >= call.w[1]) return;
    const uint4 item = items[call.w[0] + block];  // a leaf of this GPU, its first range and the end of its ranges, whether others were before
    const u32 t = threadIdx.x, first = (call.w[3] + item.x) * LEAF + t;
    Par par;
    for (int k = 0; k < NP; k++) par.p[k] = parameters[k];
    real* to = results + (u64)item.x * NO * LEAF + t;
    Body i[K];
    u32 own[K];
    real oi[K][NO], bag[K][NO];
#pragma unroll
    for (int k = 0; k < K; k++) {
        const Body plain = bodies_i[first + k * B];  // padded to whole leaves
#pragma unroll
        for (int f = 0; f < NF; f++) i[k].f[ROTATED(f)] = plain.f[f];
        own[k] = call.w[2] ? itself[first + k * B] : FULL;
        start(oi[k]);
        start(bag[k]);
#pragma unroll
        for (int o = 0; o < NO; o++)
            if (item.w) oi[k][o] = to[o * LEAF + k * B];
    }
    u32 tiles = 0;
    for (u32 r = item.y; r < item.z; r++) {
        const uint2 range = ranges[r];
        for (u32 j0 = range.x; j0 < range.y; j0 += T) {
            const u32 m = min((u32)T, range.y - j0);
            bool meets = false;
#pragma unroll
            for (int k = 0; k < K; k++) meets |= own[k] - j0 < m;
            __syncthreads();
            if (t < m) tile[t] = bodies_j[j0 + t];
            if (__syncthreads_or(meets)) {
#pragma unroll 1
                for (u32 s = 0; s < m; s++) {
                    const Body j = tile[s];
#pragma unroll
                    for (int k = 0; k < K; k++)
                        if (own[k] != j0 + s) pair(i[k], j, par, bag[k]);
                }
            } else {
#pragma unroll UNROLL
                for (u32 s = 0; s < m; s++) {
                    const Body j = tile[s];
#pragma unroll
                    for (int k = 0; k < K; k++) pair(i[k], j, par, bag[k]);
                }
            }
            if (++tiles == BAG) {
                tiles = 0;
#pragma unroll
                for (int k = 0; k < K; k++) {
                    merge(oi[k], bag[k]);
                    start(bag[k]);
                }
            }
        }
    }
#pragma unroll
    for (int k = 0; k < K; k++) {
        merge(oi[k], bag[k]);
#pragma unroll
        for (int o = 0; o < NO; o++) to[o * LEAF + k * B] = oi[k][o];
    }
}
