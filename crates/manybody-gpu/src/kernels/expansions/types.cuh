// What the kernels of expansions share: cells, lists, and the text of the operators, which is printed for an order.
// A cell g has the children 8 g + 1 to 8 g + 8; the root is 0. Leaves are all of one level: equal pieces of the order of the
// bodies. A child that is not there has a negative radius.
#define LEAF 32
#define CHILDREN 8
#define PAGE 128
#define SEGMENTS 32
#define LISTS (6 + OWN_SOFTENINGS)
#define LEVELS 12
// lists of a cell: cells that act by expansions; cells still to be divided from, of a leaf those whose bodies act; bodies that
// act by expansions; bodies still to be divided from; of a leaf: smaller cells, with which its bodies are tested one by one;
// what is so close that the softening matters: cells, and bodies as the complements of their slots; of bodies with softenings of
// their own, the same where their differences matter, too
#define FAR 0
#define NEAR 1
#define FAR_BODIES 2
#define NEAR_BODIES 3
#define SMALL 4
#define SOFT 5
#define UNLIKE 6
// what a report has
#define OVERFLOW 0
#define SPARSE 1
#define CLASHES 2
#define WIDE 3

#if REAL_IS_DOUBLE
struct __align__(32) real4 { double x, y, z, w; };
#else
typedef float4 real4;
#endif
static __device__ __forceinline__ real4 four(real x, real y, real z, real w) {
    real4 to;
    to.x = x; to.y = y; to.z = z; to.w = w;
    return to;
}

// What the tests need of a cell or body: place in two parts, radius, effective radius, sum |m|, least acceleration, unit; where
// bodies have softenings of their own, the mean of half their squares and the largest difference from it.
struct __align__(16) Line {
    float x, y, z, radius;
    float xl, yl, zl, mass;
    float effective, least, unit, wide;
#if OWN_SOFTENINGS
    float half, range, filler0, filler1;
#endif
};

// A cell's centre and sum |m|; its box, and sum |m| r^2.
struct __align__(16) Place { double x, y, z, mass; };
struct Box { double low[3], high[3], spread; };

struct Tree {
    const double *x, *y, *z, *mass; // in units in which places lie between -1 and 1
    const double *own;              // half the square of each body's softening, where bodies have their own; of a law its charges
    real *own_of_slots;             // the same of each slot
    const u32 *order;               // of each slot
    real4 *bodies;                  // of each slot: from the leaf's centre, and mass
    Line *lines;
    Place *places;
    Box *boxes;
    real *moments;
    real *spherical;                // of a law moments of charges along the separation
    real *locals;
    int *heads;                     // of each list of each cell: first page, count
    int *pages;
    int *links;
    int *tops;                      // pages in use, of each segment
    int *sparse;                    // leaves with smaller cells
    u32 *report;
    float *least;                   // of each leaf
    real4 *near;                    // of each slot: acceleration and potential, then the jerk; or gradient and value of each expansion
    real4 *single;
    real4 *out;                     // of each body: the same
    const double *velocities;       // [3][n], where jerks are computed
    real4 *moving;                  // of each slot: velocity
    real *rate_moments;             // what moments, spherical moments and expansions are in the trees of kernels of rates
    real *rate_spherical;
    real *rate_locals;
    const float4 *errors;           // of a law: what interactions lack, by distance
    const float *allowed;           // and of each body how much is allowed there, where that is not 1
    int n, leaves, first_leaf, segment;
    int moments_stride, locals_stride, spherical_stride;
    float angle2, tolerance, units, unit2;
    int mutual;
    float floor;
    float soft2f;
    int stack;                      // numbers of the stack of a warp
    int rows, last;                 // of the table, and the logarithm of its largest distance in eighths of a factor of two
    double soft2d;
    double base, difference;        // what differences of halves are taken from, and the largest
    int level_first[LEVELS], level_count[LEVELS]; // cells of each level that have expansions here; 0 beyond the last one
};

// Whether cells have second expansions, for softenings of the bodies' own: the spline has nothing of these, and what is there may be
// that of another softening.
#define SECOND_EXPANSIONS (OWN_SOFTENINGS && !SPLINE)

