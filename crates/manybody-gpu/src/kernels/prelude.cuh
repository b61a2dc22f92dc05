// What every kernel begins with: the number type and its functions. `REAL_IS_DOUBLE` is 0 or 1.
// Subnormal numbers are flushed to zero (--ftz=true): without that, 1/sqrt costs three more operations.
typedef unsigned int u32;
typedef unsigned long long u64;
#define FULL 0xffffffffu
#define ROTATED(k) (((k) & ~3) | (((k) + 1) & 3))

// 0 for laws whose roots meet neither 0 nor infinity: the test of either costs gravity 8 to 10 % of its rate
#ifndef ROOTS_HAVE_EDGES
#define ROOTS_HAVE_EDGES 1
#endif

#if REAL_IS_DOUBLE
typedef double real;
// For 0 and infinity the hardware's guess is exact, but its residue e is NaN. Integer operations detect these two; they
// run beside the floating-point ones.
static __device__ __forceinline__ bool m_edge(double y) {
    return (u32)((__double2hiint(y) & 0x7fffffff) - 0x00100000) >= 0x7fe00000u;
}
static __device__ __forceinline__ double m_rsqrt(double x) {
    // the hardware's guess has 20 bits; one cubic step gives 1e-14: y (1 + e/2 + 3 e^2/8), e = 1 - x y^2
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    const double e = fma(-x * y, y, 1.0);
    const double refined = fma(fma(0.375, e, 0.5) * e, y, y);
    return ROOTS_HAVE_EDGES && m_edge(y) ? y : refined;
}
// x^(-3/2) in six operations: y^3 (1 + 3 e/2 + 15 e^2/8)
static __device__ __forceinline__ double m_rsqrt3(double x) {
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    const double y2 = y * y, e = fma(-x, y2, 1.0), y3 = y2 * y;
    const double refined = fma(y3 * e, fma(1.875, e, 1.5), y3);
    return ROOTS_HAVE_EDGES && m_edge(y) ? y3 : refined;
}
static __device__ __forceinline__ double m_recip(double x) { return 1.0 / x; }
#else
typedef float real;
static __device__ __forceinline__ float m_rsqrt(float x) {
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
static __device__ __forceinline__ float m_recip(float x) {
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
static __device__ __forceinline__ float m_sqrt(float x) {
    float y;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
static __device__ __forceinline__ float m_exp2(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
static __device__ __forceinline__ float m_exp(float x) { return expf(x); }
static __device__ __forceinline__ float m_log(float x) { return logf(x); }
static __device__ __forceinline__ float m_expm1(float x) { return expm1f(x); }
static __device__ __forceinline__ float m_log1p(float x) { return log1pf(x); }
static __device__ __forceinline__ float m_abs(float x) { return fabsf(x); }
static __device__ __forceinline__ float m_round(float x) { return rintf(x); }
#endif
static __device__ __forceinline__ bool m_finite(float x) { return (__float_as_int(x) & 0x7f800000) != 0x7f800000; }
static __device__ __forceinline__ bool m_finite(double x) { return (__double2hiint(x) & 0x7ff00000) != 0x7ff00000; }
// f64 results are summed and merged in double also where the law is in float
static __device__ __forceinline__ double m_exp(double x) { return exp(x); }
#if REAL_IS_DOUBLE
static __device__ __forceinline__ double m_sqrt(double x) { return sqrt(x); }
static __device__ __forceinline__ double m_exp2(double x) { return exp2(x); }
static __device__ __forceinline__ double m_log(double x) { return log(x); }
static __device__ __forceinline__ double m_expm1(double x) { return expm1(x); }
static __device__ __forceinline__ double m_log1p(double x) { return log1p(x); }
static __device__ __forceinline__ double m_abs(double x) { return fabs(x); }
static __device__ __forceinline__ double m_round(double x) { return rint(x); }
#endif
