// What kernels of block time steps share: bodies, what one does to another, and the schemes, of order 4 [Makino 1992], of order 6 by SNAPS
// [Nitadori 2008], and of order 6 by three points [Dittmann 2024, arXiv:2410.17311]. ORDER, SNAPS and MIXED are defined ahead. With MIXED, forces are computed in the units of a frame, of positions that are
// two f32, and velocities and accelerations that are one; terms and sums of RUN terms are f32, all else is f64.
typedef unsigned int u32;
typedef unsigned long long u64;
#define FULL 0xffffffffu
// a step of the run has 2^BITS ticks
#define BITS 52
// accelerations, jerks, and snaps
#if SNAPS
#define SUMS 9
#else
#define SUMS 6
#endif
#define RUN 16

#if MIXED
typedef float real;
// What rounding leaves of the position is behind it.
struct alignas(16) Source {
    float x, y, z, m, low_x, low_y, low_z, h, vx, vy, vz, unused;
#if SNAPS
    float ax, ay, az, more_unused;
#endif
};
#else
typedef double real;
struct alignas(16) Source {
    double x, y, z, m, vx, vy, vz, h;
#if SNAPS
    double ax, ay, az, unused;
#endif
};
#endif

#if MIXED
static __device__ __forceinline__ float root(const float s2) {
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(s2));
    return y;
}
#else
// The hardware's guess has 20 bits; one cubic step makes it a double. Arguments are never 0: see Gravity::half_eps2.
static __device__ __forceinline__ double root(const double s2) {
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(s2));
    const double e = fma(-s2 * y, y, 1.0);
    return fma(fma(0.375, e, 0.5) * e, y, y);
}
#endif

// The origin and the units of what is computed in f32; without MIXED there are no other units.
struct Frame {
#if MIXED
    double x, y, z, per_length, vx, vy, vz, per_velocity, per_motion, sums[3];
#endif
    __device__ __forceinline__ Source place(const double px, const double py, const double pz, const double ux, const double uy,
                                            const double uz, const double m, const double h
#if SNAPS
                                            , const double ax, const double ay, const double az
#endif
                                            ) const {
#if MIXED
        const double sx = (px - x) * per_length, sy = (py - y) * per_length, sz = (pz - z) * per_length;
        const float hx = (float)sx, hy = (float)sy, hz = (float)sz;
        return {hx, hy, hz, (float)m, (float)(sx - hx), (float)(sy - hy), (float)(sz - hz), (float)h,
                (float)((ux - vx) * per_velocity), (float)((uy - vy) * per_velocity), (float)((uz - vz) * per_velocity), 0.0f
#if SNAPS
                , (float)(ax * per_motion), (float)(ay * per_motion), (float)(az * per_motion), 0.0f
#endif
        };
#else
        return {px, py, pz, m, ux, uy, uz, h
#if SNAPS
                , ax, ay, az, 0.0
#endif
        };
#endif
    }
};

// Of the force on a target: acceleration, jerk, and for order 6 snap.
struct Sums {
    real of[SUMS];
    __device__ __forceinline__ void add(const Source& i, const Source& s) {
#if MIXED
        const real dx = (s.x - i.x) + (s.low_x - i.low_x), dy = (s.y - i.y) + (s.low_y - i.low_y);
        const real dz = (s.z - i.z) + (s.low_z - i.low_z);
#else
        const real dx = s.x - i.x, dy = s.y - i.y, dz = s.z - i.z;
#endif
        const real ux = s.vx - i.vx, uy = s.vy - i.vy, uz = s.vz - i.vz;
        const real y = root(fma(dx, dx, fma(dy, dy, fma(dz, dz, i.h + s.h))));
        const real y2 = y * y, f = (s.m * y) * y2;
        const real alpha = fma(dx, ux, fma(dy, uy, dz * uz)) * y2, g = (real)-3.0 * alpha;
        of[0] = fma(f, dx, of[0]);
        of[1] = fma(f, dy, of[1]);
        of[2] = fma(f, dz, of[2]);
        of[3] = fma(f, fma(g, dx, ux), of[3]);
        of[4] = fma(f, fma(g, dy, uy), of[4]);
        of[5] = fma(f, fma(g, dz, uz), of[5]);
#if SNAPS
        // S = f c - 6 alpha J - 3 beta A, with J and A written out
        const real cx = s.ax - i.ax, cy = s.ay - i.ay, cz = s.az - i.az;
        const real rest = fma(ux, ux, fma(uy, uy, fma(uz, uz, fma(dx, cx, fma(dy, cy, dz * cz))))) * y2;
        const real h = fma((real)15.0 * alpha, alpha, (real)-3.0 * rest), gg = g + g;
        of[6] = fma(f, fma(h, dx, fma(gg, ux, cx)), of[6]);
        of[7] = fma(f, fma(h, dy, fma(gg, uy, cy)), of[7]);
        of[8] = fma(f, fma(h, dz, fma(gg, uz, cz)), of[8]);
#endif
    }
};

