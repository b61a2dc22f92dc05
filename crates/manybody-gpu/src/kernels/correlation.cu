// Pairs counted by distance. A block does one tile pair: K points i a thread in registers, T points j in stretches of B
// through shared memory, and counts in shared memory, COPIES of them side by side so that the lanes of a warp that meet the
// same bin do not wait for each other. 2^20 pairs a block at most, so 32 bits hold its counts; they are added to 64-bit
// totals once, at its end.
//
// Each operation is rounded (this file is compiled without fusing), and squares are compared with squares of edges, so
// the counts are the host's. A bin is found by bisection: SLOTS is a power of two, and slots without a bin begin at the
// last edge, which no pair reaches.
#define T (K * B)
#define GROUP 4
struct Call { u32 w[16]; };  // the domain (two sets: tiles of the second first), the first block, how many, points of each
struct alignas(4 * sizeof(real)) Point { real x[4]; };

// where pairs are counted, and against what
struct Tally {
    const real* squares;
    u32* counts;
    real low, high;
    real sides[DIMENSIONS], per_side[DIMENSIONS];
};

static __device__ __forceinline__ real square_of(const Tally& tally, const Point& a, const Point& b) {
    real square = 0;
#pragma unroll
    for (u32 c = 0; c < DIMENSIONS; c++) {
        real x = b.x[c] - a.x[c];
#if PERIODIC
        x = x - tally.sides[c] * m_round(x * tally.per_side[c]);
#endif
        square = c == 0 ? x * x : square + x * x;
    }
    return square;
}
static __device__ __forceinline__ bool is_counted(const Tally& tally, const real square) {
    return tally.low <= square && square < tally.high;
}
static __device__ __forceinline__ void count(const Tally& tally, const real square) {
    u32 bin = 0;
#pragma unroll
    for (u32 step = SLOTS / 2; step > 0; step /= 2) bin += tally.squares[bin + step] <= square ? step : 0;
    atomicAdd(&tally.counts[bin * COPIES], 1u);
}

// Points j of a stretch with the points i; WHOLE: every one with every one. Else `rows` points are left from the thread's
// first point i on, and on the diagonal, where that is point `mine` of the stretch, only points before a point i meet it.
// Often no pair is near enough: one branch for GROUP of them.
template <bool WHOLE>
static __device__ __forceinline__ void stretch(const Tally& tally, const Point (&i)[K], const Point* tile,
                                               const int count_j, const int rows, const bool same, const int mine) {
#pragma unroll 1
    for (int s = 0; s < (WHOLE ? B : count_j); s++) {
        const Point j = tile[s];
        const int ahead = same ? s - mine : -1;
#pragma unroll
        for (int first = 0; first < K; first += GROUP) {
            real square[GROUP];
            bool any = false;
#pragma unroll
            for (int k = 0; k < GROUP; k++) {
                square[k] = square_of(tally, i[first + k], j);
                any = any | is_counted(tally, square[k]);
            }
            if (!any) continue;
#pragma unroll
            for (int k = 0; k < GROUP; k++) {
                const int row = (first + k) * B;
                if (is_counted(tally, square[k]) && (WHOLE || (row < rows && ahead < row))) count(tally, square[k]);
            }
        }
    }
}

// limits: squares of edges [SLOTS], of the last edge, sides [4], their reciprocals [4]; totals [SLOTS]
extern "C" __global__ void __launch_bounds__(B) correlation(const Point* __restrict__ rows, const Point* __restrict__ columns,
                                                            const real* __restrict__ limits, u64* __restrict__ totals,
                                                            const Call call) {
    __shared__ Point tile[B];
    __shared__ real squares[SLOTS];
    __shared__ u32 counts[SLOTS * COPIES];
    const u32 block = blockIdx.x + blockIdx.y * gridDim.x, t = threadIdx.x;
    if (block >= call.w[6]) return;
    const u32 x = call.w[5] + block;
    u32 I, J;
#if BETWEEN
    I = x / call.w[0], J = x % call.w[0];
#else
    const u32 y = 0;
    const Domain d = {call.w[0], call.w[1], call.w[2], call.w[3], call.w[4]};
    if (!MAP(I, J)) return;
#endif
    for (u32 slot = t; slot < SLOTS; slot += B) squares[slot] = limits[slot];
    for (u32 at = t; at < SLOTS * COPIES; at += B) counts[at] = 0;
    Tally tally;
    tally.squares = squares, tally.counts = counts + t % COPIES;
    tally.low = limits[0], tally.high = limits[SLOTS];
#pragma unroll
    for (u32 c = 0; c < DIMENSIONS; c++) {
        tally.sides[c] = limits[SLOTS + 1 + c];
        tally.per_side[c] = limits[SLOTS + 5 + c];
    }
    const bool same = !BETWEEN && I == J;
    const u32 left = call.w[7] - I * T, there = min(call.w[8] - J * T, T);
    Point i[K];
#pragma unroll
    for (u32 k = 0; k < K; k++) i[k] = rows[(u64)I * T + k * B + t];
    const bool whole = !same && there == T && left >= T;
    for (u32 first = 0; first < there; first += B) {
        __syncthreads();
        tile[t] = columns[(u64)J * T + first + t];
        __syncthreads();
        const int count_j = min(there - first, B), after = (int)left - (int)t, mine = (int)t - (int)first;
        if (whole) stretch<true>(tally, i, tile, count_j, after, same, mine);
        else stretch<false>(tally, i, tile, count_j, after, same, mine);
    }
    __syncthreads();
    for (u32 slot = t; slot < SLOTS; slot += B) {
        u32 sum = 0;
        for (u32 c = 0; c < COPIES; c++) sum += counts[slot * COPIES + (c + t) % COPIES];
        if (sum > 0) atomicAdd(&totals[slot], (u64)sum);
    }
}
