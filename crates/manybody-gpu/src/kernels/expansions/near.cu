// What is near: bodies with bodies; bodies of leaves that are large for their neighbours, one by one; and the sum of all.

// The bodies of leaves from number `from` on, four warps a leaf: each takes every fourth of the leaves and groups of bodies that
// act.
extern "C" __global__ void __launch_bounds__(128) near_bodies(Tree t, int from) {
    __shared__ real4 tiles[4][LEAF];
#if OWN_SOFTENINGS
    __shared__ real tiles_of_halves[4][LEAF];
    real *halves = tiles_of_halves[threadIdx.x / 32];
#endif
    if (t.report[OVERFLOW]) return;
    const int leaf = from + blockIdx.x, g = t.first_leaf + leaf, w = threadIdx.x / 32, ln = lane();
    const Center center(t, g);
    const real4 own = t.bodies[leaf * LEAF + ln];
#if OWN_SOFTENINGS
    const real own_half = t.halves[leaf * LEAF + ln];
#endif
    const bool any_wide = t.report[WIDE] > 0, own_wide = any_wide && t.lines[g].wide > 0.0f;
    const Given given(t, any_wide ? leaf * LEAF + ln : t.n);
    real4 a = four(real(0), real(0), real(0), real(0));
    real4 *tile = tiles[w];
    Reader cells(t, g, NEAR);
    int page = 0;
    for (int k = w; k < cells.count; k += 4) {
        for (; page < k / PAGE; page++) cells.page = t.links[cells.page];
        const int source = t.pages[(size_t)cells.page * PAGE + k % PAGE];
        if (any_wide && (own_wide || t.lines[source].wide > 0.0f)) {
            act_exactly(t, given, Given(t, (source - t.first_leaf) * LEAF + ln), -1, a);
            continue;
        }
        const Step d = center.from(t, source);
        real4 b = t.bodies[(source - t.first_leaf) * LEAF + ln];
        b.x -= d.x; b.y -= d.y; b.z -= d.z;
        __syncwarp();
        tile[ln] = b;
#if OWN_SOFTENINGS
        halves[ln] = t.halves[(source - t.first_leaf) * LEAF + ln];
#endif
        __syncwarp();
#pragma unroll 8
        for (int j = 0; j < LEAF; j++) pair(tile[j], own.x, own.y, own.z, SOFT2_OF(t, own_half, halves[j]), a);
    }
    Reader bodies(t, g, NEAR_BODIES);
    page = 0;
    for (int k = 32 * w; k < bodies.count; k += 4 * 32) {
        for (; page < k / PAGE; page++) bodies.page = t.links[bodies.page];
        real4 b = four(real(1), real(1), real(1), real(0));
        const int slot = k + ln < bodies.count ? t.pages[(size_t)bodies.page * PAGE + (k + ln) % PAGE] : t.n;
        if (any_wide) {
            act_exactly(t, given, Given(t, slot), -1, a);
            continue;
        }
        if (slot < t.n) {
            const Step d = center.from(t, t.first_leaf + slot / LEAF);
            b = t.bodies[slot];
            b.x -= d.x; b.y -= d.y; b.z -= d.z;
        }
        __syncwarp();
        tile[ln] = b;
#if OWN_SOFTENINGS
        halves[ln] = slot < t.n ? t.halves[slot] : (real)t.base;
#endif
        __syncwarp();
#pragma unroll 8
        for (int j = 0; j < LEAF; j++) pair(tile[j], own.x, own.y, own.z, SOFT2_OF(t, own_half, halves[j]), a);
    }
    // the leaf's own bodies, each without itself
    __syncwarp();
    tile[ln] = own;
#if OWN_SOFTENINGS
    halves[ln] = own_half;
#endif
    __syncwarp();
#pragma unroll
    for (int k = 0; k < LEAF / 4; k++) {
        const int j = 4 * k + w;
        real4 b = tile[j];
        if (j == ln && !SELF) b.w = real(0);
        if (!own_wide) pair(b, own.x, own.y, own.z, SOFT2_OF(t, own_half, halves[j]), a);
    }
    if (own_wide && w == 0) act_exactly(t, given, given, SELF ? -1 : ln, a);
    __syncwarp();
    tile[ln] = a;
    __syncthreads();
    if (w == 0) {
        for (int k = 1; k < 4; k++) {
            const real4 b = tiles[k][ln];
            a.x += b.x; a.y += b.y; a.z += b.z; a.w += b.w;
        }
        t.near[leaf * LEAF + ln] = a;
        t.single[leaf * LEAF + ln] = four(real(0), real(0), real(0), real(0));
    }
}

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
        const real own_half = t.halves[slot];
