// What is so close that the softening matters, of expansions whose coefficients do not fit the registers of a thread: a warp takes
// the sources of its cell one after the other, and each lane has every 32nd coefficient.

#define OWNED ((LOCALS + 31) / 32)

// What a warp shares of a source: derivatives and moments.
struct Scratch {
    real derivatives[COEFFICIENTS];
    real moments[ALL_MOMENTS];
};

struct HighSink {
    Scratch &own;
    const uchar4 *exponents; // of each coefficient d, a, z
    real L[OWNED];

    __device__ __forceinline__ HighSink(Scratch &own, const uchar4 *exponents) : own(own), exponents(exponents) {
#pragma unroll
        for (int c = 0; c < OWNED; c++) L[c] = real(0);
    }

    // The derivatives of -(r.r + eps^2)^(-nu/2), of which the one of degree 0 is given, by those of the two degrees below (far.rs).
    __device__ __forceinline__ void recur(real x, real y, real z, real per_s, real first, int nu) const {
        real *const D = own.derivatives;
        const int ln = lane();
        __syncwarp();
        if (ln == 0) D[0] = first;
        for (int d = 1; d <= ORDER; d++) {
            __syncwarp();
            const real per_degree = -per_s / real(d), once = real(2 * d + nu - 2) * per_degree, twice = real(d + nu - 2) * per_degree;
            const int below = TETRAHEDRON(d - 1), two_below = d > 1 ? TETRAHEDRON(d - 2) : 0;
            for (int i = ln; i < TRIANGLE(d + 1); i += 32) {
                const uchar4 e = exponents[TETRAHEDRON(d) + i];
                const int a = e.y, k = e.z, nx = d - a, ny = a - k, nz = k;
                real one = real(0), two = real(0);
                if (nx > 0) one = m_fma(real(nx) * x, D[below + TRIANGLE(a) + k], one);
                if (ny > 0) one = m_fma(real(ny) * y, D[below + TRIANGLE(a - 1) + k], one);
                if (nz > 0) one = m_fma(real(nz) * z, D[below + TRIANGLE(a - 1) + k - 1], one);
                if (nx > 1) two = m_fma(real(nx * (nx - 1)), D[two_below + TRIANGLE(a) + k], two);
                if (ny > 1) two = m_fma(real(ny * (ny - 1)), D[two_below + TRIANGLE(a - 2) + k], two);
                if (nz > 1) two = m_fma(real(nz * (nz - 1)), D[two_below + TRIANGLE(a - 2) + k - 2], two);
                D[TETRAHEDRON(d) + i] = m_fma(once, one, twice * two);
            }
        }
        __syncwarp();
    }

    // The derivatives of a function at (x, y, z): G, derived so often by a half of the square of the softening, times `factor` each.
    __device__ __forceinline__ void derive(real x, real y, real z, real soft2, real factor, int by_half) const {
        const real s = m_fma(x, x, m_fma(y, y, m_fma(z, z, soft2))), r1 = m_rsqrt(s), per_s = r1 * r1;
        real first = -r1;
        for (int m = 1; m <= by_half; m++) first *= real(1 - 2 * m) * per_s * factor;
        recur(x, y, z, per_s, first, 1 + 2 * by_half);
    }

    // Adds sum_k M_k D_{n+k}. Derivatives are in the larger of two units, `back` times the sink's is that; M_k are in the larger
    // one, too.
    __device__ __forceinline__ void contract(real back) {
        const int ln = lane();
#pragma unroll
        for (int c = 0; c < OWNED; c++) {
            const int at = 32 * c + ln, place = min(at, LOCALS - 1) + !POTENTIAL;
            const uchar4 e = exponents[place];
            const int d = e.x, most = min(ORDER - exponents[32 * c + !POTENTIAL].x, ORDER - 1);
            real sum = real(0);
            int k = 0;
            for (int dk = 0; dk <= most; dk++) {
                if (dk == 1 && !DIPOLES) {
                    k += 3;
                    continue;
                }
                const bool is_there = d + dk <= ORDER;
                const real *const D = own.derivatives + (is_there ? TETRAHEDRON(d + dk) + e.z : 0);
                const int a = is_there ? e.y : 0;
                real part = real(0);
                for (int ak = 0; ak <= dk; ak++) {
                    const real *const line = D + TRIANGLE(a + ak);
                    for (int zk = 0; zk <= ak; zk++) part = m_fma(own.moments[k++], line[zk], part);
                }
                if (is_there) sum += part;
            }
            real unit = back;
            for (int q = 0; q < d; q++) unit *= back;
            L[c] = m_fma(unit, sum, L[c]);
        }
    }

    // Takes the moments of a record; with `mean` those of products with differences instead.
    __device__ __forceinline__ void take(const real *from, const real *products, real mean, real ratio) const {
        __syncwarp();
        read_moments(own.moments, ratio, [&](int at) { return products ? m_fma(-mean, from[at], products[at]) : from[at]; });
        __syncwarp();
    }

    // Adds what a cell does, of which the ratio of units is that of the source's to this one's.
    __device__ __forceinline__ void add_cell(
        Step d, real per_unit, real soft2, real factor, real ratio, const real *moments, const real *products, real mean, int by_half) {
        const real back = real(1) / max(ratio, real(1)), scale = per_unit * back;
        take(moments, products, mean, ratio * back);
        derive(d.x * scale, d.y * scale, d.z * scale, soft2 * back * back, factor * back * back, by_half);
        contract(back);
    }