// A body where its step began: position and its derivatives.
struct Body {
#if ORDER == 6
    double x[3], v[3], a[3], j[3], s[3], c[3];
    __device__ __forceinline__ double position(const int q, const double t) const {
        const double of_jerk = fma(0.25 * t, fma(0.2 * t, c[q], s[q]), j[q]);
        return fma(t, fma(0.5 * t, fma(t * (1.0 / 3.0), of_jerk, a[q]), v[q]), x[q]);
    }
    __device__ __forceinline__ double velocity(const int q, const double t) const {
        return fma(t, fma(0.5 * t, fma(t * (1.0 / 3.0), fma(0.25 * t, c[q], s[q]), j[q]), a[q]), v[q]);
    }
    __device__ __forceinline__ double acceleration(const int q, const double t) const {
        return fma(t, fma(0.5 * t, fma(t * (1.0 / 3.0), c[q], s[q]), j[q]), a[q]);
    }
#else
    double x[3], v[3], a[3], j[3];
    __device__ __forceinline__ double position(const int q, const double t) const {
        return fma(t, fma(0.5 * t, fma(t * (1.0 / 3.0), j[q], a[q]), v[q]), x[q]);
    }
    __device__ __forceinline__ double velocity(const int q, const double t) const {
        return fma(t, fma(0.5 * t, j[q], a[q]), v[q]);
    }
#endif
    // between these numbers and the columns of a state of n bodies
    __device__ __forceinline__ void load(const double* state, const u64 n) {
#pragma unroll
        for (int q = 0; q < 3; q++) {
            x[q] = state[q * n];
            v[q] = state[(3 + q) * n];
            a[q] = state[(6 + q) * n];
            j[q] = state[(9 + q) * n];
#if ORDER == 6
            s[q] = state[(12 + q) * n];
            c[q] = state[(15 + q) * n];
#endif
        }
    }
    __device__ __forceinline__ void store(double* state, const u64 n) const {
#pragma unroll
        for (int q = 0; q < 3; q++) {
            state[q * n] = x[q];
            state[(3 + q) * n] = v[q];
            state[(6 + q) * n] = a[q];
            state[(9 + q) * n] = j[q];
#if ORDER == 6
            state[(12 + q) * n] = s[q];
            state[(15 + q) * n] = c[q];
#endif
        }
    }
    // as a source of forces
    __device__ __forceinline__ Source at(const double t, const double m, const double h, const Frame& frame) const {
        return frame.place(position(0, t), position(1, t), position(2, t), velocity(0, t), velocity(1, t), velocity(2, t), m, h
#if SNAPS
                           , acceleration(0, t), acceleration(1, t), acceleration(2, t)
#endif
        );
    }
};

static __device__ __forceinline__ u64 ticks(const int level) { return 1ull << (BITS - level); }
// Since the step of a body began: 0 < elapsed <= step.
static __device__ __forceinline__ u64 elapsed_ticks(const u64 time, const int level) {
    return ((time - 1) & (ticks(level) - 1)) + 1;
}
// The next time at which bodies of a level end their steps, and the level of the longest step that ends at a time.
static __device__ __forceinline__ u64 next_end(const u64 time, const int level) {
    return (time & ~(ticks(level) - 1)) + ticks(level);
}
static __device__ __forceinline__ int highest_level(const u64 time) { return BITS - (__ffsll((long long)time) - 1); }

