// Cells: leaves from bodies, cells from their children, with their moments (moments.cuh). A warp makes a leaf, eight lanes a cell.

static __device__ __forceinline__ float unit_of(float radius) {
    // a power of two that is not smaller; with a least one, so that powers of the ratio of units stay in range, and where
    // bodies have softenings of their own the seventh power of its ratio to a distance
    const float least = REAL_IS_DOUBLE ? 0x1p-48f : OWN_SOFTENINGS ? 0x1p-16f : 0x1p-30f;
    int exponent;
    const float digits = frexpf(fmaxf(radius, least), &exponent);
    return ldexpf(1.0f, digits == 0.5f ? exponent - 1 : exponent);
}

#define OUTWARD 1.000001f
// radius over distance up to which 12 digits of the distance are right
#define DISTANCES (REAL_IS_DOUBLE ? 0x1p41 : 0x1p12)
#define OUTER 1.3f

static __device__ __forceinline__ void write_line(
    const Tree &t, int g, const double *center, double mass, float radius, float unit, float effective, bool wide, float half,
    float range) {
    float4 *to = (float4 *)(t.lines + g);
    const float x = (float)center[0], y = (float)center[1], z = (float)center[2];
    to[0] = make_float4(x, y, z, radius * OUTWARD);
    to[1] = make_float4((float)(center[0] - x), (float)(center[1] - y), (float)(center[2] - z), (float)mass);
    to[2] = make_float4(fminf(effective, radius * OUTWARD), 1.0f, unit, wide ? 1.0f : 0.0f);
#if OWN_SOFTENINGS
    to[3] = make_float4(half, range * OUTWARD, 0.0f, 0.0f);
#endif
    Place place;
    place.x = center[0]; place.y = center[1]; place.z = center[2]; place.mass = mass;
    t.places[g] = place;
}

static __device__ __forceinline__ void write_absent(const Tree &t, int g) {
    float4 *to = (float4 *)(t.lines + g);
    to[0] = make_float4(0.0f, 0.0f, 0.0f, -1.0f);
    to[1] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    to[2] = make_float4(0.0f, __int_as_float(0x7f800000), 1.0f, 0.0f);
#if OWN_SOFTENINGS
    to[3] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#endif
}

// The effective radius of moments; that of laws comes with their weights (law.cu).
static __device__ __forceinline__ float effective_of(const real *M, double mass, float unit, double spread) {
#if LAW
    return 0.0f;
#else
    if (ORDER > 2) return mass > 0.0 ? unit * (float)effective(M, (real)mass) : 0.0f;
    return OUTER * (mass > 0.0 ? (float)sqrt(spread / mass) : 0.0f);
#endif
}

extern "C" __global__ void __launch_bounds__(128) make_leaves(Tree t) {
    const int leaf = blockIdx.x * 4 + threadIdx.x / 32, ln = lane();
    if (leaf >= t.leaves) return;
    const int slot = leaf * LEAF + ln, g = t.first_leaf + leaf;
    const bool here = slot < t.n;
    const u32 k = here ? t.order[slot] : 0;
    const double q[3] = {here ? t.x[k] : 0.0, here ? t.y[k] : 0.0, here ? t.z[k] : 0.0};
    const double m = here ? t.mass[k] : 0.0, size = fabs(m);
    const double mass = warp_sum(size), count = warp_sum(here ? 1.0 : 0.0);
    double center[3];
    Box box;
    for (int d = 0; d < 3; d++) {
        const double weighted = warp_sum(size * q[d]), plain = warp_sum(q[d]);
        center[d] = mass > 0.0 ? weighted / mass : plain / count;
        box.low[d] = warp_min(here ? q[d] : 1e300);
        box.high[d] = warp_max(here ? q[d] : -1e300);
    }
    const double dx = here ? q[0] - center[0] : 0.0, dy = here ? q[1] - center[1] : 0.0,
                 dz = here ? q[2] - center[2] : 0.0;
    const double r2 = dx * dx + dy * dy + dz * dz;
    const float radius = (float)sqrt(warp_max(r2));
    box.spread = warp_sum(size * r2);
    // so wide that bodies' distances are not right in numbers relative to its centre: bodies at one place must stay there
    double to_next = 0.0;
    for (int d = 0; d < 3; d++) {
        const double step = __shfl_down_sync(FULL, q[d], 1) - q[d];
        to_next += step * step;
    }
    const double closest = sqrt(warp_min(ln < 31 && slot + 1 < t.n ? to_next : 1e300));
    const bool wide = radius > closest * DISTANCES;
    t.bodies[slot] = four((real)dx, (real)dy, (real)dz, (real)m);
    const float unit = unit_of(radius * OUTWARD);
    const real per_unit = real(1) / (real)unit;
    ROOM_FOR_MOMENTS(M);
    float half = 0.0f, range = 0.0f;
#if OWN_SOFTENINGS
    const double h = here ? t.own[k] : t.base;
    const double all_halves = warp_sum(size * h), plain_halves = warp_sum(here ? h : 0.0);
    half = (float)(mass > 0.0 ? all_halves / mass : plain_halves / count);
    range = warp_max(here ? (float)fabs(h - (double)half) : 0.0f);
    t.own_of_slots[slot] = (real)h;
    // moments of products with differences
    moments_of_bodies((real)dx * per_unit, (real)dy * per_unit, (real)dz * per_unit, (real)(m * ((h - t.base) / t.difference)), M,
                      t.moments + (size_t)g * t.moments_stride + SECOND_MOMENTS(t));
#endif
    for (int charge = 0; charge < CHARGES; charge++) {
#if LAW
        const real charge_of_body = here ? (real)t.own[(size_t)k * CHARGES + charge] : real(0);
        t.own_of_slots[(size_t)slot * CHARGES + charge] = charge_of_body;
#else
        const real charge_of_body = (real)m;
#endif
        moments_of_bodies((real)dx * per_unit, (real)dy * per_unit, (real)dz * per_unit, charge_of_body, M, MOMENTS_OF(t, g, charge));
    }
    write_spherical(t, g, M, ln, 32);
    if (ln == 0) {
        write_line(t, g, center, mass, radius, unit, effective_of(M, mass, unit, box.spread), wide, half, range);
        t.boxes[g] = box;
        if (wide) atomicAdd(t.report + WIDE, 1u);
    }
}

