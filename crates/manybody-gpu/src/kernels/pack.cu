// Bodies as the kernels read them: columns [numbers][n] become records, plain and rotated, padded with copies of the last.
extern "C" __global__ void __launch_bounds__(256) pack(const real* __restrict__ columns, const u32 numbers, const u32 n,
                                                       const u32 padded, Body* __restrict__ plain,
                                                       Body* __restrict__ rotated) {
    const u32 b = blockIdx.x * 256 + threadIdx.x;
    if (b >= padded) return;
    const u32 from = min(b, n - 1);
    Body p, r;
#pragma unroll
    for (u32 k = 0; k < NF; k++) r.f[ROTATED(k)] = p.f[k] = k < numbers ? columns[(u64)k * n + from] : (real)0;
    plain[b] = p;
    rotated[b] = r;
}
