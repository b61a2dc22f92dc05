// The packed distance matrix, in the order of SciPy's pdist: pair (i, j), i < j, at i (2n - i - 1) / 2 + j - i - 1.
//
// Counted from the end that is the lower triangle row by row: with a = n - 1 - i and b = n - 1 - j, pair (a, b), a > b, is at
// total - 1 - (a (a - 1) / 2 + b), and a part of the matrix is a range of rows a.
//
// What counts is how memory is written. A block has COLUMNS = 4 B columns b and 8 GROUPS rows a; blocks follow each other
// along the rows, so that those that run at a time write one stretch of memory.
//
//     rows a    | block | block | block | ..    thread q has columns 4 q + s .. 4 q + s + 3: s = 0 .. 3 differs from
//     8 GROUPS  |       |       |       |       row to row, such that the four distances are one aligned store
//
// Rows are packed, so the place of row a modulo 4 is that of a (a - 1) / 2, which has a period of 8: with the end of the
// part modulo 4 (PHASE) known, s is a constant in each of eight unrolled rows, and the seven points that a thread needs
// stay in registers. Tiles of 256 x 256 with single numbers stored, before, reached a third of the rate of a fill (H200).
#define COLUMNS (4 * B)
#define ROWS (8 * GROUPS)
#define SLABS (COLUMNS / ROWS)  // in a square tile
#define PIECES ((DIMENSIONS + 3) / 4)
struct Call { u32 w[16]; };  // tiles on a side, (4 -), first block, how many, n, (-), end of the matrix in this part (2 words)
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

// four numbers at an aligned place; .cs: they are not read again soon
#if STREAMING
#define STORE "st.global.cs"
#else
#define STORE "st.global"
#endif
static __device__ __forceinline__ void put(real* to, const real (&v)[4]) {
#if REAL_IS_DOUBLE
    asm volatile(STORE ".v2.f64 [%0], {%1, %2};" ::"l"(to), "d"(v[0]), "d"(v[1]) : "memory");
    asm volatile(STORE ".v2.f64 [%0], {%1, %2};" ::"l"(to + 2), "d"(v[2]), "d"(v[3]) : "memory");
#else
    asm volatile(STORE ".v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(v[0]), "f"(v[1]), "f"(v[2]), "f"(v[3])
                 : "memory");
#endif
}

#if FEW
// Eight rows from a on, a multiple of 8. WHOLE: all columns of the block are left of the diagonal, and all rows exist. `to`
// is one past the pair (a, 4 q).
template <u32 PHASE, bool WHOLE>
static __device__ __forceinline__ void eight_rows(const Quad* __restrict__ points, const Quad (&b)[DIMENSIONS][2], real* to,
                                                  const u32 a, const u32 column, const u32 n, const u32 pieces) {
    Quad rows[DIMENSIONS][2];
#pragma unroll
    for (u32 c = 0; c < DIMENSIONS; c++)
#pragma unroll
        for (u32 h = 0; h < 2; h++) rows[c][h] = points[c * pieces + a / 4 + h];
#pragma unroll
    for (u32 r = 0; r < 8; r++) {
        const u32 s = (PHASE - r * (r - 1) / 2) & 3;
        real v[4];
#pragma unroll
        for (u32 k = 0; k < 4; k++) {
            real square = 0;
#pragma unroll
            for (u32 c = 0; c < DIMENSIONS; c++) {
                const real x = rows[c][r / 4].f[r % 4] - b[c][(s + k) / 4].f[(s + k) % 4];
                square = c == 0 ? x * x : fma(x, x, square);
            }
            v[3 - k] = root(square);
        }
        real* const place = to - (r * (r - 1) / 2 + s + 4);
        if (WHOLE || (column + s + 3 < a + r && a + r < n)) {
            put(place, v);
        } else if (a + r < n) {
#pragma unroll
            for (u32 k = 0; k < 4; k++)
                if (column + s + k < a + r) place[3 - k] = v[3 - k];
        }
        to -= a;  // row a + r has r more pairs: the r (r - 1) / 2 above
    }
}