// Whether bodies have more of their own than place and mass, and how many numbers that is: half the square of a softening, and the
// velocity where jerks are computed; or charges. How many numbers of four a result has.
#define WITH_OWN (OWN_SOFTENINGS || LAW || JERKS)
#define OWN_NUMBERS (JERKS ? 4 : CHARGES)
#define QUADS (EXPANSIONS + JERKS)

// The tree of rates: in its records they are where moments, spherical moments and expansions are in others.
static __device__ __forceinline__ Tree of_rates(Tree t) {
    t.moments = t.rate_moments;
    t.spherical = t.rate_spherical;
    t.locals = t.rate_locals;
    return t;
}

#if RATES
// The rates of the moment of degree 1 of a moving body about its place, in units of a length.
static __device__ __forceinline__ void moving_body(const Tree &t, int slot, real per_unit, real *to) {
    const real4 v = t.moving[slot];
    const real m = -t.bodies[slot].w * per_unit;
    to[0] = m * v.x; to[1] = m * v.y; to[2] = m * v.z;
}
#define WHAT_ACTS(m, slot, b, per_unit) \
    real m[3];                          \
    moving_body(t, slot, per_unit, m)
#else
// What the body b in a slot acts with on an expansion.
#define WHAT_ACTS(m, slot, b, per_unit) const real m = (b).w
#endif

// The same times a factor in f32.
#if RATES
#define IN_SINGLE(m, factor) const float single_of_m[3] = {(float)(m[0] * (factor)), (float)(m[1] * (factor)), (float)(m[2] * (factor))}
#else
#define IN_SINGLE(m, factor) const float single_of_m = (float)(m * (factor))
#endif

// The moments of a cell for a charge, and its expansions.
#define MOMENTS_OF(t, g, charge) ((t).moments + (size_t)(g) * (t).moments_stride + (charge) * ((t).moments_stride / CHARGES))
#define LOCALS_OF(t, g, expansion) ((t).locals + (size_t)(g) * (t).locals_stride + (expansion) * ((t).locals_stride / EXPANSIONS))

// Of a law `soft2` is the square of the length of a unit of the tree.
#if REAL_IS_DOUBLE
#define SOFT2(t) ((t).soft2d)
#else
#define SOFT2(t) ((t).soft2f)
#endif

// The square of the softening of two bodies of which these are the halves; of a cell with a source, in units of a length.
#if OWN_SOFTENINGS
#define SOFT2_OF(t, own, other) ((own) + (other))
#if SPLINE
#define SOFT2_WITH(other) real(0)
#else
#define SOFT2_WITH(other) ((own_half + (real)(other)) * per_unit * per_unit)
#endif
// where a record has moments, or an expansion, of products with differences
#define SECOND_MOMENTS(t) ((t).moments_stride / 2)
#define SECOND_LOCALS(t) ((t).locals_stride / 2)
#else
#define SOFT2_OF(t, own, other) SOFT2(t)
#define SOFT2_WITH(other) soft2
#endif

// What expansions in a unit of length have of a softening that is one for all: of the spline nothing, of a law the square of the
// unit. What their gradients and values are multiplied by.
#if LAW
#define SOFT2_IN(t, unit, per_unit) (SOFT2(t) * (unit) * (unit))
#define SLOPE_OF(per_unit) (per_unit)
#define VALUE_OF(per_unit) real(1)
#else
#if SPLINE
#define SOFT2_IN(t, unit, per_unit) real(0)
#else
#define SOFT2_IN(t, unit, per_unit) (SOFT2(t) * (per_unit) * (per_unit))
#endif
#define SLOPE_OF(per_unit) (-((per_unit) * (per_unit)))
#define VALUE_OF(per_unit) (per_unit)
#endif

static __device__ __forceinline__ int lane() { return threadIdx.x & 31; }

template <typename T> static __device__ __forceinline__ T warp_sum(T v) {
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(FULL, v, o);
    return v;
}
template <typename T> static __device__ __forceinline__ T warp_min(T v) {
    for (int o = 16; o; o >>= 1) v = min(v, __shfl_xor_sync(FULL, v, o));
    return v;
}
template <typename T> static __device__ __forceinline__ T warp_max(T v) {
    for (int o = 16; o; o >>= 1) v = max(v, __shfl_xor_sync(FULL, v, o));
    return v;
}

