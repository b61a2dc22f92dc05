// Block time steps of Hermite's schemes of order 4 [Makino 1992] and 6 [Nitadori 2008] that never leave the device: one
// launch makes all blocks of a step of the run. ORDER, THREADS, WARPS and TASKS are defined ahead, and MIXED: then forces are
// computed in the units of a frame, of positions that are two f32, and velocities and accelerations that are one. Terms and sums of
// 16 terms are f32, all else is f64.
//
// Thread block b, a line, owns the bodies n b / lines to n (b + 1) / lines, one a thread, in registers. In a block of steps
//   1. each line finds when its next body is due, and publishes that time, how many bodies are due, and these, predicted;
//   2. each line reads what all lines published: the earliest time is that of the block, and its bodies are the targets;
//   3. each line predicts its own bodies, sums what they do to all targets, and publishes the sums;
//   4. the line that owns a target adds the sums of all lines, in their order, and corrects it.
// What is published carries the number of the block beside each half of a number, so that a reader waits for nothing else:
// no barrier of the grid, no atomics in sums. Lines depend on n alone: the same bits on any device that holds them.
typedef unsigned int u32;
typedef unsigned long long u64;
#define FULL 0xffffffffu
#define MOST_LINES 128
#define LINES_A_LANE (MOST_LINES / 32)
#define BITS 52
// numbers of a target that are published, sums, and clocks of a pair and of adding up a part
#if ORDER == 6
#define PREDICTED 10
#define SUMS 9
#define PAIR_CLOCKS (MIXED ? 15 : 26)
#define PART_CLOCKS 22
#else
#define PREDICTED 7
#define SUMS 6
#define PAIR_CLOCKS (MIXED ? 9 : 16)
#define PART_CLOCKS 15
#endif
// terms whose sum is an f32
#define RUN 16

#if MIXED
typedef float real;
// What rounding leaves of the position is behind it.
struct Source {
    float x, y, z, m, low_x, low_y, low_z, h, vx, vy, vz, unused;
#if ORDER == 6
    float ax, ay, az, more_unused;
#endif
};
#else
typedef double real;
struct Source {
    double x, y, z, m, vx, vy, vz, h;
#if ORDER == 6
    double ax, ay, az, unused;
#endif
};
#endif

// A number, each half beside a tag.
static __device__ __forceinline__ void publish(uint4* to, const double value, const u32 tag) {
    const u32 low = __double2loint(value), high = __double2hiint(value);
    asm volatile("st.relaxed.gpu.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(low), "r"(tag), "r"(high), "r"(tag)
                 : "memory");
}
static __device__ __forceinline__ uint4 look(const uint4* from) {
    uint4 cell;
    asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(cell.x), "=r"(cell.y), "=r"(cell.z), "=r"(cell.w)
                 : "l"(from)
                 : "memory");
    return cell;
}
static __device__ __forceinline__ bool is_new(const uint4 cell, const u32 tag) { return cell.y == tag && cell.w == tag; }
static __device__ __forceinline__ double number(const uint4 cell) { return __hiloint2double(cell.z, cell.x); }
// The first `count` cells, `stride` apart: loads are in flight together.
template <int N>
static __device__ __forceinline__ void wait_for(uint4 (&cells)[N], const uint4* from, const u32 stride, const int count,
                                                const u32 tag) {
    bool all;
    do {
        all = true;
#pragma unroll
        for (int k = 0; k < N; k++)
            if (k < count) cells[k] = look(from + (u64)k * stride);
#pragma unroll
        for (int k = 0; k < N; k++) all = all && (k >= count || is_new(cells[k], tag));
    } while (!all);
}

