// The kernels of [Navarro 2016, fig. 5]: 16 x 16 pairs a block, one a thread. MAP says which block of the triangle a block of
// the launch works on; with THREADS, which pair a thread does (UTM, as published).
struct Call { u32 w[16]; };  // the domain, then n

// Blocks have the diagonal and pairs have not, which is known when the kernel is compiled: a shift that every thread loads
// costs as much as the map [H200: 5 % of the dummy kernel with the exact root, 1 % with a published one].
#define CALL                                                                                                           \
    const Domain d = {call.w[0], THREADS, call.w[2], call.w[3], call.w[4]};                                            \
    const u32 n = call.w[5];                                                                                           \
    u32 gi, gj
#if THREADS
#define PLACE                                                                                                          \
    CALL;                                                                                                              \
    const u32 x = (blockIdx.x + blockIdx.y * gridDim.x) * 256 + threadIdx.y * 16 + threadIdx.x, y = 0;                 \
    if (!MAP(gi, gj)) return
#else
#define PLACE                                                                                                          \
    CALL;                                                                                                              \
    const u32 x = blockIdx.x, y = blockIdx.y;                                                                          \
    if (!MAP(gi, gj)) return;                                                                                          \
    const u32 bi = gi * 16, bj = gj * 16;                                                                              \
    gi = bi + threadIdx.y, gj = bj + threadIdx.x
#endif
#define PAIR (gi < n && gj < gi)

// the map alone: a write that the compiler cannot rule out and that never happens
extern "C" __global__ void __launch_bounds__(256) map_only(u32* __restrict__ out, const Call call) {
    PLACE;
    if (PAIR && gi + gj == call.w[6]) out[0] = gi;
}

// as published: the sum goes to one place
extern "C" __global__ void __launch_bounds__(256) dummy(u32* __restrict__ out, const Call call) {
    PLACE;
    if (PAIR) *(volatile u32*)out = gi + gj;
}

static __device__ __forceinline__ float distance4(const float4 a, const float4 b) {
    const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z, w = a.w - b.w;
    const float s = fmaf(w, w, fmaf(z, z, fmaf(y, y, x * x)));
    float r;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(s));
    return r;
}

// Euclidean distances of four features, straight from global memory
extern "C" __global__ void __launch_bounds__(256) edm4(const float4* __restrict__ points, float* __restrict__ out,
                                                       const Call call) {
    PLACE;
    if (PAIR) out[(u64)gi * (gi - 1) / 2 + gj] = distance4(points[gi], points[gj]);
}

// how many of the n (n - 1) / 2 distances are not what edm4 should have written: a block a row, no map
extern "C" __global__ void __launch_bounds__(256) edm4_check(const float4* __restrict__ points,
                                                             const float* __restrict__ out, u32* __restrict__ wrong,
                                                             const Call call) {
    const u32 gi = blockIdx.x + 1 + blockIdx.y * gridDim.x;
    if (gi >= call.w[5]) return;
    u32 mine = 0;
    for (u32 gj = threadIdx.y * 16 + threadIdx.x; gj < gi; gj += 256)
        mine += out[(u64)gi * (gi - 1) / 2 + gj] != distance4(points[gi], points[gj]);
    if (mine > 0) atomicAdd(wrong, mine);
}

// whether two spheres x y z r (1D: x and r) touch; they come from shared memory, or, where each thread computes its own
// map, from global memory
static __device__ __forceinline__ bool touch(const float4 a, const float4 b) {
    const float x = a.x - b.x, r = a.w + b.w;
#if ONE_DIMENSION
    return x * x <= r * r;
#else
    const float y = a.y - b.y, z = a.z - b.z;
    return fmaf(z, z, fmaf(y, y, x * x)) <= r * r;
#endif
}
// counts [65536], over which blocks spread their counts: one word for all would be what is measured
extern "C" __global__ void __launch_bounds__(256) collide(const float4* __restrict__ spheres, u32* __restrict__ counts,
                                                          const Call call) {
    u32* const count = counts + ((blockIdx.x + (blockIdx.y << 10)) & 0xffff);
#if THREADS
    PLACE;
    if (PAIR && touch(spheres[gi], spheres[gj])) atomicAdd(count, 1u);
#else
    PLACE;
    __shared__ float4 rows[16], columns[16];
    const u32 t = threadIdx.y * 16 + threadIdx.x;
    if (t < 16) rows[t] = spheres[min(bi + t, n - 1)];
    else if (t < 32) columns[t - 16] = spheres[min(bj + t - 16, n - 1)];
    __syncthreads();
    const u32 hits = __syncthreads_count(PAIR && touch(rows[threadIdx.y], columns[threadIdx.x]));
    if (t == 0 && hits > 0) atomicAdd(count, hits);
#endif
}