// A cell's centre; steps from another cell to it.
struct Step { real x, y, z; };
#if REAL_IS_DOUBLE
struct Center {
    Place p;
    __device__ __forceinline__ Center(const Tree &t, int g) : p(t.places[g]) {}
    __device__ __forceinline__ Step from(const Tree &t, int other) const {
        const Place q = t.places[other];
        Step d;
        d.x = p.x - q.x; d.y = p.y - q.y; d.z = p.z - q.z;
        return d;
    }
};
#else
struct Center {
    float4 high, low;
    __device__ __forceinline__ Center(const Tree &t, int g)
        : high(((const float4 *)(t.lines + g))[0]), low(((const float4 *)(t.lines + g))[1]) {}
    __device__ __forceinline__ Step from(const Tree &t, int other) const {
        const Center q(t, other);
        Step d;
        d.x = (high.x - q.high.x) + (low.x - q.low.x);
        d.y = (high.y - q.high.y) + (low.y - q.low.y);
        d.z = (high.z - q.high.z) + (low.z - q.low.z);
        return d;
    }
};
#endif

// N numbers of a record whose size is a multiple of 16 bytes.
template <int N> static __device__ __forceinline__ void load_record(const real *from, real *to) {
#if REAL_IS_DOUBLE
#pragma unroll
    for (int i = 0; i < N / 2; i++) {
        const double2 v = ((const double2 *)from)[i];
        to[2 * i] = v.x; to[2 * i + 1] = v.y;
    }
#pragma unroll
    for (int i = N / 2 * 2; i < N; i++) to[i] = from[i];
#else
#pragma unroll
    for (int i = 0; i < N / 4; i++) {
        const float4 v = ((const float4 *)from)[i];
        to[4 * i] = v.x; to[4 * i + 1] = v.y; to[4 * i + 2] = v.z; to[4 * i + 3] = v.w;
    }
#pragma unroll
    for (int i = N / 4 * 4; i < N; i++) to[i] = from[i];
#endif
}

// What is summed at a body: acceleration and potential, then the jerk; or gradient and value of each expansion.
struct Sums {
    real of[4 * QUADS];
#if JERKS
    real4 velocity; // of the body
#endif
    __device__ __forceinline__ Sums() {
#pragma unroll
        for (int k = 0; k < 4 * QUADS; k++) of[k] = real(0);
    }
    // Those of the body in a slot.
    __device__ __forceinline__ Sums(const Tree &t, int slot) : Sums() {
#if JERKS
        velocity = t.moving[slot];
#endif
    }
    __device__ __forceinline__ Sums(const real4 *from, int at) {
#pragma unroll
        for (int e = 0; e < QUADS; e++) {
            const real4 v = from[(size_t)at * QUADS + e];
            of[4 * e] = v.x; of[4 * e + 1] = v.y; of[4 * e + 2] = v.z; of[4 * e + 3] = v.w;
        }
    }
    __device__ __forceinline__ real4 part(int e) const {
        return four(of[4 * e], of[4 * e + 1], of[4 * e + 2], of[4 * e + 3]);
    }
    __device__ __forceinline__ void store(real4 *to, int at) const {
#pragma unroll
        for (int e = 0; e < QUADS; e++) to[(size_t)at * QUADS + e] = part(e);
    }
    __device__ __forceinline__ void over_warp() {
#pragma unroll
        for (int k = 0; k < 4 * QUADS; k++) of[k] = warp_sum(of[k]);
    }
};

// What a body of mass m does to another, from which it is at (dx, dy, dz), with Plummer's softening.
static __device__ __forceinline__ void act_plummer(real dx, real dy, real dz, real m, real soft2, Sums &a) {
    const real s = m_fma(dx, dx, m_fma(dy, dy, m_fma(dz, dz, soft2)));
    const real r1 = m_rsqrt(s), mr = m * r1, f = mr * (r1 * r1);
    a.of[0] = m_fma(f, dx, a.of[0]);
    a.of[1] = m_fma(f, dy, a.of[1]);
    a.of[2] = m_fma(f, dz, a.of[2]);
#if POTENTIAL
    a.of[3] -= mr;
#endif
}