static __device__ __forceinline__ double eight_sum(double v) {
    for (int o = 1; o < 8; o <<= 1) v += __shfl_xor_sync(FULL, v, o);
    return v;
}
static __device__ __forceinline__ double eight_max(double v) {
    for (int o = 1; o < 8; o <<= 1) v = max(v, __shfl_xor_sync(FULL, v, o));
    return v;
}

// The cells first to first + count - 1; their children end before `end`.
extern "C" __global__ void __launch_bounds__(128) make_cells(Tree t, int first, int count, int end) {
    const int at = (blockIdx.x * 128 + threadIdx.x) / LANES_OF_CELL, sub = threadIdx.x & 7;
    const bool is_cell = at < count;
    const int g = first + (is_cell ? at : count - 1), child = CHILDREN * g + 1 + sub;
    const bool here = child < end;
    Place p;
    p.x = p.y = p.z = p.mass = 0.0;
    Box box;
    for (int d = 0; d < 3; d++) box.low[d] = 1e300, box.high[d] = -1e300;
    box.spread = 0.0;
    float radius = 0.0f, unit = 1.0f;
    if (here) {
        p = t.places[child];
        box = t.boxes[child];
        radius = t.lines[child].radius;
        unit = t.lines[child].unit;
    } else if (is_cell) {
        write_absent(t, child);
    }
    const double mass = eight_sum(p.mass), children = eight_sum(here ? 1.0 : 0.0);
    const double q[3] = {p.x, p.y, p.z};
    double center[3], corner = 0.0, off2 = 0.0, off[3];
    for (int d = 0; d < 3; d++) {
        const double weighted = eight_sum(p.mass * q[d]), plain = eight_sum(here ? q[d] : 0.0);
        center[d] = mass > 0.0 ? weighted / mass : plain / children;
        box.low[d] = -eight_max(-box.low[d]);
        box.high[d] = eight_max(box.high[d]);
        const double most = max(box.high[d] - center[d], center[d] - box.low[d]);
        corner += most * most;
        off[d] = here ? q[d] - center[d] : 0.0;
        off2 += off[d] * off[d];
    }
    const double farthest = eight_max(here ? sqrt(off2) + radius : 0.0);
    const float all = (float)min(farthest, sqrt(corner));
    box.spread = eight_sum(here ? box.spread + p.mass * off2 : 0.0);
    const float own = unit_of(all * OUTWARD);
    const real per_unit = real(1) / (real)own;
    float half = 0.0f, range = 0.0f;
#if OWN_SOFTENINGS
    const float half_of = here ? t.lines[child].half : 0.0f, range_of = here ? t.lines[child].range : 0.0f;
    const double all_halves = eight_sum(p.mass * half_of), plain_halves = eight_sum(half_of);
    half = (float)(mass > 0.0 ? all_halves / mass : plain_halves / children);
    range = (float)eight_max(here ? range_of + fabs((double)half_of - half) : 0.0);
#endif
    ROOM_FOR_MOMENTS(M);
    hand_up(t, g, child, here, is_cell, off, unit, per_unit, M);
    if (is_cell && lane_of_cell() == 0) {
        write_line(t, g, center, mass, all, own, effective_of(M, mass, own, box.spread), false, half, range);
        t.boxes[g] = box;
    }
}
