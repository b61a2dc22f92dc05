// One-sided with a choice of sums: as direct.cu, but the terms of a body are added as `Held` (sums.cuh) says. A tile of B
// bodies j is taken in pieces of PIECE, and after every PIECES of these the bag is put down. What gridDim.y shares of the
// j have added up meets in `gather`, in f64 or in integers.
extern "C" __global__ void __launch_bounds__(B) summed(const Body* __restrict__ bodies_i,
                                                       const Body* __restrict__ bodies_j, Slot* __restrict__ slots,
                                                       const u32 ni, const u32 nj, const u32 stride, const u32 share,
                                                       const u32 first_share, const u32 same, const u32 first_block UNITS_ARGS PAR_ARGS) {
    __shared__ Piece tile[PIECES * B];
    const Par par = {{PAR_VALUES}};
    const u32 first = (first_block + blockIdx.x) * (B * K), i0 = first + threadIdx.x;
    const u32 own = same - 1;  // body 0 of i among those of j, if it is there: then same is 1 more, else 0
    Body i[K];
    real bag[K][NO], scale[NO];
    Held held[K] = {};
#pragma unroll
    for (int k = 0; k < K; k++) {
        i[k] = bodies_i[i0 + k * B];  // rotated, padded to whole blocks
        start(bag[k]);
    }
#pragma unroll
    for (int o = 0; o < NO; o++) {
#if SUM == FIXED
        scale[o] = (real)units[o];
#else
        scale[o] = 1;
#endif
    }
    u32 pieces = 0, bags = 0;
    const auto put_down = [&]() {
#pragma unroll
        for (int k = 0; k < K; k++) {
#pragma unroll
            for (int o = 0; o < NO; o++) add(held[k], o, bag[k][o], bags, scale[o]);
            start(bag[k]);
        }
        pieces = 0;
        bags++;
    };
    const u32 begin = (first_share + blockIdx.y) * share, end = min(nj, begin + share);
    for (u32 j0 = begin; j0 < end; j0 += B) {
        __syncthreads();
        store(tile + threadIdx.x, B, bodies_j[j0 + threadIdx.x]);  // padded to whole tiles
        __syncthreads();
        const bool meets_itself = same && !SELF && j0 < first + own + B * K && first + own < j0 + B;
        if (end - j0 >= B && !meets_itself) {
#pragma unroll OUTER
            for (int p = 0; p < B; p += PIECE) {
#pragma unroll UNROLL
                for (int t = 0; t < PIECE; t++) {
                    const Body j = load(tile + p + t, B);
#pragma unroll
                    for (int k = 0; k < K; k++) pair(i[k], j, par, bag[k]);
                }
                if (BAG > 0 && ++pieces == BAG / PIECE) put_down();
            }
        } else {
            const u32 m = min((u32)B, end - j0);
#pragma unroll 1
            for (u32 t = 0; t < m; t++) {
                const Body j = load(tile + t, B);
#pragma unroll
                for (int k = 0; k < K; k++)
                    if (!(meets_itself && i0 + k * B + own == j0 + t)) pair(i[k], j, par, bag[k]);
                if (BAG > 0 && (t + 1) % PIECE == 0 && ++pieces == BAG / PIECE) put_down();
            }
        }
    }
    if (BAG != 1) put_down();
#pragma unroll
    for (int k = 0; k < K; k++)
        for (int o = 0; o < NO; o++)
            if (i0 + k * B < ni) slots[((u64)blockIdx.y * NO + o) * stride + i0 + k * B] = total(held[k], o, bags);
}