#if JERKS
// The jerk of a pair with this separation and relative velocity: the force is f times the separation, and `slope` times `y2` what
// f changes by with the distance, over it: their product may be beyond the range of f32.
static __device__ __forceinline__ void add_jerk(real dx, real dy, real dz, const real *velocity, real f, real slope, real y2, Sums &a) {
    const real wx = velocity[0] - a.velocity.x, wy = velocity[1] - a.velocity.y, wz = velocity[2] - a.velocity.z;
    const real along = slope * (y2 * m_fma(dx, wx, m_fma(dy, wy, dz * wz)));
    a.of[4] = m_fma(f, wx, m_fma(along, dx, a.of[4]));
    a.of[5] = m_fma(f, wy, m_fma(along, dy, a.of[5]));
    a.of[6] = m_fma(f, wz, m_fma(along, dz, a.of[6]));
}
#endif

// The same with the softening of the bodies, as law/spline.rs has it; of a law, with soft2 the square of the unit of length, what its
// charges do, of which m is the size. A law may be infinite where no body is. Where jerks are computed the velocity follows the
// first number of what the body has of its own.
static __device__ __forceinline__ void act(real dx, real dy, real dz, real m, const real *charges, real soft2, Sums &a) {
#if LAW
    pair_of(dx, dy, dz, soft2, m, charges, a.of);
#elif SPLINE
    const real r2 = m_fma(dx, dx, m_fma(dy, dy, dz * dz)), of_h = m_rsqrt(soft2 * real(7.84));
    const real square = max(r2 * of_h * of_h, real(1e-30)), per_u = m_rsqrt(square), u = min(square * per_u, real(1));
    const real v = real(1) - u, u2 = u * u, v2 = v * v, v4 = v2 * v2;
    const bool is_inner = u < real(0.5);
    const real y = is_inner ? of_h : of_h * per_u, mr = m * y;
    const real inner = m_fma(u2, m_fma(u, real(32), real(-38.4)), real(32.0 / 3.0));
    const real outer = m_fma(v4, m_fma(v, m_fma(v, real(-32.0 / 3.0), real(25.6)), real(-16)), real(1));
    const real f = mr * (y * y) * (is_inner ? inner : outer);
    a.of[0] = m_fma(f, dx, a.of[0]);
    a.of[1] = m_fma(f, dy, a.of[1]);
    a.of[2] = m_fma(f, dz, a.of[2]);
#if POTENTIAL
    const real deep = m_fma(u2, m_fma(u2, m_fma(u, real(-6.4), real(9.6)), real(-16.0 / 3.0)), real(2.8));
    const real edge = m_fma(v4 * v, m_fma(v, real(32.0 / 15.0), real(-3.2)), real(1));
    a.of[3] -= mr * (is_inner ? deep : edge);
#endif
#if JERKS
    const real uv = u * v, falls = is_inner ? m_fma(u, real(96), real(-76.8)) : m_fma(uv * uv, uv * real(64), real(-3) * outer);
    add_jerk(dx, dy, dz, charges + 1, f, mr * (y * y) * falls, y * y, a);
#endif
#elif JERKS
    const real s = m_fma(dx, dx, m_fma(dy, dy, m_fma(dz, dz, soft2)));
    const real r1 = m_rsqrt(s), mr = m * r1, r2 = r1 * r1, f = mr * r2;
    a.of[0] = m_fma(f, dx, a.of[0]);
    a.of[1] = m_fma(f, dy, a.of[1]);
    a.of[2] = m_fma(f, dz, a.of[2]);
    a.of[3] -= mr;
    add_jerk(dx, dy, dz, charges + 1, f, real(-3) * f, r2, a);
#else
    act_plummer(dx, dy, dz, m, soft2, a);
#endif
}

static __device__ __forceinline__ void pair(real4 b, const real *charges, real x, real y, real z, real soft2, Sums &a) {
    act(b.x - x, b.y - y, b.z - z, b.w, charges, soft2, a);
}

