// Which spheres touch: every pair j < i tested once, counted first, then listed. A block does the tile pair that the exact
// lambda map gives it: K spheres i a thread in registers, a tile of T spheres j in shared memory.
//
// Counting notes, for each warp and each 32 of the j, whether anything touched (one bit), so that the second pass goes
// through those again only: of 256 x 32 pairs a bit. What is rare costs nothing: the inner loop has one comparison a
// pair, whose outcomes are or-ed into a predicate. Each operation is rounded (this file is compiled without fusing), so
// the list is the host's. The spheres are padded with NaN positions: these touch nothing.
#define T (K * B)
#define CHUNKS (T / 32)
#define WARPS (B / 32)
struct Call { u32 w[16]; };  // the domain, then the first block, how many, pairs that the list takes
struct alignas(4 * sizeof(real)) Sphere { real x, y, z, r; };

static __device__ __forceinline__ bool touch(const Sphere& a, const Sphere& b) {
    const real x = b.x - a.x;
    real s = x * x;
#if DIMENSIONS > 1
    const real y = b.y - a.y;
    s = s + y * y;
#endif
#if DIMENSIONS > 2
    const real z = b.z - a.z;
    s = s + z * z;
#endif
    const real reach = a.r + b.r;
    return s <= reach * reach;
}

#define TILES                                                                                                          \
    const Domain d = {call.w[0], call.w[1], call.w[2], call.w[3], call.w[4]};                                          \
    const u32 block = blockIdx.x + blockIdx.y * gridDim.x;                                                             \
    if (block >= call.w[6]) return;                                                                                    \
    u32 I, J;                                                                                                          \
    const u32 x = call.w[5] + block, y = 0;                                                                            \
    if (!MAP(I, J)) return;                                                                                            \
    const u32 t = threadIdx.x, lane = t & 31, warp = t >> 5;                                                           \
    const Sphere* const rows = spheres + (u64)I * T + warp * (32 * K) + lane;                                          \
    const Sphere* const columns = spheres + (u64)J * T

// counts [blocks], masks [blocks][WARPS]
extern "C" __global__ void __launch_bounds__(B) count(const Sphere* __restrict__ spheres, u32* __restrict__ counts,
                                                      u32* __restrict__ masks, const Call call) {
    __shared__ Sphere tile[T];
    __shared__ u32 total;
    TILES;
    if (t == 0) total = 0;
#pragma unroll
    for (u32 k = 0; k < K; k++) tile[k * B + t] = columns[k * B + t];
    Sphere i[K];
#pragma unroll
    for (u32 k = 0; k < K; k++) i[k] = rows[32 * k];
    __syncthreads();
    u32 mask = 0, hits = 0;
    const u32 first = warp * (32 * K) + lane;
    for (u32 c = 0; c < CHUNKS; c++) {
        const Sphere* const q = tile + 32 * c;
        bool any = false;
        if (I != J) {
#pragma unroll 4
            for (u32 s = 0; s < 32; s++) {
                const Sphere j = q[s];
#pragma unroll
                for (u32 k = 0; k < K; k++) any = any | touch(i[k], j);
            }
        } else {
#pragma unroll 1
            for (u32 s = 0; s < 32; s++) {
                const Sphere j = q[s];
#pragma unroll
                for (u32 k = 0; k < K; k++) any = any | (32 * c + s < first + 32 * k && touch(i[k], j));
            }
        }
        if (__any_sync(FULL, any)) {
            mask |= 1u << c;
#pragma unroll 1
            for (u32 s = 0; s < 32; s++) {
                const Sphere j = q[s];
#pragma unroll
                for (u32 k = 0; k < K; k++) hits += (I != J || 32 * c + s < first + 32 * k) && touch(i[k], j);
            }
        }
    }
    if (hits > 0) atomicAdd(&total, hits);
    if (lane == 0) masks[block * WARPS + warp] = mask;
    __syncthreads();
    if (t == 0) counts[block] = total;
}

// pairs [w 7][2]; starts [blocks + 1] is where each block's pairs begin. The order within a block is the host's to mend.
extern "C" __global__ void __launch_bounds__(B) list(const Sphere* __restrict__ spheres, const u32* __restrict__ starts,
                                                     const u32* __restrict__ masks, uint2* __restrict__ pairs,
                                                     const Call call) {
    __shared__ u32 next;
    TILES;
    const u32 begin = starts[block], end = starts[block + 1];
    if (begin == end) return;
    if (t == 0) next = begin;
    __syncthreads();
    const u32 mask = masks[block * WARPS + warp], first = warp * (32 * K) + lane;
    if (mask == 0) return;
    Sphere i[K];
#pragma unroll
    for (u32 k = 0; k < K; k++) i[k] = rows[32 * k];
    for (u32 left = mask; left != 0; left &= left - 1) {
        const u32 c = __ffs(left) - 1;
#pragma unroll 1
        for (u32 s = 0; s < 32; s++) {
            const Sphere j = columns[32 * c + s];
#pragma unroll
            for (u32 k = 0; k < K; k++) {
                if ((I != J || 32 * c + s < first + 32 * k) && touch(i[k], j)) {
                    const u32 at = atomicAdd(&next, 1u);
                    pairs[at] = make_uint2(J * T + 32 * c + s, I * T + first + 32 * k);
                }
            }
        }
    }
}