// Of the square of required / present step only the exponent counts: 20 bits are as good as 53, and take a tenth of the time.
static __device__ __forceinline__ double inverse(const double x) {
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    return y;
}
static __device__ __forceinline__ double square_root(const double x) {
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    return x < 1e-300 ? 0.0 : x > 1e300 ? x : x * y;
}
#if ORDER == 6
static __device__ __forceinline__ double cube_root(const double x) {
    // 0, infinity and NaN are their own
    if (!(x >= 1e-300 && x <= 1e300)) return x;
    const u32 high = __double2hiint(x);
    const float mantissa = __uint_as_float(0x3f800000 | (high & 0xfffff) << 3 | (u32)__double2loint(x) >> 29);
    float log2 = 0, root;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(log2) : "f"(mantissa));
    log2 = ((float)((int)(high >> 20) - 1023) + log2) * (1.0f / 3.0f);
    const float whole = floorf(log2);
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(log2 - whole));
    return (double)root * __hiloint2double(((int)whole + 1023) << 20, 0);
}
#endif

// The least step of rounded forces, see LEAST in scheme.rs; s2 is the square of a snap that is not of accelerations.
static __device__ __forceinline__ double at_least(const double ratio, const double eta2, const double s0, const double s1, const double s2) {
#if MIXED && ORDER == 6
    return fmax(ratio, 9e-4 * eta2 * fmin(s0 * inverse(s1), square_root(s0 * inverse(s2))));
#else
    return ratio;
#endif
}

#if !SNAPS
// Order 4. Of three points it makes the first step of a body.
static __device__ __forceinline__ double of_two_points(Body& body, const double* sum, const double elapsed, const double eta2) {
    const double middle = 0.5 * elapsed, twelfth = elapsed * elapsed * (1.0 / 12.0);
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#pragma unroll
    for (int q = 0; q < 3; q++) {
        const double a = sum[q], j = sum[3 + q], da = body.a[q] - a;
        const double v = fma(middle, body.a[q] + a, fma(twelfth, body.j[q] - j, body.v[q]));
        body.x[q] = fma(middle, body.v[q] + v, fma(twelfth, da, body.x[q]));
        // derivatives times powers of the step, at its end
        const double low = elapsed * body.j[q], high = elapsed * j;
        const double crackle = fma(6.0, low + high, 12.0 * da);
        const double snap = fma(-6.0, da, -fma(4.0, low, 2.0 * high)) + crackle;
        body.v[q] = v;
        body.a[q] = a;
        body.j[q] = j;
#if ORDER == 6
        body.s[q] = snap / (elapsed * elapsed);
        body.c[q] = crackle / (elapsed * elapsed * elapsed);
#endif
        s0 = fma(a, a, s0);
        s1 = fma(high, high, s1);
        s2 = fma(snap, snap, s2);
        s3 = fma(crackle, crackle, s3);
    }
    return eta2 * ((square_root(s0 * s2) + s1) * inverse(square_root(s1 * s3) + s2));
}
#endif

