// What is near: bodies with bodies; bodies of leaves that are large for their neighbours, one by one; and the sum of all.

#if MIXED
// What is summed at a body, in f64.
struct Total {
    double of[4 * QUADS];
    __device__ __forceinline__ Total() {
        for (int k = 0; k < 4 * QUADS; k++) of[k] = 0.0;
    }
    // Adds a sum of some bodies, which is 0 then.
    __device__ __forceinline__ void take(Sums &a) {
#pragma unroll
        for (int k = 0; k < 4 * QUADS; k++) of[k] += a.of[k], a.of[k] = real(0);
    }
};
#define TAKE(total, a) total.take(a)
#else
#define TAKE(total, a)
#endif

// The bodies of leaves from number `from` on, four warps a leaf: each takes every fourth of the leaves and groups of bodies that
// act.
extern "C" __global__ void __launch_bounds__(128) near_bodies(Tree t, int from) {
    __shared__ real4 tiles[4][LEAF];
#if WITH_OWN
    __shared__ real tiles_of_own[4][LEAF * OWN_NUMBERS];
    real *of_own = tiles_of_own[threadIdx.x / 32];
#else
    real *const of_own = nullptr;
#endif
    if (t.report[OVERFLOW]) return;
    const int leaf = from + blockIdx.x, g = t.first_leaf + leaf, w = threadIdx.x / 32, ln = lane();
    const Center center(t, g);
    const real4 own = t.bodies[leaf * LEAF + ln];
#if OWN_SOFTENINGS
    const real own_half = t.own_of_slots[leaf * LEAF + ln];
#endif
    const bool any_wide = t.report[WIDE] > 0, own_wide = any_wide && t.lines[g].wide > 0.0f;
    const Given given(t, any_wide ? leaf * LEAF + ln : t.n);
    Sums a(t, leaf * LEAF + ln);
#if MIXED
    Total total;
#endif
    real4 *tile = tiles[w];
    Reader cells(t, g, NEAR);
    int page = 0;
    for (int k = w; k < cells.count; k += 4) {
        for (; page < k / PAGE; page++) cells.page = t.links[cells.page];
        const int source = t.pages[(size_t)cells.page * PAGE + k % PAGE];
        if (any_wide && (own_wide || t.lines[source].wide > 0.0f)) {
            act_exactly(t, given, Given(t, (source - t.first_leaf) * LEAF + ln), -1, a);
            TAKE(total, a);
            continue;
        }
        const Step d = center.from(t, source);
        real4 b = t.bodies[(source - t.first_leaf) * LEAF + ln];
        b.x -= d.x; b.y -= d.y; b.z -= d.z;
        __syncwarp();
        tile[ln] = b;
        take_own(t, (source - t.first_leaf) * LEAF + ln, of_own + ln * OWN_NUMBERS);
        __syncwarp();
#pragma unroll 8
        for (int j = 0; j < LEAF; j++) {
            const real *const of_other = of_own + j * OWN_NUMBERS;
            pair(tile[j], of_other, own.x, own.y, own.z, SOFT2_OF(t, own_half, *of_other), a);
        }
        TAKE(total, a);
    }
    Reader bodies(t, g, NEAR_BODIES);
    page = 0;
    for (int k = 32 * w; k < bodies.count; k += 4 * 32) {
        for (; page < k / PAGE; page++) bodies.page = t.links[bodies.page];
        real4 b = four(real(1), real(1), real(1), real(0));
        const int slot = k + ln < bodies.count ? t.pages[(size_t)bodies.page * PAGE + (k + ln) % PAGE] : t.n;
        if (any_wide) {
            act_exactly(t, given, Given(t, slot), -1, a);
            TAKE(total, a);
            continue;
        }
        if (slot < t.n) {
            const Step d = center.from(t, t.first_leaf + slot / LEAF);
            b = t.bodies[slot];
            b.x -= d.x; b.y -= d.y; b.z -= d.z;
        }
        __syncwarp();
        tile[ln] = b;
#if WITH_OWN
        if (slot < t.n) take_own(t, slot, of_own + ln * OWN_NUMBERS);
        else for (int k = 0; k < OWN_NUMBERS; k++) of_own[ln * OWN_NUMBERS + k] = (real)t.base;
#endif
        __syncwarp();
#pragma unroll 8
        for (int j = 0; j < LEAF; j++) {
            const real *const of_other = of_own + j * OWN_NUMBERS;
            pair(tile[j], of_other, own.x, own.y, own.z, SOFT2_OF(t, own_half, *of_other), a);
        }
        TAKE(total, a);
    }
    // the leaf's own bodies, each without itself
    __syncwarp();
    tile[ln] = own;
    take_own(t, leaf * LEAF + ln, of_own + ln * OWN_NUMBERS);
    __syncwarp();
#pragma unroll
    for (int k = 0; k < LEAF / 4; k++) {
        const int j = 4 * k + w;
        real4 b = tile[j];
        if (j == ln && !SELF) b.w = real(0);
        const real *const of_other = of_own + j * OWN_NUMBERS;
        if (!own_wide) pair(b, of_other, own.x, own.y, own.z, SOFT2_OF(t, own_half, *of_other), a);
    }
    if (own_wide && w == 0) act_exactly(t, given, given, SELF ? -1 : ln, a);
#if MIXED
    __shared__ double totals[4][4 * QUADS][LEAF];
    total.take(a);
    for (int k = 0; k < 4 * QUADS; k++) totals[w][k][ln] = total.of[k];
    __syncthreads();
    if (w == 0) {
        for (int k = 0; k < 4 * QUADS; k++) a.of[k] = (real)((totals[0][k][ln] + totals[1][k][ln]) + (totals[2][k][ln] + totals[3][k][ln]));
        a.store(t.near, leaf * LEAF + ln);
        Sums().store(t.single, leaf * LEAF + ln);
    }
#else
#pragma unroll
    for (int e = 0; e < QUADS; e++) {
        if (e > 0) __syncthreads();
        __syncwarp();
        real4 sum = a.part(e);
        tile[ln] = sum;
        __syncthreads();
        if (w == 0) {
            for (int k = 1; k < 4; k++) {
                const real4 b = tiles[k][ln];
                sum.x += b.x; sum.y += b.y; sum.z += b.z; sum.w += b.w;
            }
            t.near[(size_t)(leaf * LEAF + ln) * QUADS + e] = sum;
            t.single[(size_t)(leaf * LEAF + ln) * QUADS + e] = four(real(0), real(0), real(0), real(0));
        }
    }
#endif
}