#endif
        const bool any_wide = t.report[WIDE] > 0;
        const Given given(t, any_wide ? slot : t.n);
        real4 a = four(real(0), real(0), real(0), real(0));
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
                real to[4] = {real(0), real(0), real(0), real(0)};
#if !LAW
                if (how == HARMONIC) {
                    real M[FOLDED];
                    load_record<FOLDED>(t.folded + (size_t)source * t.folded_stride, M);
                    at_place_far(x, y, z, w, M, to);
                } else
#endif
                {
                    real M[MOMENTS];
                    load_record<MOMENTS>(t.moments + (size_t)source * t.moments_stride, M);
                    at_place(x, y, z, w, M, to);
#if OWN_SOFTENINGS
                    if (how == DIFFERENT) {
                        take_products(t, source, M);
                        at_place_1(x, y, z, w, (real)(0.5 * t.difference) * per_unit * per_unit, M, to);
                    }
#endif
                }
                const real slope = SLOPE_OF(per_unit);
                a.x = m_fma(to[0], slope, a.x);
                a.y = m_fma(to[1], slope, a.y);
                a.z = m_fma(to[2], slope, a.z);
                a.w = m_fma(to[3], VALUE_OF(per_unit), a.w);
            }
            for (u32 left = __ballot_sync(FULL, leaf_of); left; left &= left - 1) {
                const int other = __shfl_sync(FULL, source, __ffs(left) - 1);
                if (any_wide) {
                    const Given b(t, (other - t.first_leaf) * LEAF + ln);
                    const real w = SOFT2_OF(t, given.half, b.half);
                    act((real)(b.x - given.x), (real)(b.y - given.y), (real)(b.z - given.z), b.m, w, a);
                    continue;
                }
                const Step d = center.from(t, other);
                real4 b = t.bodies[(other - t.first_leaf) * LEAF + ln];
                b.x -= d.x; b.y -= d.y; b.z -= d.z;
                pair(b, own.x, own.y, own.z, SOFT2_OF(t, own_half, t.halves[(other - t.first_leaf) * LEAF + ln]), a);
            }
            __syncwarp();
        }
        a.x = warp_sum(a.x); a.y = warp_sum(a.y); a.z = warp_sum(a.z); a.w = warp_sum(a.w);
        if (ln == 0) t.single[slot] = a;
    }
}

// Adds everything up for the slots from to end - 1: in the order of the bodies, or of the slots where other devices need it.
extern "C" __global__ void __launch_bounds__(128) finish(Tree t, int from, int end, int by_slots) {
    const int slot = from + blockIdx.x * 128 + threadIdx.x;
    if (slot >= end || slot >= t.n || t.report[OVERFLOW]) return;
#if OWN_SOFTENINGS
    const real difference = difference_of(t, t.halves[slot]);
#else
    const real difference = real(0);
#endif
    const real4 far = expanded(t, slot / LEAF, t.bodies[slot], difference), near = t.near[slot], one = t.single[slot];
    const real4 all = four(near.x + one.x + far.x, near.y + one.y + far.y, near.z + one.z + far.z, near.w + one.w + far.w);
    if (by_slots) t.near[slot] = all;
    else t.out[t.order[slot]] = all;
}

// Puts what slots have into the order of the bodies.
extern "C" __global__ void __launch_bounds__(128) order_by_bodies(Tree t) {
    const int slot = blockIdx.x * 128 + threadIdx.x;
    if (slot < t.n) t.out[t.order[slot]] = t.near[slot];
}