// What the body of a slot has of its own.
static __device__ __forceinline__ void take_own(const Tree &t, int slot, real *to) {
#if JERKS
    const real4 v = t.moving[slot];
    to[0] = OWN_SOFTENINGS ? t.own_of_slots[slot] : real(0);
    to[1] = v.x; to[2] = v.y; to[3] = v.z;
#elif WITH_OWN
#pragma unroll
    for (int k = 0; k < CHARGES; k++) to[k] = t.own_of_slots[(size_t)slot * CHARGES + k];
#endif
}

// A body as it was given.
struct Given {
    double x, y, z;
    real m;
    real own[OWN_NUMBERS];
    __device__ __forceinline__ Given(const Tree &t, int slot) : x(0.0), y(0.0), z(0.0), m(real(0)) {
#pragma unroll
        for (int k = 0; k < OWN_NUMBERS; k++) own[k] = (real)t.base;
        if (slot < t.n) {
            const u32 k = t.order[slot];
            x = t.x[k]; y = t.y[k]; z = t.z[k]; m = (real)t.mass[k];
            take_own(t, slot, own);
        }
    }
};

// What the bodies of all lanes do to this one, each at its place in f64, without that of one lane.
static __device__ __forceinline__ void act_exactly(const Tree &t, const Given &own, const Given &other, int without, Sums &a) {
    for (int j = 0; j < 32; j++) {
        const double x = __shfl_sync(FULL, other.x, j), y = __shfl_sync(FULL, other.y, j), z = __shfl_sync(FULL, other.z, j);
        const real m = __shfl_sync(FULL, other.m, j);
        real of_other[OWN_NUMBERS];
#pragma unroll
        for (int k = 0; k < OWN_NUMBERS; k++) of_other[k] = WITH_OWN ? __shfl_sync(FULL, other.own[k], j) : real(0);
        const real soft2 = SOFT2_OF(t, own.own[0], of_other[0]);
        act((real)(x - own.x), (real)(y - own.y), (real)(z - own.z), j == without ? real(0) : m, of_other, soft2, a);
    }
}

static __device__ __forceinline__ Line load_line(const Line *from) {
    const float4 *p = (const float4 *)from;
    const float4 a = p[0], b = p[1], c = p[2];
    Line to;
    to.x = a.x; to.y = a.y; to.z = a.z; to.radius = a.w;
    to.xl = b.x; to.yl = b.y; to.zl = b.z; to.mass = b.w;
    to.effective = c.x; to.least = c.y; to.unit = c.z; to.wide = c.w;
#if OWN_SOFTENINGS
    const float4 d = p[3];
    to.half = d.x; to.range = d.y;
#endif
    return to;
}

// The line of the body in a slot.
static __device__ __forceinline__ Line body_line(const Tree &t, int slot) {
    const Line leaf = load_line(t.lines + t.first_leaf + slot / LEAF);
    const real4 b = t.bodies[slot];
    const float off[3] = {(float)b.x, (float)b.y, (float)b.z};
    Line to = leaf;
    to.x = leaf.x + off[0]; to.y = leaf.y + off[1]; to.z = leaf.z + off[2];
    to.xl = ((leaf.x - to.x) + off[0]) + leaf.xl;
    to.yl = ((leaf.y - to.y) + off[1]) + leaf.yl;
    to.zl = ((leaf.z - to.z) + off[2]) + leaf.zl;
    to.radius = 0.0f;
    to.effective = 0.0f;
    to.mass = fabsf((float)b.w);
#if OWN_SOFTENINGS
    to.half = (float)t.own_of_slots[slot];
    to.range = 0.0f;
#endif
    return to;
}

// The rounding of what is f32 in f64, by the sum q of degrees up to which pairs are f64: about this times (b_A + b_B)^q / R^q. (Gradients have
// one power less than potentials. The rms of 32 bodies in a line along the separation at angles of 0.14 to 0.33, order 12, when the arithmetic
// was emulated; the largest were 2.5 times that. Bodies in all directions have less.)
#define SINGLE_ROUNDING 2.5e-7f

// A power, and that of the order.
template <int P> static __device__ __forceinline__ float to_the(float square) {
    float power = P % 2 ? sqrtf(square) : 1.0f;
#pragma unroll
    for (int k = 0; k < P / 2; k++) power *= square;
    return power;
}
static __device__ __forceinline__ float to_the_order(float square) { return to_the<ORDER>(square); }