#if MIXED
static __device__ __forceinline__ float root(const float s2) {
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(s2));
    return y;
}
// The origin and the units of what is computed in f32.
struct Frame {
    double x, y, z, per_length, vx, vy, vz, per_velocity, per_motion, sums[3];
    __device__ __forceinline__ Source place(const double px, const double py, const double pz, const double ux, const double uy,
                                            const double uz, const double m, const double h
#if ORDER == 6
                                            , const double ax, const double ay, const double az
#endif
                                            ) const {
        const double sx = (px - x) * per_length, sy = (py - y) * per_length, sz = (pz - z) * per_length;
        const float hx = (float)sx, hy = (float)sy, hz = (float)sz;
        return {hx, hy, hz, (float)m, (float)(sx - hx), (float)(sy - hy), (float)(sz - hz), (float)h,
                (float)((ux - vx) * per_velocity), (float)((uy - vy) * per_velocity), (float)((uz - vz) * per_velocity), 0.0f
#if ORDER == 6
                , (float)(ax * per_motion), (float)(ay * per_motion), (float)(az * per_motion), 0.0f
#endif
        };
    }
};
#else
// The hardware's guess has 20 bits; one cubic step makes it a double. Arguments are never 0: see Gravity::half_eps2.
static __device__ __forceinline__ double root(const double s2) {
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(s2));
    const double e = fma(-s2 * y, y, 1.0);
    return fma(fma(0.375, e, 0.5) * e, y, y);
}
#endif

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
#if ORDER == 6
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
};

static __device__ __forceinline__ u64 ticks(const int level) { return 1ull << (BITS - level); }

