// Moments that are handed up from children to cells.

// Writes the spherical moments of a cell, by `lanes` lanes, each a part.
#if LAW
#define write_spherical(t, g, M, lane, lanes)
#else
static __device__ __forceinline__ void write_spherical(const Tree &t, int g, const real *M, int lane, int lanes) {
    real to[SPHERICAL];
    to_spherical(M, to);
#pragma unroll
    for (int i = 0; i < SPHERICAL; i++)
        if (lane == i % lanes) t.spherical[(size_t)g * t.spherical_stride + i] = to[i];
}
#endif

// Lanes of a cell: eight, of which each has a child; or a warp that takes one child after the other.
#if HIGH
#define LANES_OF_CELL 32
#else
#define LANES_OF_CELL 8
#endif

#if HIGH
// The moments of a cell from those of its children, `from` number `offset` of their records on. Lane k knows child k.
static __device__ __forceinline__ void sum_moments(
    const Tree &t, int first_child, bool here, const double *off, real ratio, real per_unit, size_t offset, real *M) {
    __shared__ real children[4][ALL_MOMENTS], powers[4][32];
    real *const child = children[threadIdx.x / 32], *const of_warp = powers[threadIdx.x / 32];
    const int ln = lane();
    for (int i = ln; i < MOMENTS; i += 32) M[i] = real(0);
    const u32 all = __ballot_sync(FULL, here) & 0xff;
    for (u32 left = all; left; left &= left - 1) {
        const int k = __ffs(left) - 1;
        const real *const from = t.moments + (size_t)(first_child + k) * t.moments_stride + offset;
        __syncwarp();
        read_moments(child, __shfl_sync(FULL, ratio, k), [&](int at) { return from[at]; });
        for (int axis = 0; axis < 3; axis++) {
            const real step = (real)off[axis] * per_unit;
            shift(child, of_warp, axis, -__shfl_sync(FULL, step, k), ORDER - 1, true);
        }
        for (int i = ln; i < MOMENTS; i += 32) M[i] += child[i > 0 && !DIPOLES ? i + 3 : i];
    }
    __syncwarp();
}
#endif

// Room for the moments of a cell.
#if HIGH
#define ROOM_FOR_MOMENTS(M) __shared__ real of_warps[4][MOMENTS]; real *const M = of_warps[threadIdx.x / 32]
#else
#define ROOM_FOR_MOMENTS(M) real M[MOMENTS]
#endif

#if !RATES
// The moments of a leaf's bodies, of which each lane has one, in a record and in M: those of many degrees are every 32nd of a lane, from the powers
// of all bodies.
static __device__ __forceinline__ void moments_of_bodies(real x, real y, real z, real m, real *M, real *to) {
    const int ln = lane();
#if HIGH
    static_assert(!LAW, "laws have moments of degree ORDER");
    __shared__ real powers_of_warps[4][32][3 * ORDER];
    real (*const powers)[3 * ORDER] = powers_of_warps[threadIdx.x / 32];
    const real step[3] = {-x, -y, -z};
    __syncwarp();
#pragma unroll
    for (int axis = 0; axis < 3; axis++) {
        real power = axis == 0 ? m : real(1);
#pragma unroll
        for (int k = 0; k < ORDER; k++) {
            powers[ln][ORDER * axis + k] = power;
            power *= step[axis] * (real(1) / real(k + 1));
        }
    }
    __syncwarp();
    for (int i = ln; i < MOMENTS; i += 32) {
        const int place = i > 0 && !DIPOLES ? i + 3 : i;
        int d = 0;
        while (TETRAHEDRON(d + 1) <= place) d++;
        const int a = row_of(place - TETRAHEDRON(d)), c = place - TETRAHEDRON(d) - TRIANGLE(a);
        real sum = real(0);
#pragma unroll 8
        for (int j = 0; j < LEAF; j++) sum = m_fma(powers[j][d - a] * powers[j][ORDER + a - c], powers[j][2 * ORDER + c], sum);
        M[i] = sum;
        to[i] = sum;
    }
    __syncwarp();
#else
#pragma unroll
    for (int i = 0; i < MOMENTS; i++) M[i] = real(0);
    of_body(x, y, z, m, M);
#pragma unroll
    for (int i = 0; i < MOMENTS; i++) {
        M[i] = warp_sum(M[i]);
        if (ln == (i & 31)) to[i] = M[i];
    }
#endif
}
#endif

// A lane's number among those of its cell.
static __device__ __forceinline__ int lane_of_cell() { return threadIdx.x & (LANES_OF_CELL - 1); }

#if !HIGH
// The moments of a cell from number `offset` of the records on.
static __device__ __forceinline__ void sum_moments(
    const Tree &t, int g, int child, bool here, bool is_cell, Step d, real ratio, size_t offset, real *M) {
    real C[MOMENTS];
#pragma unroll
    for (int i = 0; i < MOMENTS; i++) {
        M[i] = real(0);
        C[i] = here ? t.moments[(size_t)child * t.moments_stride + offset + i] : real(0);
    }
    of_child(d.x, d.y, d.z, ratio, C, M);
#pragma unroll
    for (int i = 0; i < MOMENTS; i++) {
        for (int o = 1; o < 8; o <<= 1) M[i] += __shfl_xor_sync(FULL, M[i], o);
        if (is_cell && lane_of_cell() == (i & 7)) t.moments[(size_t)g * t.moments_stride + offset + i] = M[i];
    }
}
#endif

// The moments of a cell from those of its children, and those of harmonics. Where this lane has a child, which is `here`, that has this unit,
// and is at `off` from the cell's centre.
static __device__ __forceinline__ void hand_up(
    const Tree &t, int g, int child, bool here, bool is_cell, const double *off, float unit, real per_unit, real *M) {
    const real ratio = (real)unit * per_unit;
    const int sets = OWN_SOFTENINGS ? 2 : CHARGES;
    // last those that are brought to harmonics
#if HIGH
    for (int k = sets - 1; k >= 0; k--) {
        const size_t offset = (size_t)k * (t.moments_stride / 2);
        sum_moments(t, CHILDREN * g + 1, here, off, ratio, per_unit, offset, M);
        if (is_cell)
            for (int i = lane(); i < MOMENTS; i += 32) t.moments[(size_t)g * t.moments_stride + offset + i] = M[i];
    }
#else
    Step d;
    d.x = (real)off[0] * per_unit; d.y = (real)off[1] * per_unit; d.z = (real)off[2] * per_unit;
#pragma unroll 1
    for (int k = sets - 1; k >= 0; k--)
        sum_moments(t, g, child, here, is_cell, d, ratio, (size_t)k * (t.moments_stride / sets), M);
#endif
    if (is_cell) write_spherical(t, g, M, lane_of_cell(), LANES_OF_CELL);
}