// What is cut off where the softening matters, and the rounding of what is f32 in f64.
static __device__ __forceinline__ float lacks_softened(float square) {
    return to_the_order(square) + (SOFT_SPLIT ? SINGLE_ROUNDING * to_the<SOFTENED_IN_F64>(square) : 0.0f);
}

// Two cells, or a cell and a body, to be judged: (s_A + b_B)^2 / R^2 of a source and a sink; and what is cut off where G is harmonic,
// (max(s_A, b_B) / (R - min(s_A, b_B)))^p / (1 - (b_A + b_B) / R), beside the rounding of what is f32 in f64.
struct Ratio {
    float square, power;
    __device__ __forceinline__ Ratio(const Line &source, const Line &sink, float distance, float inverse) {
        const float s = source.effective, b = sink.radius;
        square = (s + b) * (s + b) * inverse;
        const float ratio = __fdividef(fmaxf(s, b), distance - fminf(s, b)), ratio2 = ratio * ratio;
        float lacks = to_the_order(ratio2);
#if SPLIT
        lacks += SINGLE_ROUNDING * to_the<IN_F64>(square);
#endif
        power = lacks * __fdividef(distance, distance - (source.radius + sink.radius));
    }
};

#define NOT_ACCEPTED 0
#define HARMONIC 1
#define SOFTENED 2
#define DIFFERENT 3

// Whether a cell or body acts on another by an expansion: what is cut off is small, M_A / R^2 times the power of Ratio < tolerance *
// least, and where the softening matters M_A / R^2 ((s_A + b_B) / R)^p < OF_SOFTENED of that, too;
// and whether the softening matters in it: the Laplacian of a softened potential, 3 eps^2 / R^2 of its second
// derivatives, may be the part OF_LAPLACIAN of that. Of softenings of the bodies' own the largest counts there, and their
// differences d, which change an acceleration by 3/2 d / R^2 of it: where that is above the part, too, the interaction is DIFFERENT,
// and what is cut off of differences, 15/8 (d / R^2)^2, must be below it. Of both sides it says the same if the criterion is mutual.
static __device__ __forceinline__ int accepts(const Tree &t, const Line &a, const Line &b) {
    const float dx = (a.x - b.x) + (a.xl - b.xl), dy = (a.y - b.y) + (a.yl - b.yl), dz = (a.z - b.z) + (a.zl - b.zl);
    const float r2 = __fadd_rn(__fadd_rn(__fmul_rn(dx, dx), __fmul_rn(dy, dy)), __fmul_rn(dz, dz));
    const float both = a.radius + b.radius, farthest = r2 * t.unit2;
    const bool apart = both * both < r2 * t.angle2 && a.unit <= t.units * b.unit && b.unit <= t.units * a.unit
        && a.unit * a.unit <= farthest && b.unit * b.unit <= farthest;
    if (!apart) return NOT_ACCEPTED;
#if LAW
    // what is lacking, from the table of the law
    if (!(t.tolerance < __int_as_float(0x7f800000))) return SOFTENED;
    const int row = max(t.last - (int)ceilf(4.0f * log2f(r2)), 0);
    if (row >= t.rows) return NOT_ACCEPTED;
    const float4 lacks = t.errors[row];
    const float per_distance = rsqrtf(r2), ratio = (a.effective + b.radius) * per_distance;
    float power = 1.0f;
#pragma unroll
    for (int k = 0; k < ORDER; k++) power *= ratio;
    // (degrees from the second on as a geometric series)
    const float rest = ratio / (1.0f - ratio);
    const float value = ratio * fmaf(lacks.y, rest, lacks.x), slope = fmaf(lacks.w, rest, lacks.z) * per_distance;
    return a.mass * power * (value + slope) <= t.tolerance * b.least ? SOFTENED : NOT_ACCEPTED;
#else
#if OWN_SOFTENINGS
    const float largest = (a.half + a.range) + (b.half + b.range), difference = (a.range + b.range) / r2;
#else
    const float largest = (float)t.soft2d, difference = 0.0f;
#endif
    const float inverse = 1.0f / r2, share = t.tolerance * r2, soft = 3.0f * largest * inverse;
    const float distance = sqrtf(r2), most_on_b = b.least * share, most_on_a = a.least * share;
    const Ratio on_b(a, b, distance, inverse), on_a(b, a, distance, inverse);
    const auto enough = [&](float cut_on_b, float cut_on_a, float part) {
        return a.mass * cut_on_b <= part * most_on_b && (!t.mutual || b.mass * cut_on_a <= part * most_on_a);
    };
    if (!enough(on_b.power, on_a.power, 1.0f)) return NOT_ACCEPTED;
#if SPLINE
    // bodies that do not overlap are points
    const float reach = 2.8f * sqrtf(largest) + both;
    return reach * reach < r2 ? HARMONIC : NOT_ACCEPTED;
#endif
    // relative to what is allowed, or to what is cut off where an angle alone decides
    const float most = t.tolerance < __int_as_float(0x7f800000)
        ? OF_SOFTENED * fminf(most_on_b / a.mass, most_on_a / b.mass) : fminf(on_b.power, on_a.power);
    if (soft * fmaxf(on_b.square, on_a.square) + 1.5f * difference <= OF_LAPLACIAN * most) return HARMONIC;
    if (!enough(lacks_softened(on_b.square), lacks_softened(on_a.square), OF_SOFTENED)) return NOT_ACCEPTED;
#if OWN_SOFTENINGS
    if (!(1.5f * difference <= OF_LAPLACIAN * most))
        return 1.875f * (difference * difference) <= OF_LAPLACIAN * most ? DIFFERENT : NOT_ACCEPTED;
#endif
#if SOFT_SPLIT
    // what is f32 must stay in range
    const bool fits = a.unit <= UNITS_OF_F32 * b.unit && b.unit <= UNITS_OF_F32 * a.unit && a.unit * a.unit <= r2 * UNIT2_OF_F32
        && b.unit * b.unit <= r2 * UNIT2_OF_F32;
    if (!fits) return NOT_ACCEPTED;
#endif
    return SOFTENED;
#endif
}

