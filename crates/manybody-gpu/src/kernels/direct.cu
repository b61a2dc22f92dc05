// One-sided: every body i sums over its share of all j, as in [Nyland 2007], with K bodies i a thread and the j split over
// gridDim.y blocks so that few bodies fill the device too.
//
// A block keeps a tile of B bodies j in shared memory. After every BAG tiles the sums of the bag are added to the sums of
// the split [Hamada 2007, the Chamomile scheme]: errors grow with the length of a bag and the number of bags, not with N.
extern "C" __global__ void __launch_bounds__(B) direct(const Body* __restrict__ bodies_i,
                                                       const Body* __restrict__ bodies_j, real* __restrict__ slots,
                                                       const u32 ni, const u32 nj, const u32 stride, const u32 share,
                                                       const u32 first_share, const u32 same, const u32 first_block PAR_ARGS) {
    __shared__ Piece tile[PIECES * B];
    const Par par = {{PAR_VALUES}};
    const u32 first = (first_block + blockIdx.x) * (B * K), i0 = first + threadIdx.x;
    const u32 own = same - 1;  // body 0 of i among those of j, if it is there: then same is 1 more, else 0
    Body i[K];
    real oi[K][NO], bag[K][NO];
#pragma unroll
    for (int k = 0; k < K; k++) {
        i[k] = bodies_i[i0 + k * B];  // rotated, padded to whole blocks
        start(oi[k]);
        start(bag[k]);
    }
    const u32 begin = (first_share + blockIdx.y) * share, end = min(nj, begin + share);
    u32 tiles = 0;
    for (u32 j0 = begin; j0 < end; j0 += B) {
        __syncthreads();
        store(tile + threadIdx.x, B, bodies_j[j0 + threadIdx.x]);  // padded to whole tiles
        __syncthreads();
        const bool meets_itself = same && !SELF && j0 < first + own + B * K && first + own < j0 + B;
        if (end - j0 >= B && !meets_itself) {
#pragma unroll UNROLL
            for (int t = 0; t < B; t++) {
                const Body j = load(tile + t, B);
#pragma unroll
                for (int k = 0; k < K; k++) pair(i[k], j, par, bag[k]);
            }
        } else {
            const u32 m = min((u32)B, end - j0);
#pragma unroll 1
            for (u32 t = 0; t < m; t++) {
                const Body j = load(tile + t, B);
#pragma unroll
                for (int k = 0; k < K; k++)
                    if (!(meets_itself && i0 + k * B + own == j0 + t)) pair(i[k], j, par, bag[k]);
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
#pragma unroll
    for (int k = 0; k < K; k++) {
        merge(oi[k], bag[k]);
        for (int o = 0; o < NO; o++)
            if (i0 + k * B < ni) slots[((u64)blockIdx.y * NO + o) * stride + i0 + k * B] = oi[k][o];
    }
}
