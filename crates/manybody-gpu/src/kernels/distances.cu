// The packed distance matrix, in the order of SciPy's pdist: pair (i, j), i < j, at i (2n - i - 1) / 2 + j - i - 1.
//
// Counted from the end that is the lower triangle row by row: with a = n - 1 - i and b = n - 1 - j, pair (a, b), a > b, is at
// total - 1 - (a (a - 1) / 2 + b). So the exact lambda map cuts it into square tiles, and a part of the matrix is a range
// of its blocks. A thread has K columns b in registers and goes down the rows a of the tile, which lie in shared memory;
// a row's neighbours are written together.
#define T (K * B)
#define PIECES ((DIMENSIONS + 3) / 4)
struct Call { u32 w[16]; };  // the domain, then the first block, how many, n, (-), end of the matrix in this part (2 words)
struct alignas(4 * sizeof(real)) Quad { real f[4]; };

static __device__ __forceinline__ real root(const real s) {
#if SQUARED
    return s;
#elif REAL_IS_DOUBLE
    return __dsqrt_rn(s);
#else
    return m_sqrt(s);
#endif
}

#if PIECES <= 2
// the rows of a tile; WHOLE: all of its columns are left of the diagonal
template <bool WHOLE>
static __device__ __forceinline__ void go_down(const Quad (&tile)[PIECES][T], const Quad (&b)[PIECES][K], real* to,
                                               const u32 a0, const u32 b0, const u32 rows) {
#pragma unroll 4
    for (u32 r = 0; r < rows; r++) {
#pragma unroll
        for (u32 k = 0; k < K; k++) {
            real s = 0;
#pragma unroll
            for (u32 c = 0; c < DIMENSIONS; c++) {
                const real x = tile[c / 4][r].f[c % 4] - b[c / 4][k].f[c % 4];
                s = c == 0 ? x * x : fma(x, x, s);
            }
            if (WHOLE || b0 + k * B < a0 + r) to[-(long long)(k * B)] = root(s);
        }
        to -= a0 + r;  // as many pairs as the row has
    }
}
#endif

// points [PIECES][padded to whole tiles], four numbers of a point in each piece
extern "C" __global__ void __launch_bounds__(B) distances(const Quad* __restrict__ points, real* __restrict__ out,
                                                          const Call call) {
    const Domain d = {call.w[0], call.w[1], call.w[2], call.w[3], call.w[4]};
    const u32 block = blockIdx.x + blockIdx.y * gridDim.x, n = call.w[7];
    if (block >= call.w[6]) return;
    u32 I, J;
    const u32 x = call.w[5] + block, y = 0;
    if (!MAP(I, J)) return;
    const u32 t = threadIdx.x, padded = d.rows * T, a0 = I * T, b0 = J * T + t;
    const u64 end = (u64)call.w[10] << 32 | call.w[9];
    const u32 rows = min((u32)T, n - a0);
    const u64 before = (u64)a0 * (a0 - 1) / 2;  // pairs of earlier rows
#if PIECES <= 2
    __shared__ Quad tile[PIECES][T];
    Quad b[PIECES][K];
#pragma unroll
    for (u32 p = 0; p < PIECES; p++)
#pragma unroll
        for (u32 k = 0; k < K; k++) {
            tile[p][k * B + t] = points[(u64)p * padded + a0 + k * B + t];
            b[p][k] = points[(u64)p * padded + b0 + k * B];
        }
    __syncthreads();
    real* const to = out + (end - 1 - before - b0);  // of column b0; column b0 + k B is k B before it
    if (I > J) go_down<true>(tile, b, to, a0, b0, rows);
    else go_down<false>(tile, b, to, a0, b0, rows);
#else
    // many dimensions: eight rows at a time, four numbers after four
    for (u32 r0 = 0; r0 < rows; r0 += 8) {
        real s[8][K];
        for (u32 r = 0; r < 8; r++)
            for (u32 k = 0; k < K; k++) s[r][k] = 0;
        for (u32 p = 0; p < PIECES; p++) {
            Quad b[K];
#pragma unroll
            for (u32 k = 0; k < K; k++) b[k] = points[(u64)p * padded + b0 + k * B];
#pragma unroll
            for (u32 r = 0; r < 8; r++) {
                const Quad a = points[(u64)p * padded + a0 + r0 + r];
#pragma unroll
                for (u32 k = 0; k < K; k++)
#pragma unroll
                    for (u32 c = 0; c < 4; c++) {
                        const real x = a.f[c] - b[k].f[c];
                        s[r][k] = fma(x, x, s[r][k]);
                    }
            }
        }
#pragma unroll
        for (u32 r = 0; r < 8; r++) {
            const u64 a = a0 + r0 + r;
#pragma unroll
            for (u32 k = 0; k < K; k++)
                if (r0 + r < rows && b0 + k * B < a) out[end - 1 - (a * (a - 1) / 2 + b0 + k * B)] = root(s[r][k]);
        }
    }
#endif
}