// A list that is read: entry after entry, page after page.
struct Reader {
    int page, count;
    __device__ __forceinline__ Reader(const Tree &t, int g, int list) {
        const int2 head = ((const int2 *)t.heads)[g * LISTS + list];
        page = head.x;
        count = head.y;
    }
};

// Calls f(entry) for the entries of a list, those of a lane one after the other, in the same order every time.
template <typename F> static __device__ __forceinline__ void each(const Tree &t, int g, int list, F f) {
    Reader r(t, g, list);
    for (int at = 0; at < r.count; at += PAGE) {
        const int *page = t.pages + (size_t)r.page * PAGE;
        const int most = min(r.count - at, PAGE);
        for (int k = lane(); k < most; k += 32) f(page[k]);
        r.page = t.links[r.page];
    }
}

// A cell of a level and of those below; the last ones, of which there are most, first. -1 where there is no cell.
static __device__ __forceinline__ int cell_at(const Tree &t, int at, int level, int last) {
    if (t.report[OVERFLOW]) return -1;
    for (; last > level && at >= t.level_count[last]; last--) at -= t.level_count[last];
    return at < t.level_count[last] ? t.level_first[last] + at : -1;
}

// That of a warp.
static __device__ __forceinline__ int cell_of_warp(const Tree &t, int level, int last) {
    return cell_at(t, blockIdx.x * 4 + threadIdx.x / 32, level, last);
}

#if OWN_SOFTENINGS
// A half's difference, in units of the largest.
static __device__ __forceinline__ real difference_of(const Tree &t, double half) { return (real)((half - t.base) / t.difference); }

// Moments of products with differences from the cell's own mean, in place of the moments.
static __device__ __forceinline__ void take_products(const Tree &t, int source, real *M) {
    const real mean = difference_of(t, t.lines[source].half);
    real P[MOMENTS];
    load_record<MOMENTS>(t.moments + (size_t)source * t.moments_stride + SECOND_MOMENTS(t), P);
#pragma unroll
    for (int i = 0; i < MOMENTS; i++) M[i] = m_fma(-mean, M[i], P[i]);
}
#endif