    // A body in a slot, of mass m; of rates its moment of degree 1.
    __device__ __forceinline__ void add_body(
        const Tree &t, int slot, Step d, real per_unit, real soft2, real factor, real m, int by_half) {
        derive(d.x * per_unit, d.y * per_unit, d.z * per_unit, soft2, factor, by_half);
#if RATES
        for (int i = lane(); i < ALL_MOMENTS; i += 32) own.moments[i] = real(0);
        __syncwarp();
        if (lane() == 0) moving_body(t, slot, per_unit, own.moments + 1);
        __syncwarp();
        contract(real(1));
        return;
#endif
#pragma unroll
        for (int c = 0; c < OWNED; c++)
            L[c] = m_fma(m, own.derivatives[min(32 * c + lane(), LOCALS - 1) + !POTENTIAL], L[c]);
    }
};

// Calls f(entry) for the entries of a list, the whole warp for each.
template <typename F> static __device__ __forceinline__ void each_by_warp(const Tree &t, int g, int list, F f) {
    Reader r(t, g, list);
    for (int at = 0; at < r.count; at++) {
        if (at > 0 && at % PAGE == 0) r.page = t.links[r.page];
        f(t.pages[(size_t)r.page * PAGE + at % PAGE]);
    }
}

// A body's step, from a cell's centre.
static __device__ __forceinline__ Step step_of(Step d, real4 b) {
    d.x -= b.x; d.y -= b.y; d.z -= b.z;
    return d;
}

#define HIGH_SINK(t, level, last)                                                            \
    __shared__ Scratch scratch[4];                                                           \
    __shared__ uchar4 exponents[COEFFICIENTS];                                               \
    write_exponents(exponents);                                                              \
    const int g = cell_of_warp(t, level, last), ln = lane();                                 \
    if (g < 0) return;                                                                       \
    HighSink sink(scratch[threadIdx.x / 32], exponents);                                     \
    const Center center(t, g);                                                               \
    const real unit = t.lines[g].unit, per_unit = real(1) / unit

// Adds what is so close that the softening matters.
extern "C" __global__ void __launch_bounds__(128) soft_cells(Tree t, int level, int last) {
    HIGH_SINK(t, level, last);
    bool is_empty = true;
    for (int list = SOFT; list < LISTS; list++) is_empty = is_empty && Reader(t, g, list).count == 0;
    if (is_empty) return;
#if OWN_SOFTENINGS
    const real own_half = t.lines[g].half, factor = (real)(0.5 * t.difference) * per_unit * per_unit;
#else
    const real soft2 = SOFT2_IN(t, unit, per_unit), factor = real(0);
#endif
    for (int list = SOFT; list < LISTS; list++) each_by_warp(t, g, list, [&](int source) {
        if (source >= 0) {
            const Step d = center.from(t, source);
            const real ratio = (real)t.lines[source].unit * per_unit, w = SOFT2_WITH(t.lines[source].half);
            const real *const M = t.moments + (size_t)source * t.moments_stride;
            sink.add_cell(d, per_unit, w, factor, ratio, M, nullptr, real(0), 0);
#if OWN_SOFTENINGS
            if (list == UNLIKE)
                sink.add_cell(d, per_unit, w, factor, ratio, M, M + SECOND_MOMENTS(t), difference_of(t, t.lines[source].half), 1);
#endif
        } else {
            const int slot = ~source;
            const real4 b = t.bodies[slot];
            const Step d = step_of(center.from(t, t.first_leaf + slot / LEAF), b);
            sink.add_body(t, slot, d, per_unit, SOFT2_WITH(t.own_of_slots[slot]), factor, b.w, 0);
        }
    });
    real *const own = t.locals + (size_t)g * t.locals_stride;
#pragma unroll
    for (int c = 0; c < OWNED; c++)
        if (32 * c + ln < LOCALS) own[32 * c + ln] += sink.L[c];
}

#if OWN_SOFTENINGS
// The second expansions about cells, as in soft.cu.
extern "C" __global__ void __launch_bounds__(128) soft_differences(Tree t, int level, int last) {
    HIGH_SINK(t, level, last);
    const real own_half = t.lines[g].half, factor = (real)(0.5 * t.difference) * per_unit * per_unit;
    each_by_warp(t, g, UNLIKE, [&](int source) {
        if (source >= 0) {
            const Step d = center.from(t, source);
            const real ratio = (real)t.lines[source].unit * per_unit, w = SOFT2_WITH(t.lines[source].half);
            const real *const M = t.moments + (size_t)source * t.moments_stride;
            sink.add_cell(d, per_unit, w, factor, ratio, M, nullptr, real(0), 1);
            sink.add_cell(d, per_unit, w, factor, ratio, M, M + SECOND_MOMENTS(t), difference_of(t, t.lines[source].half), 2);
        } else {
            const int slot = ~source;
            const real4 b = t.bodies[slot];
            const Step d = step_of(center.from(t, t.first_leaf + slot / LEAF), b);
            sink.add_body(t, slot, d, per_unit, SOFT2_WITH(t.own_of_slots[slot]), factor, b.w, 1);
        }
    });
    real *const own = t.locals + (size_t)g * t.locals_stride;
    const real mean = difference_of(t, t.lines[g].half);
#pragma unroll
    for (int c = 0; c < OWNED; c++) {
        const int i = 32 * c + ln;
        if (i >= LOCALS) continue;
        own[i] = m_fma(-mean, sink.L[c], own[i]);
        own[SECOND_LOCALS(t) + i] = sink.L[c];
    }
}
#endif