// A body at the end of its step, where the sums are SUMS numbers; returns the square of required / present step. Of three points, the step
// before was so long; 0 where it is the first.
static __device__ __forceinline__ double correct_body(Body& body, const double* sum, const double elapsed, const double eta2,
                                                      const double before = 0.0) {
#if SNAPS
    const double middle = 0.5 * elapsed;
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    const double square = elapsed * elapsed, tenth = square * 0.1, last = square * elapsed * (1.0 / 120.0);
    const double per_cube = 1.0 / (square * elapsed);
    double s4 = 0, s5 = 0;
#pragma unroll
    for (int q = 0; q < 3; q++) {
        const double a = sum[q], j = sum[3 + q], s = sum[6 + q];
        const double v = fma(middle, body.a[q] + a, fma(tenth, body.j[q] - j, fma(last, body.s[q] + s, body.v[q])));
        body.x[q] = fma(middle, body.v[q] + v, fma(tenth, body.a[q] - a, fma(last, body.j[q] + j, body.x[q])));
        // the quintic through a, j and s at both ends, in time / step from the end on: what its first three terms
        // leave at the beginning, and the other coefficients
        const double low = elapsed * body.j[q], high = elapsed * j, high2 = square * s;
        const double r0 = body.a[q] - fma(0.5, high2, a - high), r1 = low - (high - high2);
        const double r2 = fma(square, body.s[q], -high2);
        const double c5 = fma(-6.0, r0, fma(-3.0, r1, -0.5 * r2)), c4 = fma(-15.0, r0, fma(-7.0, r1, -r2));
        const double third = 6.0 * (c4 - c5 - r0), fourth = 24.0 * c4, fifth = 120.0 * c5;
        body.v[q] = v;
        body.a[q] = a;
        body.j[q] = j;
        body.s[q] = s;
        body.c[q] = third * per_cube;
        s0 = fma(a, a, s0);
        s1 = fma(high, high, s1);
        s2 = fma(high2, high2, s2);
        s3 = fma(third, third, s3);
        s4 = fma(fourth, fourth, s4);
        s5 = fma(fifth, fifth, s5);
    }
    return at_least(eta2 * cube_root((square_root(s0 * s2) + s1) * inverse(square_root(s3 * s5) + s4)), eta2, s0, s1, s2);
#elif ORDER == 6
    if (before == 0.0) return of_two_points(body, sum, elapsed, FIRST_ETA2 * eta2);
    // see of_three_points in scheme.rs
    const double r = before / elapsed, all = 1.0 + r, per_value = 1.0 / (all * all), slope = 2.0 * all * (all + 1.0);
    const double of_w = fma(r, fma(r, 1.0 / 3.0, 1.0 / 2.0), 1.0 / 5.0), of_uw = fma(r, fma(r, 1.0 / 4.0, 2.0 / 5.0), 1.0 / 6.0);
    const double falls_w = fma(r, fma(r, 1.0 / 12.0, 1.0 / 10.0), 1.0 / 30.0);
    const double falls_uw = fma(r, fma(r, 1.0 / 20.0, 1.0 / 15.0), 1.0 / 42.0);
    const double square = elapsed * elapsed, per_square = 1.0 / square;
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, change2 = 0;
#pragma unroll
    for (int q = 0; q < 3; q++) {
        const double a = sum[q], j = sum[3 + q], low = elapsed * body.j[q], high = elapsed * j;
        const double b = 0.5 * square * body.s[q], c = square * elapsed * (1.0 / 6.0) * body.c[q];
        const double rest = a - (body.a[q] + low + b + c), rest_slope = high - fma(3.0, c, fma(2.0, b, low));
        const double sum_of_both = rest * per_value, beta = fma(-slope, sum_of_both, rest_slope) * per_value;
        const double alpha = sum_of_both - beta;
        const double mean = fma(beta, of_uw, fma(alpha, of_w, fma(c, 0.25, fma(b, 1.0 / 3.0, fma(low, 0.5, body.a[q])))));
        const double falls =
            fma(beta, falls_uw, fma(alpha, falls_w, fma(c, 0.05, fma(b, 1.0 / 12.0, fma(low, 1.0 / 6.0, 0.5 * body.a[q])))));
        body.x[q] = fma(elapsed, fma(elapsed, falls, body.v[q]), body.x[q]);
        body.v[q] = fma(elapsed, mean, body.v[q]);
        // the quintic's coefficients, and its derivatives at the end
        const double c2 = fma(alpha, r * r, b), c3 = fma(r, fma(beta, r, 2.0 * alpha), c), c4 = fma(2.0 * r, beta, alpha);
        const double second = fma(20.0, beta, fma(12.0, c4, fma(6.0, c3, 2.0 * c2)));
        const double third = fma(60.0, beta, fma(24.0, c4, 6.0 * c3)), fourth = fma(120.0, beta, 24.0 * c4), fifth = 120.0 * beta;
        // of the cubic through both ends
        const double da = body.a[q] - a, crackle = fma(6.0, low + high, 12.0 * da);
        const double snap = fma(-6.0, da, -fma(4.0, low, 2.0 * high)) + crackle;
        body.a[q] = a;
        body.j[q] = j;
        body.s[q] = snap * per_square;
        body.c[q] = crackle * per_square / elapsed;
        s0 = fma(a, a, s0);
        s1 = fma(high, high, s1);
        s2 = fma(second, second, s2);
        s3 = fma(third, third, s3);
        s4 = fma(fourth, fourth, s4);
        s5 = fma(fifth, fifth, s5);
        change2 = fma(high - low, high - low, change2);
    }
    return at_least(eta2 * cube_root((square_root(s0 * s2) + s1) * inverse(square_root(s3 * s5) + s4)), eta2, s0, s1, change2);
#else
    return of_two_points(body, sum, elapsed, eta2);
#endif
}

// The level of a body's next step, from the square of required / present step. `is_short` where it would have to be deeper than the deepest.
static __device__ __forceinline__ int next_level(const double ratio, const int level, const u64 time, const int top,
                                                 const int bottom, bool& is_short) {
    const int exponent = ratio == ratio ? ((__double2hiint(ratio) >> 20) & 0x7ff) - 1023 : 0;
    const int required = level - (exponent >> 1);
    is_short = required > bottom;
    return max(max(min(required, bottom), highest_level(time)), max(level - 1, top));
}