#if JERKS
// What a cell does at a moving body at (x, y, z) from it, in units of the cell.
static __device__ __forceinline__ void moving_at_place(
    const Tree &t, int source, int how, real x, real y, real z, real soft2, real per_unit, real4 velocity, real *to) {
    const Tree rates = of_rates(t);
    const real vx = velocity.x * per_unit, vy = velocity.y * per_unit, vz = velocity.z * per_unit;
    const size_t spherical = (size_t)source * t.spherical_stride, moments = (size_t)source * t.moments_stride;
    if (how == HARMONIC) {
        at_place_far(x, y, z, soft2, vx, vy, vz, t.spherical + spherical, rates.spherical + spherical, to);
        return;
    }
    at_place(x, y, z, soft2, vx, vy, vz, t.moments + moments, rates.moments + moments, to);
#if OWN_SOFTENINGS
    if (how == DIFFERENT) {
        real M[MOMENTS], R[MOMENTS];
        load_record<MOMENTS>(t.moments + moments, M);
        load_record<MOMENTS>(rates.moments + moments, R);
        take_products(t, source, M);
        take_products(rates, source, R);
        at_place_1(x, y, z, soft2, (real)(0.5 * t.difference) * per_unit * per_unit, vx, vy, vz, M, R, to);
    }
#endif
}
#endif

