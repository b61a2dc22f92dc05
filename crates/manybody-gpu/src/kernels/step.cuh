// What moves a body once its acceleration is known: kicks, then drifts, in double; and its place in the records that the
// next evaluation reads. Operations are those of the host, each rounded by itself.
//
// Records and frame are read from one buffer and written to another: other blocks may still be reading.
struct Step {
    double* x;                // [3][n], as are v and a
    double* v;
    double* a;                // the accelerations last computed, where no drift follows
    Body* plain;              // of the next evaluation
    Body* rotated;
    const double* frame;      // origin [3], its velocity [3]
    double* next_frame;
    u32* bad;                 // set where a number is not finite
    double factor[3];         // from sums to accelerations
    double per_length;        // from lengths to those of the frame
    double kick[2], drift[2];
    u32 kicks, drifts, n, padded, place;
};

static __device__ __forceinline__ bool is_finite(double q) { return fabs(q) <= 1.7976931348623157e308; }

// One component, k, of body b: its acceleration, place and speed are known.
static __device__ __forceinline__ void move_component(const Step& s, const u32 b, const u32 k, const double a, double x,
                                                      double v) {
    double origin = s.frame[k];
    const double speed = s.frame[3 + k];
    for (u32 q = 0; q < s.kicks; q++) v = __dadd_rn(v, __dmul_rn(s.kick[q], a));
    for (u32 q = 0; q < s.drifts; q++) {
        x = __dadd_rn(x, __dmul_rn(s.drift[q], v));
        origin = __dadd_rn(origin, __dmul_rn(s.drift[q], speed));
    }
    s.v[(u64)k * s.n + b] = v;
    if (s.drifts > 0) s.x[(u64)k * s.n + b] = x;
    else s.a[(u64)k * s.n + b] = a;
    if (b == 0) s.next_frame[k] = origin, s.next_frame[3 + k] = speed;
    if (s.drifts > 0 || s.place) {
        const double from_origin = __dmul_rn(x - origin, s.per_length);
        const real place = (real)from_origin;
        // the last body's copies fill its tile
        for (u32 to = b; to < (b + 1 == s.n ? s.padded : b + 1); to++) {
            s.plain[to].f[k] = s.rotated[to].f[ROTATED(k)] = place;
#if LOW
            s.plain[to].f[LOW + k] = s.rotated[to].f[ROTATED(LOW + k)] = (real)(from_origin - place);
#endif
        }
    }
    if (!(is_finite(x) && is_finite(v) && is_finite(a))) *s.bad = 1;
}

// A move by sums [3][stride] that other ranks have a part in.
extern "C" __global__ void __launch_bounds__(256) move_by_sums(const Step s, const double* __restrict__ sums,
                                                               const u32 stride) {
    const u32 b = blockIdx.x * 256 + threadIdx.x;
    if (b >= s.n) return;
#pragma unroll
    for (u32 k = 0; k < 3; k++) {
        const u64 at = (u64)k * s.n + b;
        move_component(s, b, k, __dmul_rn(sums[(u64)k * stride + b], s.factor[k]), s.x[at], s.v[at]);
    }
}

// A move that needs no new accelerations.
extern "C" __global__ void __launch_bounds__(256) move(const Step s) {
    const u32 b = blockIdx.x * 256 + threadIdx.x;
    if (b >= s.n) return;
#pragma unroll
    for (u32 k = 0; k < 3; k++) {
        const u64 at = (u64)k * s.n + b;
        move_component(s, b, k, s.a[at], s.x[at], s.v[at]);
    }
}
