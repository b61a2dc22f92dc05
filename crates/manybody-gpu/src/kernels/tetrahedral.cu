// Every triple once, all three bodies served: tiles of 32 atoms over the tetrahedron I >= J >= K, for any law of the sides
// of a triangle (`sides`, spliced in before this).
//
// A block does 32 x 32 x 32 triples. Lanes are the atoms k; a warp has 8 of the atoms i in registers, with their distances
// to k, and goes through the atoms j. What does not depend on j or i is multiplied once, after the loop: the slopes along
// ik and jk are summed as numbers, and only the slope along ij pulls a vector in every triple.
//
// No atomics: a block's sums for its three tiles have slots of their own, and gather_tetrahedral adds them in the order of
// blocks, in double.
#define T 32
#define WARPS 4
#define IS (T / WARPS)
struct Call { u32 w[16]; };  // the domain, the first block, how many, n, first and last layer of this launch, whether it is the first
struct alignas(4 * sizeof(real)) Atom { real x, y, z, w; };

// the sum of four numbers over all lanes, number (2 (lane & 1) + (lane >> 1 & 1)) in each lane: 6 exchanges, not 20
static __device__ __forceinline__ real sum_of_four(real a, real b, real c, real d, const u32 lane) {
    const bool odd = lane & 1, second = lane & 2;
    const real x = (odd ? c : a) + __shfl_xor_sync(FULL, odd ? a : c, 1);
    const real y = (odd ? d : b) + __shfl_xor_sync(FULL, odd ? b : d, 1);
    real s = (second ? y : x) + __shfl_xor_sync(FULL, second ? x : y, 2);
    s += __shfl_xor_sync(FULL, s, 4);
    s += __shfl_xor_sync(FULL, s, 8);
    s += __shfl_xor_sync(FULL, s, 16);
    return s;
}
static __device__ __forceinline__ u32 component(const u32 lane) { return 2 * (lane & 1) + ((lane >> 1) & 1); }

struct Shared {
    Atom i[T], j[T];
    real fi[4][T], fj[WARPS][4][T], fk[WARPS][4][T];
};

// ALL: every combination is a triple; otherwise those with i > j > k, all below n
template <bool ALL>
static __device__ __forceinline__ void triples(Shared& s, const Atom& k, const u32 I, const u32 J, const u32 K, const u32 n) {
    const u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    real bx[IS], by[IS], bz[IS], b[IS], slopes_b[IS], ix[IS], iy[IS], iz[IS];
#pragma unroll
    for (int q = 0; q < IS; q++) {
        const Atom i = s.i[warp * IS + q];
        bx[q] = i.x - k.x, by[q] = i.y - k.y, bz[q] = i.z - k.z;
        b[q] = fma(bz[q], bz[q], fma(by[q], by[q], bx[q] * bx[q]));
        slopes_b[q] = ix[q] = iy[q] = iz[q] = 0;
    }
    real kx = 0, ky = 0, kz = 0, energy = 0;
#pragma unroll 1
    for (u32 at = 0; at < T; at++) {
        const Atom j = s.j[at];
        const real ax = j.x - k.x, ay = j.y - k.y, az = j.z - k.z;
        const real a = fma(az, az, fma(ay, ay, ax * ax));
        real slopes_a = 0, jx = 0, jy = 0, jz = 0;
#pragma unroll
        for (int q = 0; q < IS; q++) {
            const Atom i = s.i[warp * IS + q];
            const real cx = i.x - j.x, cy = i.y - j.y, cz = i.z - j.z;
            real c = fma(cz, cz, fma(cy, cy, cx * cx)), a1 = a, b1 = b[q], weight = 1;
            if (!ALL) {
                const u32 gi = I * T + warp * IS + q, gj = J * T + at, gk = K * T + lane;
                const bool is_triple = gi < n && gj < gi && gk < gj;
                // a combination that is not a triple gets the sides of a triangle that exists, and the weight 0
                a1 = is_triple ? a : 1, b1 = is_triple ? b1 : 1, c = is_triple ? c : 1, weight = is_triple ? 1 : 0;
            }
            real e, sa, sb, sc;
            sides(a1, b1, c, weight, e, sa, sb, sc);
            energy += e;
            slopes_a += sa;
            slopes_b[q] += sb;
            ix[q] = fma(sc, cx, ix[q]), iy[q] = fma(sc, cy, iy[q]), iz[q] = fma(sc, cz, iz[q]);
            jx = fma(sc, cx, jx), jy = fma(sc, cy, jy), jz = fma(sc, cz, jz);
        }
        kx = fma(slopes_a, ax, kx), ky = fma(slopes_a, ay, ky), kz = fma(slopes_a, az, kz);
        const real total = sum_of_four(jx - slopes_a * ax, jy - slopes_a * ay, jz - slopes_a * az, 0, lane);
        if (lane < 4) s.fj[warp][component(lane)][at] = total;
    }
#pragma unroll
    for (int q = 0; q < IS; q++) {
        const real x = slopes_b[q] * bx[q], y = slopes_b[q] * by[q], z = slopes_b[q] * bz[q];
        kx += x, ky += y, kz += z;
        const real total = sum_of_four(-ix[q] - x, -iy[q] - y, -iz[q] - z, 0, lane);
        if (lane < 4) s.fi[component(lane)][warp * IS + q] = total;
    }
    s.fk[warp][0][lane] = kx, s.fk[warp][1][lane] = ky, s.fk[warp][2][lane] = kz, s.fk[warp][3][lane] = energy;
}