// The bodies of leaves with smaller cells, a warp each.
extern "C" __global__ void __launch_bounds__(128) one_by_one(Tree t) {
    extern __shared__ int stacks[];
    if (t.report[OVERFLOW]) return;
    const int ln = lane();
    int *stack = stacks + threadIdx.x / 32 * t.stack;
    const int work = t.report[SPARSE] * LEAF;
    for (int item = blockIdx.x * 4 + threadIdx.x / 32; item < work; item += gridDim.x * 4) {
        const int leaf = t.sparse[item / LEAF], slot = leaf * LEAF + item % LEAF, g = t.first_leaf + leaf;
        if (slot >= t.n) continue;
        const Line line = body_line(t, slot);
        const Center center(t, g);
        const real4 own = t.bodies[slot];
#if OWN_SOFTENINGS
        const real own_half = t.own_of_slots[slot];
#endif
        const bool any_wide = t.report[WIDE] > 0;
        const Given given(t, any_wide ? slot : t.n);
        Sums a(t, slot);
        Reader small(t, g, SMALL);
        int held = 0, read = 0;
        while (held > 0 || read < small.count) {
            int source = -1;
            if (held >= 32 || read >= small.count) {
                const int many = min(held, 32);
                if (ln < many) source = stack[held - 1 - ln];
                held -= many;
            } else {
                if (read + ln < small.count) source = t.pages[(size_t)small.page * PAGE + (read + ln) % PAGE];
                read += 32;
                if (read % PAGE == 0) small.page = t.links[small.page];
            }
            __syncwarp();
            int how = NOT_ACCEPTED;
            bool open = false, leaf_of = false;
            if (source >= 0) {
                const Line other = load_line(t.lines + source);
                if (other.radius >= 0.0f) {
                    how = accepts(t, other, line);
                    leaf_of = !how && source >= t.first_leaf && source != g;
                    open = !how && source < t.first_leaf;
                }
            }
            const u32 opened = __ballot_sync(FULL, open);
            if (open) {
                const int to = held + CHILDREN * __popc(opened & ((1u << ln) - 1));
                for (int q = 0; q < CHILDREN; q++)
                    if (to + q < t.stack) stack[to + q] = CHILDREN * source + 1 + q;
            }
            held = min(held + CHILDREN * __popc(opened), t.stack);
            if (how) {
                const Step d = center.from(t, source);
                const real unit = t.lines[source].unit, per_unit = real(1) / unit;
#if !OWN_SOFTENINGS
                const real soft2 = SOFT2_IN(t, unit, per_unit);
#endif
                const real w = SOFT2_WITH(t.lines[source].half);
                const real x = (d.x + own.x) * per_unit, y = (d.y + own.y) * per_unit, z = (d.z + own.z) * per_unit;
                Sums to;
#if LAW
                at_place(x, y, z, w, MOMENTS_OF(t, source, 0), to.of);
#elif JERKS
                moving_at_place(t, source, how, x, y, z, w, per_unit, a.velocity, to.of);
#else
                if (how == HARMONIC) {
                    real M[SPHERICAL];
                    load_record<SPHERICAL>(t.spherical + (size_t)source * t.spherical_stride, M);
                    at_place_far(x, y, z, w, M, to.of);
                } else {
                    real M[MOMENTS];
                    load_record<MOMENTS>(t.moments + (size_t)source * t.moments_stride, M);
                    at_place(x, y, z, w, M, to.of);
#if OWN_SOFTENINGS
                    if (how == DIFFERENT) {
                        take_products(t, source, M);
                        at_place_1(x, y, z, w, (real)(0.5 * t.difference) * per_unit * per_unit, M, to.of);
                    }
#endif
                }
#endif
                const real slope = SLOPE_OF(per_unit);
#pragma unroll
                for (int k = 0; k < 4 * QUADS; k++) a.of[k] = m_fma(to.of[k], k % 4 == 3 ? VALUE_OF(per_unit) : slope, a.of[k]);
            }
            for (u32 left = __ballot_sync(FULL, leaf_of); left; left &= left - 1) {
                const int other = __shfl_sync(FULL, source, __ffs(left) - 1);
                const int there = (other - t.first_leaf) * LEAF + ln;
                if (any_wide) {
                    const Given b(t, there);
                    const real w = SOFT2_OF(t, given.own[0], b.own[0]);
                    act((real)(b.x - given.x), (real)(b.y - given.y), (real)(b.z - given.z), b.m, b.own, w, a);
                    continue;
                }
                const Step d = center.from(t, other);
                real4 b = t.bodies[there];
                b.x -= d.x; b.y -= d.y; b.z -= d.z;
                real of_own[OWN_NUMBERS];
                take_own(t, there, of_own);
                pair(b, of_own, own.x, own.y, own.z, SOFT2_OF(t, own_half, of_own[0]), a);
            }
            __syncwarp();
        }
        a.over_warp();
        if (ln == 0) a.store(t.single, slot);
    }
}

// Adds everything up for the slots from to end - 1: in the order of the bodies, or of the slots where other devices need it.
extern "C" __global__ void __launch_bounds__(128) finish(Tree t, int from, int end, int by_slots) {
    const int slot = from + blockIdx.x * 128 + threadIdx.x;
    if (slot >= end || slot >= t.n || t.report[OVERFLOW]) return;
#if OWN_SOFTENINGS
    const real difference = difference_of(t, t.own_of_slots[slot]);
#else
    const real difference = real(0);
#endif
    const Sums far = expanded(t, slot / LEAF, t.bodies[slot], difference, slot), near(t.near, slot), one(t.single, slot);
    Sums all;
#pragma unroll
    for (int k = 0; k < 4 * QUADS; k++) all.of[k] = near.of[k] + one.of[k] + far.of[k];
    if (by_slots) all.store(t.near, slot);
    else all.store(t.out, t.order[slot]);
}

// Puts what slots have into the order of the bodies.
extern "C" __global__ void __launch_bounds__(128) order_by_bodies(Tree t) {
    const int slot = blockIdx.x * 128 + threadIdx.x;
    if (slot < t.n) Sums(t.near, slot).store(t.out, t.order[slot]);
}
