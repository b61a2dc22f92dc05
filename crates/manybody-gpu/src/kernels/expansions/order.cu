// The order of bodies along Hilbert's curve: keys, and a stable radix sort by eight digits at a time with one pass over memory
// each [Adinets and Merrill 2022, arXiv:2206.01784].
#define RADIX 256
#define ITEMS 8
#define TILE (RADIX * ITEMS)
#define WARPS (RADIX / 32)
#define PARTIAL 0x40000000u
#define WHOLE 0x80000000u
#define VALUE 0x3fffffffu

// Puts two zeros between the digits of a number of 21 digits.
static __device__ __forceinline__ u64 spread(u64 x) {
    x = (x | x << 32) & 0x001f00000000ffffull;
    x = (x | x << 16) & 0x001f0000ff0000ffull;
    x = (x | x << 8) & 0x100f00f00f00f00full;
    x = (x | x << 4) & 0x10c30c30c30c30c3ull;
    x = (x | x << 2) & 0x1249249249249249ull;
    return x;
}

// The key of each body: its place on Hilbert's curve [Skilling 2004, AIP Conf. Proc. 707, 381], with `digits` digits an axis, at
// most 21, or 42 in two parts.
extern "C" __global__ void __launch_bounds__(256)
curve_keys(Tree t, u64 *low, u64 *high, u32 *index, int digits) {
    const int k = blockIdx.x * 256 + threadIdx.x;
    if (k >= t.n) return;
    const double scale = (double)(1ull << (digits - 1));
    const u64 most = (1ull << digits) - 1;
    const double at[3] = {t.x[k], t.y[k], t.z[k]};
    u64 c[3];
    for (int d = 0; d < 3; d++) {
        const double q = (at[d] + 1.0) * scale;
        c[d] = q > 0.0 ? min((u64)min(q, (double)most), most) : 0;
    }
    for (int bit = digits - 1; bit > 0; bit--) {
        const u64 below = (1ull << bit) - 1;
        for (int d = 0; d < 3; d++) {
            if (c[d] >> bit & 1) c[0] ^= below;
            else {
                const u64 swap = (c[0] ^ c[d]) & below;
                c[0] ^= swap;
                c[d] ^= swap;
            }
        }
    }
    c[1] ^= c[0];
    c[2] ^= c[1];
    u64 flip = 0;
    for (int bit = digits - 1; bit > 0; bit--)
        if (c[2] >> bit & 1) flip ^= (1ull << bit) - 1;
    for (int d = 0; d < 3; d++) c[d] ^= flip;
    const u64 part = (1ull << 21) - 1;
    low[k] = spread(c[0] & part) << 2 | spread(c[1] & part) << 1 | spread(c[2] & part);
    if (digits > 21) high[k] = spread(c[0] >> 21) << 2 | spread(c[1] >> 21) << 1 | spread(c[2] >> 21);
    index[k] = k;
}

// What the keys of a second sort are, in the order of the first.
extern "C" __global__ void __launch_bounds__(256)
take_keys(const u64 *from, const u32 *index, u64 *to, int n) {
    const int k = blockIdx.x * 256 + threadIdx.x;
    if (k < n) to[k] = from[index[k]];
}

// How often each digit is there, for all passes: counts[pass][digit].
extern "C" __global__ void __launch_bounds__(RADIX)
count_digits(const u64 *keys, u32 *counts, int n, int passes) {
    __shared__ u32 sum[8][RADIX];
    for (int pass = 0; pass < passes; pass++) sum[pass][threadIdx.x] = 0;
    __syncthreads();
    for (int k = blockIdx.x * RADIX + threadIdx.x; k < n; k += gridDim.x * RADIX) {
        const u64 key = keys[k];
        for (int pass = 0; pass < passes; pass++) atomicAdd(&sum[pass][key >> 8 * pass & 255], 1u);
    }
    __syncthreads();
    for (int pass = 0; pass < passes; pass++) {
        const u32 here = sum[pass][threadIdx.x];
        if (here) atomicAdd(&counts[pass * RADIX + threadIdx.x], here);
    }
}

// Sums over the digits before each, by RADIX threads.
static __device__ __forceinline__ u32 before(u32 value, u32 *work) {
    const int w = threadIdx.x / 32, ln = lane();
    u32 sum = value;
    for (int o = 1; o < 32; o <<= 1) {
        const u32 other = __shfl_up_sync(FULL, sum, o);
        if (ln >= o) sum += other;
    }
    if (ln == 31) work[w] = sum;
    __syncthreads();
    u32 earlier = 0;
    for (int k = 0; k < w; k++) earlier += work[k];
    __syncthreads();
    return earlier + sum - value;
}