// slots [blocks][3 tiles][x y z energy][32]
extern "C" __global__ void __launch_bounds__(32 * WARPS) tetrahedral(const Atom* __restrict__ atoms, real* __restrict__ slots,
                                                                     const u32* __restrict__ table, const Call call) {
    __shared__ Shared s;
    const Domain d = {call.w[0], call.w[1], call.w[2], call.w[3], call.w[4]};
    const u32 block = blockIdx.x + blockIdx.y * gridDim.x, n = call.w[7], t = threadIdx.x;
    if (block >= call.w[6]) return;
    const u32 x = call.w[5] + block;
    u32 I, J, K;
    if (!MAP(I, J, K)) return;
    if (t < T) s.i[t] = atoms[I * T + t];
    else if (t < 2 * T) s.j[t - T] = atoms[J * T + t - T];
    const Atom k = atoms[K * T + (t & 31)];
    __syncthreads();
    if (I > J && J > K && (I + 1) * T <= n) triples<true>(s, k, I, J, K, n);
    else triples<false>(s, k, I, J, K, n);
    __syncthreads();
    real* const slot = slots + (u64)block * (3 * 4 * T);
    const u32 o = t / T, at = t % T;  // four numbers of 32 atoms: a thread each
    slot[t] = s.fi[o][at];
    slot[4 * T + t] = s.fj[0][o][at] + s.fj[1][o][at] + s.fj[2][o][at] + s.fj[3][o][at];
    slot[8 * T + t] = s.fk[0][o][at] + s.fk[1][o][at] + s.fk[2][o][at] + s.fk[3][o][at];
}

// The sums of tile blockIdx.x over the blocks of layers [w 8, w 9): those where it is I, J, and K. held [4][stride]
#define LINES 8
extern "C" __global__ void __launch_bounds__(128 * LINES) gather_tetrahedral(const real* __restrict__ slots,
                                                                            double* __restrict__ held, const Call call) {
    __shared__ double partial[LINES][128];
    const u32 b = blockIdx.x, first = call.w[5], begin = call.w[8], end = call.w[9], tiles = call.w[0];
    const u32 t = threadIdx.x, line = threadIdx.y;
    double sum = 0;
    if (b >= begin && b < end) {
        const u32 from = tetrahedron_number(b) - first, to = from + triangle_number(b + 1);
#pragma unroll 4
        for (u32 w = from + line; w < to; w += LINES) sum += slots[(u64)w * 384 + t];
    }
    for (u32 I = max(b, begin); I < end; I++) {
        const u32 layer = tetrahedron_number(I) - first, row = layer + triangle_number(b);
#pragma unroll 4
        for (u32 k = line; k <= b; k += LINES) sum += slots[(u64)(row + k) * 384 + 128 + t];
#pragma unroll 4
        for (u32 j = b + line; j <= I; j += LINES) sum += slots[(u64)(layer + triangle_number(j) + b) * 384 + 256 + t];
    }
    partial[line][t] = sum;
    __syncthreads();
    if (line > 0) return;
    for (u32 l = 1; l < LINES; l++) sum += partial[l][t];
    double* const to = held + (u64)(t / T) * tiles * T + b * T + t % T;
    *to = call.w[10] ? sum : *to + sum;
}

// The rival: a thread an atom, which goes through all pairs of others. Every triple three times.
extern "C" __global__ void __launch_bounds__(128) triple_loop(const Atom* __restrict__ atoms, double* __restrict__ held,
                                                              const Call call) {
    const u32 n = call.w[7], stride = call.w[0] * T, at = blockIdx.x * 128 + threadIdx.x;
    if (at >= n) return;
    const Atom i = atoms[at];
    double energy = 0, fx = 0, fy = 0, fz = 0;
    for (u32 gj = 0; gj < n; gj++) {
        if (gj == at) continue;
        const Atom j = atoms[gj];
        const real cx = i.x - j.x, cy = i.y - j.y, cz = i.z - j.z, c = fma(cz, cz, fma(cy, cy, cx * cx));
        real ex = 0, ey = 0, ez = 0, es = 0;
        for (u32 gk = gj + 1; gk < n; gk++) {
            if (gk == at) continue;
            const Atom k = atoms[gk];
            const real ax = j.x - k.x, ay = j.y - k.y, az = j.z - k.z, a = fma(az, az, fma(ay, ay, ax * ax));
            const real bx = i.x - k.x, by = i.y - k.y, bz = i.z - k.z, b = fma(bz, bz, fma(by, by, bx * bx));
            real e, sa, sb, sc;
            sides(a, b, c, 1, e, sa, sb, sc);
            es += e;
            ex -= sb * bx + sc * cx, ey -= sb * by + sc * cy, ez -= sb * bz + sc * cz;
        }
        energy += es, fx += ex, fy += ey, fz += ez;
    }
    held[at] = fx, held[stride + at] = fy, held[2 * stride + at] = fz, held[3 * stride + at] = energy / 3;
}