template <u32 PHASE>
static __device__ __forceinline__ void all_rows(const Quad* __restrict__ points, real* const out, const u64 end, const u32 a0,
                                                const u32 b0, const u32 n, const u32 pieces) {
    const u32 column = b0 + 4 * threadIdx.x;
    Quad b[DIMENSIONS][2];
#pragma unroll
    for (u32 c = 0; c < DIMENSIONS; c++)
#pragma unroll
        for (u32 h = 0; h < 2; h++) b[c][h] = points[c * pieces + column / 4 + h];
    const bool whole = b0 + COLUMNS + 3 <= a0 && a0 + ROWS <= n;
#pragma unroll 1
    for (u32 a = a0; a < a0 + ROWS; a += 8) {
        real* const to = out + (end - (u64)a * (a - 1) / 2 - column);
        if (whole) eight_rows<PHASE, true>(points, b, to, a, column, n, pieces);
        else eight_rows<PHASE, false>(points, b, to, a, column, n, pieces);
    }
}
#endif

// points: FEW: [DIMENSIONS][pieces], four points in each; else [PIECES][padded to whole tiles], four numbers of a point
extern "C" __global__ void __launch_bounds__(B) distances(const Quad* __restrict__ points, real* __restrict__ out,
                                                          const Call call) {
    const u32 block = blockIdx.x + blockIdx.y * gridDim.x, n = call.w[7];
    if (block >= call.w[6]) return;
    // the tile's row, its slab of rows, and the place along it
    const u32 w = call.w[5] + block;
    u32 along = w / SLABS;
    const u32 I = triangle_root(along), place = along * SLABS + w % SLABS, slab = place / (I + 1), J = place % (I + 1);
    const u32 t = threadIdx.x, a0 = I * COLUMNS + slab * ROWS, b0 = J * COLUMNS;
    const u64 end = (u64)call.w[10] << 32 | call.w[9];
    if (a0 >= n) return;
#if FEW
    const u32 pieces = (call.w[0] + 1) * B;  // a tile more than there are, which is never stored
    switch (end & 3) {
    case 0: all_rows<0>(points, out, end, a0, b0, n, pieces); break;
    case 1: all_rows<1>(points, out, end, a0, b0, n, pieces); break;
    case 2: all_rows<2>(points, out, end, a0, b0, n, pieces); break;
    default: all_rows<3>(points, out, end, a0, b0, n, pieces);
    }
    // the first s columns, which no thread has
    if (J > 0) return;
    for (u32 k = t; k < 3 * ROWS; k += B) {
        const u32 a = a0 + k / 3, b = k % 3;
        const u64 before = (u64)a * (a - 1) / 2;
        if (a >= n || b >= a || b >= ((end - before) & 3)) continue;
        real s = 0;
        for (u32 c = 0; c < DIMENSIONS; c++) {
            const real x = points[c * pieces + a / 4].f[a % 4] - points[c * pieces].f[b];
            s = fma(x, x, s);
        }
        out[end - 1 - before - b] = root(s);
    }
#else
    // many dimensions: eight rows at a time, four numbers after four
    const u32 padded = call.w[0] * COLUMNS, first = b0 + t;
    for (u32 r0 = a0; r0 < a0 + ROWS && r0 < n; r0 += 8) {
        real s[8][4];
        for (u32 r = 0; r < 8; r++)
            for (u32 k = 0; k < 4; k++) s[r][k] = 0;
        for (u32 p = 0; p < PIECES; p++) {
            Quad b[4];
#pragma unroll
            for (u32 k = 0; k < 4; k++) b[k] = points[(u64)p * padded + first + k * B];
#pragma unroll
            for (u32 r = 0; r < 8; r++) {
                const Quad a = points[(u64)p * padded + r0 + r];
#pragma unroll
                for (u32 k = 0; k < 4; k++)
#pragma unroll
                    for (u32 c = 0; c < 4; c++) {
                        const real x = a.f[c] - b[k].f[c];
                        s[r][k] = fma(x, x, s[r][k]);
                    }
            }
        }
#pragma unroll
        for (u32 r = 0; r < 8; r++) {
            const u64 a = r0 + r;
#pragma unroll
            for (u32 k = 0; k < 4; k++)
                if (a < n && first + k * B < a) out[end - 1 - (a * (a - 1) / 2 + first + k * B)] = root(s[r][k]);
        }
    }
#endif
}