// One pass. `states` has RADIX words a tile, zero at first; `ticket` is zero at first.
extern "C" __global__ void __launch_bounds__(RADIX)
sort_pass(const u64 *keys, const u32 *values, u64 *keys_to, u32 *values_to, const u32 *counts, volatile u32 *states,
          u32 *ticket, int n, int pass) {
    __shared__ u64 key_of[TILE];
    __shared__ u32 value_of[TILE];
    __shared__ u32 of_warp[WARPS][RADIX];
    __shared__ u32 first[RADIX], work[WARPS], tile_of;
    const int t = threadIdx.x, w = t / 32, ln = lane();
    // tiles are taken in order, so that those before this one are at work
    if (t == 0) tile_of = atomicAdd(ticket, 1u);
    for (int k = 0; k < WARPS; k++) of_warp[k][t] = 0;
    __syncthreads();
    const u32 tile = tile_of;
    const int base = tile * TILE, begin = base + w * (32 * ITEMS) + ln, shift = 8 * pass;
    u64 key[ITEMS];
    u32 value[ITEMS], rank[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const int at = begin + 32 * k;
        key[k] = at < n ? keys[at] : ~0ull;
        value[k] = at < n ? values[at] : 0;
    }
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        // those beyond the end come last, and leave nothing behind them
        const u32 digit = begin + 32 * k < n ? (u32)(key[k] >> shift) & 255 : 255;
        const u32 same = __match_any_sync(FULL, digit);
        const u32 earlier = of_warp[w][digit];
        __syncwarp();
        rank[k] = earlier + __popc(same & ((1u << ln) - 1));
        if ((same & ((1u << ln) - 1)) == 0) of_warp[w][digit] = earlier + __popc(same);
        __syncwarp();
    }
    __syncthreads();
    u32 count = 0;
    for (int k = 0; k < WARPS; k++) {
        const u32 here = of_warp[k][t];
        of_warp[k][t] = count;
        count += here;
    }
    volatile u32 *own = states + (size_t)tile * RADIX + t;
    *own = (tile == 0 ? WHOLE : PARTIAL) | count;
    u32 earlier = 0;
    for (int other = (int)tile - 1; other >= 0; other--) {
        u32 state;
        do state = states[(size_t)other * RADIX + t];
        while (!(state & (PARTIAL | WHOLE)));
        earlier += state & VALUE;
        if (state & WHOLE) break;
    }
    if (tile > 0) *own = WHOLE | (earlier + count);
    const u32 here = before(count, work);
    const u32 all = before(counts[pass * RADIX + t], work);
    first[t] = all + earlier - here;
    for (int k = 0; k < WARPS; k++) of_warp[k][t] += here;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const u32 digit = begin + 32 * k < n ? (u32)(key[k] >> shift) & 255 : 255;
        const u32 to = of_warp[w][digit] + rank[k];
        key_of[to] = key[k];
        value_of[to] = value[k];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const int at = t + RADIX * k;
        if (base + at < n) {
            const u64 moved = key_of[at];
            const u32 to = first[(u32)(moved >> shift) & 255] + at;
            keys_to[to] = moved;
            values_to[to] = value_of[at];
        }
    }
}

#if OWN_SOFTENINGS
static __device__ __forceinline__ int exponent_of(double half) { return __float_as_int((float)half) >> 23; }

// The classes of softenings, in the order of the curve: bodies of one class make cells together, as on the CPU (softening.rs).
extern "C" __global__ void __launch_bounds__(256) take_classes(Tree t, const u32 *index, u64 *to) {
    const int k = blockIdx.x * 256 + threadIdx.x;
    if (k >= t.n) return;
    const int below = exponent_of(t.base + t.difference) - exponent_of(t.own[index[k]]);
    to[k] = max(0, CLASSES - 1 - max(0, below) / DIGITS_OF_CLASS);
}
#endif

// Counts bodies whose keys are equal to those of the LEAF bodies before: too many for leaves to part them.
extern "C" __global__ void __launch_bounds__(256) find_clashes(const u64 *keys, u32 *report, int n) {
    const int k = blockIdx.x * 256 + threadIdx.x;
    const bool same = k >= LEAF && k < n && keys[k] == keys[k - LEAF];
    const u32 all = __popc(__ballot_sync(FULL, same));
    if (lane() == 0 && all) atomicAdd(report + CLASHES, all);
}
