// What a system conserves, summed in double. Every sum has one order, that of the threads: the same bits every time.
typedef unsigned int u32;
typedef unsigned long long u64;
#define SUMS 14
#define BLOCKS 128
#define THREADS 256

// positions in the frame of the forces, for an evaluation of potentials: columns [3][n]
extern "C" __global__ void __launch_bounds__(THREADS) positions(const double* __restrict__ x,
                                                                const double* __restrict__ frame,
                                                                const double per_length, const u32 n,
                                                                double* __restrict__ columns) {
    const u32 b = blockIdx.x * THREADS + threadIdx.x;
    if (b >= n) return;
    for (int k = 0; k < 3; k++) columns[(u64)k * n + b] = __dmul_rn(x[(u64)k * n + b] - frame[k], per_length);
}

// m, m x [3], m v [3], m v^2, m phi, m x × v [3], m |v|, m |x × v|
extern "C" __global__ void __launch_bounds__(THREADS) integrals(const double* __restrict__ mass,
                                                                const double* __restrict__ x,
                                                                const double* __restrict__ v,
                                                                const double* __restrict__ potential,
                                                                const double unit, const u32 n,
                                                                double* __restrict__ partial) {
    __shared__ double shared[THREADS];
    double sum[SUMS] = {0};
    for (u32 b = blockIdx.x * THREADS + threadIdx.x; b < n; b += BLOCKS * THREADS) {
        const double m = mass[b], px = x[b], py = x[(u64)n + b], pz = x[2 * (u64)n + b];
        const double vx = v[b], vy = v[(u64)n + b], vz = v[2 * (u64)n + b], speed2 = vx * vx + vy * vy + vz * vz;
        const double lx = py * vz - pz * vy, ly = pz * vx - px * vz, lz = px * vy - py * vx;
        const double term[SUMS] = {m, m * px, m * py, m * pz, m * vx, m * vy, m * vz, m * speed2,
                                   m * (potential[b] * unit), m * lx, m * ly, m * lz, m * sqrt(speed2),
                                   m * sqrt(lx * lx + ly * ly + lz * lz)};
#pragma unroll
        for (int k = 0; k < SUMS; k++) sum[k] += term[k];
    }
    for (int k = 0; k < SUMS; k++) {
        __syncthreads();
        shared[threadIdx.x] = sum[k];
        for (u32 half = THREADS / 2; half > 0; half /= 2) {
            __syncthreads();
            if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
        }
        if (threadIdx.x == 0) partial[k * BLOCKS + blockIdx.x] = shared[0];
    }
}

extern "C" __global__ void __launch_bounds__(32) total(const double* __restrict__ partial, double* __restrict__ sums) {
    if (threadIdx.x >= SUMS) return;
    double sum = 0;
    for (u32 k = 0; k < BLOCKS; k++) sum += partial[threadIdx.x * BLOCKS + k];
    sums[threadIdx.x] = sum;
}