// Into how many parts the sources of a line are cut for so many warps of targets: as many as make the longest warp shortest.
static __device__ __forceinline__ u32 parts_for(const u32 warps, const u32 own) {
    u32 best = 1, least = FULL;
    for (u32 parts = 1; parts <= 16; parts++) {
        if (parts * warps > TASKS || (parts > 1 && parts > own)) continue;
        const u32 rounds = (warps * parts + WARPS - 1) / WARPS;
        const u32 sums = parts > 1 ? parts * warps * PART_CLOCKS + 150 : 0;
        const u32 clocks = rounds * ((own + parts - 1) / parts * (WARPS * PAIR_CLOCKS) + 400) + sums;
        if (clocks < least) {
            least = clocks;
            best = parts;
        }
    }
    return best;
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    blocks(double* __restrict__ state, const double* __restrict__ mass, const double* __restrict__ half, u32* __restrict__ levels,
           const u32 n, const double unit, const double eta2, const int top, const int bottom, const u32 limited,
           uint4* __restrict__ headers, uint4* __restrict__ payload, uint4* __restrict__ partial, u64* __restrict__ report
#if MIXED
           , const Frame frame
#endif
    ) {
    extern __shared__ __align__(16) unsigned char memory[];
    const u32 t = threadIdx.x, lane = t & 31, warp = t >> 5, line = blockIdx.x, lines = gridDim.x;
    const u32 first = (u32)((u64)line * n / lines), own = (u32)((u64)(line + 1) * n / lines) - first;
    const u32 most = (n + lines - 1) / lines, own_warps = (own + 31) / 32;
    Source* sources = (Source*)memory;
    Source* targets = sources + most;
    double* parts_of = (double*)(targets + THREADS);     // [TASKS][SUMS][32]
    double* found = parts_of + TASKS * (SUMS * 32);      // [most][SUMS]
    __shared__ u32 parts_table[WARPS + 1];
    __shared__ u64 due[MOST_LINES];
    __shared__ u32 due_count[MOST_LINES];
    __shared__ int warp_level[WARPS], warp_count[WARPS];

    const bool owns = t < own;
    Body body;
    double m = 0, h = 0;
    int level = -1;
    if (owns) {
        const u32 b = first + t;
        body.load(state + b, n);
        m = mass[b];
        h = half[b];
        level = (int)levels[b];
    }
    if (t >= 1 && t <= WARPS) parts_table[t] = parts_for(t, own);
    if (t < MOST_LINES) {
        due[t] = ~0ull;
        due_count[t] = 0;
    }
    u32 tag = (u32)report[2];
    u64 time = 0, made = 0, steps = 0;
    bool is_short = false, stops = false; // a body of this thread, or of this line, needs a smaller step than there is
    __syncthreads();

    while (time < (1ull << BITS)) {
        tag++;
        uint4* header = headers + (tag & 1) * MOST_LINES * 2;
        uint4* bodies = payload + (u64)(tag & 1) * lines * most * PREDICTED;

        // 1. when this line's next bodies are due, and which these are
        int rank = -1;
        u64 next = ~0ull;
        if (warp < own_warps) {
            int deepest = __reduce_max_sync(FULL, level);
            if (own_warps > 1) {
                if (lane == 0) warp_level[warp] = deepest;
                asm volatile("bar.sync 1, %0;" ::"r"(own_warps * 32) : "memory");
                for (u32 w = 0; w < own_warps; w++) deepest = max(deepest, warp_level[w]);
            }
            const u64 step = ticks(deepest);
            next = (time & ~(step - 1)) + step;
            const int highest = BITS - (__ffsll((long long)next) - 1);
            const bool active = owns && level >= highest;
            const u32 ballot = __ballot_sync(FULL, active);
            int count = __popc(ballot), before = 0;
            if (own_warps > 1) {
                if (lane == 0) warp_count[warp] = count;
                asm volatile("bar.sync 1, %0;" ::"r"(own_warps * 32) : "memory");
                count = 0;
                for (u32 w = 0; w < own_warps; w++) {
                    if (w < warp) before += warp_count[w];
                    count += warp_count[w];
                }
            }
            if (t == 0) {
                publish(header + 2 * line, __longlong_as_double((long long)next), tag);
                publish(header + 2 * line + 1, __longlong_as_double((long long)count | ((long long)stops << 32)), tag);
            }
            if (active) {
                rank = before + __popc(ballot & ((1u << lane) - 1));
                const double elapsed = (double)ticks(level) * unit;
                uint4* to = bodies + ((u64)line * most + rank) * PREDICTED;
#pragma unroll
                for (int q = 0; q < 3; q++) {
                    publish(to + q, body.position(q, elapsed), tag);
                    publish(to + 3 + q, body.velocity(q, elapsed), tag);
#if ORDER == 6
                    publish(to + 7 + q, body.acceleration(q, elapsed), tag);
#endif
                }
                publish(to + 6, h, tag);
            }
        }

        // 2. the time of the block, and where its targets are; all lines end together
        bool ends = false;
        if (t < lines) {
            uint4 cells[2];
            wait_for(cells, header + 2 * t, 1, 2, tag);
            due[t] = (u64)__double_as_longlong(number(cells[0]));
            const u64 counted = (u64)__double_as_longlong(number(cells[1]));
            due_count[t] = (u32)counted;
            ends = counted >> 32;
        }
        if (__syncthreads_or(ends)) break;
        u64 at[LINES_A_LANE], now = ~0ull;
        u32 count[LINES_A_LANE], offset[LINES_A_LANE], sum = 0;
#pragma unroll
        for (int z = 0; z < LINES_A_LANE; z++) {
            at[z] = due[lane * LINES_A_LANE + z];
            count[z] = due_count[lane * LINES_A_LANE + z];
            now = min(now, at[z]);
        }
#pragma unroll
        for (int x = 16; x; x >>= 1) now = min(now, (u64)__shfl_xor_sync(FULL, now, x));
#pragma unroll
        for (int z = 0; z < LINES_A_LANE; z++) {
            if (at[z] != now) count[z] = 0;
            offset[z] = sum;
            sum += count[z];
        }
        u32 inclusive = sum;
#pragma unroll
        for (int x = 1; x < 32; x <<= 1) {
            const u32 y = __shfl_up_sync(FULL, inclusive, x);
            if (lane >= x) inclusive += y;
        }
        const u32 active = __shfl_sync(FULL, inclusive, 31), exclusive = inclusive - sum;
        u32 own_offset = 0, own_active = 0;
#pragma unroll
        for (int z = 0; z < LINES_A_LANE; z++) {
            const u32 o = __shfl_sync(FULL, exclusive + offset[z], line / LINES_A_LANE);
            const u32 c = __shfl_sync(FULL, count[z], line / LINES_A_LANE);
            if (z == line % LINES_A_LANE) {
                own_offset = o;
                own_active = c;
            }
        }
        time = now;

        // 3. what this line's bodies do to the targets
        if (owns) {
            // since the body's own step began: 0 < elapsed <= step
            const u64 step = ticks(level);
            const double elapsed = (double)(((time - 1) & (step - 1)) + 1) * unit;
#if MIXED
            sources[t] = frame.place(body.position(0, elapsed), body.position(1, elapsed), body.position(2, elapsed),
                                     body.velocity(0, elapsed), body.velocity(1, elapsed), body.velocity(2, elapsed), m, h
#if ORDER == 6
                                     , body.acceleration(0, elapsed), body.acceleration(1, elapsed), body.acceleration(2, elapsed)
#endif
            );
#else
            sources[t] = {body.position(0, elapsed), body.position(1, elapsed), body.position(2, elapsed), m,
                          body.velocity(0, elapsed), body.velocity(1, elapsed), body.velocity(2, elapsed), h
#if ORDER == 6
                          , body.acceleration(0, elapsed), body.acceleration(1, elapsed), body.acceleration(2, elapsed), 0.0
#endif
            };
#endif
        }
        for (u32 begin = 0; begin < active; begin += THREADS) {
            const u32 here = min((u32)THREADS, active - begin), warps = (here + 31) / 32;
            if (begin) __syncthreads();
            if (warp < warps) {
                // the line and the place that hold target number `wanted`, searched by halves over the lanes
                const u32 wanted = begin + min(t, here - 1);
                int low = 0;
#pragma unroll
                for (int x = 16; x; x >>= 1) {
                    const u32 begins = __shfl_sync(FULL, exclusive, (low + x) & 31);
                    if (begins <= wanted) low += x;
                }
                const u32 rest = wanted - __shfl_sync(FULL, exclusive, low);
                u32 place = 0, from = 0;
#pragma unroll
                for (int z = 1; z < LINES_A_LANE; z++) {
                    const u32 o = __shfl_sync(FULL, offset[z], low);
                    if (o <= rest) {
                        place = z;
                        from = o;
                    }
                }
                const uint4* cell = bodies + ((u64)(low * LINES_A_LANE + place) * most + rest - from) * PREDICTED;
                uint4 cells[PREDICTED];
                wait_for(cells, cell, 1, PREDICTED, tag);
#if MIXED
                targets[t] = frame.place(number(cells[0]), number(cells[1]), number(cells[2]),
                                         number(cells[3]), number(cells[4]), number(cells[5]), 0.0, number(cells[6])
#if ORDER == 6
                                         , number(cells[7]), number(cells[8]), number(cells[9])
#endif
                );
#else
                targets[t] = {number(cells[0]), number(cells[1]), number(cells[2]), 0.0,
                              number(cells[3]), number(cells[4]), number(cells[5]), number(cells[6])
#if ORDER == 6
                              , number(cells[7]), number(cells[8]), number(cells[9]), 0.0
#endif
                };
#endif
            }
            __syncthreads();
            const u32 parts = parts_table[warps];
            for (u32 task = warp; task < warps * parts; task += WARPS) {
                const u32 part = task / warps, group = task - part * warps;
                const u32 from = own * part / parts, to = own * (part + 1) / parts;
                const Source target = targets[group * 32 + lane];
#if MIXED
                double total[SUMS] = {};
                for (u32 begins = from; begins < to; begins += RUN) {
                    const u32 ends = min(begins + RUN, to);
                    Sums sums = {};
#pragma unroll 4
                    for (u32 j = begins; j < ends; j++) sums.add(target, sources[j]);
#pragma unroll
                    for (int q = 0; q < SUMS; q++) total[q] += sums.of[q];
                }
#else
                Sums sums = {};
#pragma unroll 4
                for (u32 j = from; j < to; j++) sums.add(target, sources[j]);
                const double* total = sums.of;
#endif
                if (parts > 1) {
                    double* out = parts_of + task * (SUMS * 32) + lane;
#pragma unroll
                    for (int q = 0; q < SUMS; q++) out[32 * q] = total[q];
                } else if (group * 32 + lane < here) {
                    uint4* out = partial + (u64)(begin + group * 32 + lane) * SUMS * lines + line;
#pragma unroll
                    for (int q = 0; q < SUMS; q++) publish(out + q * lines, total[q], tag);
                }
            }
            if (parts > 1) {
                __syncthreads();
                const u32 stride = warps * (SUMS * 32);
                for (u32 x = t; x < stride; x += THREADS) {
                    const u32 group = x / (SUMS * 32), within = x - group * (SUMS * 32), i = group * 32 + (within & 31);
                    double total = parts_of[x];
                    for (u32 part = 1; part < parts; part++) total += parts_of[x + part * stride];
                    if (i < here) publish(partial + ((u64)(begin + i) * SUMS + (within >> 5)) * lines + line, total, tag);
                }
            }
        }

        // 4. the sums of all lines for this line's own targets, in the order of the lines
        for (u32 x = warp; x < own_active * SUMS; x += WARPS) {
            const uint4* from = partial + ((u64)own_offset * SUMS + x) * lines;
            // lines that this lane adds up: lane, lane + 32, ...
            const int mine = lines > lane ? (int)((lines - lane + 31) / 32) : 0;
            uint4 cells[LINES_A_LANE];
            wait_for(cells, from + lane, 32, mine, tag);
            double total = 0;
#pragma unroll
            for (int z = 0; z < LINES_A_LANE; z++)
                if (z < mine) total += number(cells[z]);
#pragma unroll
            for (int y = 16; y; y >>= 1) total += __shfl_xor_sync(FULL, total, y);
#if MIXED
            total *= frame.sums[x % SUMS / 3];
#endif
            if (lane == 0) found[x] = total;
        }
        __syncthreads();
        if (own_active && rank >= 0) {
            const double elapsed = (double)ticks(level) * unit, middle = 0.5 * elapsed;
            const double* sum = found + SUMS * rank;
            double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#if ORDER == 6
            const double square = elapsed * elapsed, tenth = square * 0.1, last = square * elapsed * (1.0 / 120.0);
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
                body.c[q] = third / (square * elapsed);
                s0 = fma(a, a, s0);
                s1 = fma(high, high, s1);
                s2 = fma(high2, high2, s2);
                s3 = fma(third, third, s3);
                s4 = fma(fourth, fourth, s4);
                s5 = fma(fifth, fifth, s5);
            }
            double ratio = eta2 * cbrt((sqrt(s0 * s2) + s1) / (sqrt(s3 * s5) + s4));
#if MIXED
            // the least step of rounded forces: LEAST in scheme.rs
            ratio = fmax(ratio, 9e-4 * eta2 * fmin(s0 / s1, sqrt(s0 / s2)));
#endif
#else
            const double twelfth = elapsed * elapsed * (1.0 / 12.0);
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
                s0 = fma(a, a, s0);
                s1 = fma(high, high, s1);
                s2 = fma(snap, snap, s2);
                s3 = fma(crackle, crackle, s3);
            }
            const double ratio = eta2 * ((sqrt(s0 * s2) + s1) / (sqrt(s1 * s3) + s2));
#endif
            const int exponent = ratio == ratio ? ((__double2hiint(ratio) >> 20) & 0x7ff) - 1023 : 0;
            const int required = level - (exponent >> 1);
            if (required > bottom && !limited) {
                atomicMin(report + 3, (u64)(first + t));
                is_short = true;
            }
            const int highest = BITS - (__ffsll((long long)time) - 1);
            level = max(max(min(required, bottom), highest), max(level - 1, top));
        }
        made++;
        steps += active;
        stops = __syncthreads_or(is_short);
    }

    if (owns) {
        const u32 b = first + t;
        body.store(state + b, n);
        levels[b] = (u32)level;
    }
    // every line has read the first tag: it took part in every block
    if (line == 0 && t == 0) {
        report[0] = made;
        report[1] = steps;
        report[2] = tag;
        report[4] = time;
    }
}
