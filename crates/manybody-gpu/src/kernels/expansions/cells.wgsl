// Cells: leaves from bodies, cells from their children, with their moments. A workgroup makes a leaf, eight threads a cell.
// Places are numbers relative to one body or child, and relative to the centre once it is known.

const OUTWARD: f32 = 1.000002f;
// radius over distance up to which 12 digits of the distance are right
const DISTANCES: f32 = 4096.0f;
const OUTER: f32 = 1.3f;

// a power of two that is not smaller; with a least one, so that powers of the ratio of units stay in range, and where bodies have
// softenings of their own the seventh power of its ratio to a distance
const LEAST: f32 = select(9.3132257e-10f, 1.52587890625e-05f, OWN == 1u);
fn unit_of(radius: f32) -> f32 {
    return bitcast<f32>((bitcast<u32>(max(radius, LEAST)) + 0x7fffffu) & 0x7f800000u);
}

fn write_line(g: u32, center: Pair, mass: f32, radius: f32, unit: f32, effective: f32, wide: bool,
              soft: vec2<f32>) {
    let outward = radius * OUTWARD;
    lines[g * QUADS] = vec4(center.high, outward);
    lines[g * QUADS + 1u] = vec4(center.low, mass);
    lines[g * QUADS + 2u] = vec4(min(effective, outward), 1.0f, unit, select(0.0f, 1.0f, wide));
    if (OWN == 1u) {
        lines[g * QUADS + 5u] = vec4(soft.x, soft.y * OUTWARD, 0.0f, 0.0f);
    }
}
// the box about the centre, and the root mean square distance from it
fn write_box(g: u32, low: vec3<f32>, high: vec3<f32>, rms: f32) {
    lines[g * QUADS + 3u] = vec4(low, rms);
    lines[g * QUADS + 4u] = vec4(high, 0.0f);
}
fn write_absent(g: u32) {
    lines[g * QUADS] = vec4(0.0f, 0.0f, 0.0f, -1.0f);
    lines[g * QUADS + 1u] = vec4(0.0f);
    lines[g * QUADS + 2u] = vec4(0.0f, MOST, 1.0f, 0.0f);
    if (OWN == 1u) {
        lines[g * QUADS + 5u] = vec4(0.0f);
    }
}
$POWER_OF_MOMENTS// of eight numbers the sums over all threads, or the largest
fn of_all(t: u32, is_sum: bool, v: array<f32, 8>) -> array<f32, 8> {
    for (var k = 0u; k < 8u; k++) {
        part[k * 33u + t] = v[k];
    }
    workgroupBarrier();
    if (t < 8u) {
        var all = part[t * 33u];
        for (var j = 1u; j < 32u; j++) {
            let next = part[t * 33u + j];
            all = select(max(all, next), all + next, is_sum);
        }
        part[t * 33u + 32u] = all;
    }
    workgroupBarrier();
    var to: array<f32, 8>;
    for (var k = 0u; k < 8u; k++) {
        to[k] = part[k * 33u + 32u];
    }
    workgroupBarrier();
    return to;
}

@compute @workgroup_size(32)
fn make_leaves(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
               @builtin(local_invocation_index) t: u32) {
    let leaf = number(group, groups);
    if (leaf >= tree.leaves) {
        return;
    }
    let slot = leaf * LEAF + t;
    let g = tree.first_leaf + leaf;
    let here = slot < tree.n;
    // those beyond the end stand where the first one is
    let k = keys[tree.order + select(leaf * LEAF, slot, here)];
    let first = keys[tree.order + leaf * LEAF];
    let high = bodies[2u * k];
    let low_and_half = bodies[2u * k + 1u];
    let low = low_and_half.xyz;
    let first_high = bodies[2u * first].xyz;
    let first_low = bodies[2u * first + 1u].xyz;
    let m = select(0.0f, high.w, here);
    let size = abs(m);
    let q = (high.xyz - first_high) + (low - first_low);
    let weighted = size * q;
    let one = select(0.0f, 1.0f, here);
    let sums = of_all(t, true, array<f32, 8>(size, one, weighted.x, weighted.y, weighted.z, q.x, q.y, q.z));
    let mass = sums[0];
    var mean = vec3(sums[5], sums[6], sums[7]) / sums[1];
    if (mass > 0.0f) {
        mean = vec3(sums[2], sums[3], sums[4]) / mass;
    }
    let center = moved(first_high, first_low, mean);
    let d = (high.xyz - center.high) + (low - center.low);
    // distances of consecutive bodies: so wide a leaf that they are not right in numbers relative to its centre
    let next_k = keys[tree.order + select(leaf * LEAF, slot + 1u, slot + 1u < tree.n && t < 31u)];
    let next = abs((bodies[2u * next_k].xyz - high.xyz) + (bodies[2u * next_k + 1u].xyz - low));
    let to_next = select(MOST, max(next.x, max(next.y, next.z)), slot + 1u < tree.n && t < 31u);
    let ends = of_all(t, false, array<f32, 8>(-d.x, -d.y, -d.z, d.x, d.y, d.z, -to_next, 0.0f));
    let box_low = -vec3(ends[0], ends[1], ends[2]);
    let box_high = vec3(ends[3], ends[4], ends[5]);
    let corner = max(abs(box_low), abs(box_high));
    // squares stay in range relative to this
    let scale = max(corner.x, max(corner.y, corner.z));
    let per_scale = select(0.0f, 1.0f / scale, scale > 1e-37f);
    let near = d * per_scale;
    let r2 = dot(near, near);
    let farthest = of_all(t, false, array<f32, 8>(r2, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f));
    let squares = of_all(t, true, array<f32, 8>(size * r2, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f));
    let radius = scale * sqrt(farthest[0]);
    let rms = select(0.0f, scale * sqrt(squares[0] / mass), mass > 0.0f);
    let wide = radius > -ends[6] * DISTANCES;
    slots[slot] = vec4(d, m);
    let unit = unit_of(radius * OUTWARD);
    let per_unit = 1.0f / unit;
    var M: array<f32, MOMENTS>;
    var soft = vec2(0.0f);
    if (OWN == 1u) {
        let half = select(tree.base, low_and_half.w, here);
        // relative to one number for all: the sums keep the digits of differences
        let off = half - tree.base;
        let means = of_all(t, true, array<f32, 8>(size * off, one * off, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f));
        soft.x = tree.base + select(means[1] / sums[1], means[0] / mass, mass > 0.0f);
        let range = of_all(t, false, array<f32, 8>(one * abs(half - soft.x), 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f));
        soft.y = range[0];
        slots[own_in_slots(slot)] = vec4(half, 0.0f, 0.0f, 0.0f);
        // moments of products with differences from the mean
        of_body(d.x * per_unit, d.y * per_unit, d.z * per_unit, m * ((half - soft.x) * tree.per_difference), &M);
        gather_moments(t, &M);
        take_moments(0u, &M);
        store_moments(t, 32u, record(g) + tree.second_moments, &M);
        workgroupBarrier();
    }
    if (LAW == 1u) {
        for (var quad = 0u; quad < OWN_QUADS; quad++) {
            slots[own_in_slots(slot) + quad] = select(vec4(0.0f), bodies[2u * tree.n + k * OWN_QUADS + quad], here);
        }
    }
    for (var charge = 0u; charge < CHARGES; charge++) {
        var of_charge = m;
        if (LAW == 1u) {
            of_charge = select(0.0f, bodies[2u * tree.n + k * OWN_QUADS + charge / 4u][charge % 4u], here);
        }
        set_moments(&M);
        of_body(d.x * per_unit, d.y * per_unit, d.z * per_unit, of_charge, &M);
        gather_moments(t, &M);
        take_moments(0u, &M);
        store_moments(t, 32u, record(g) + charge * tree.second_moments, &M);
        workgroupBarrier();
    }
    write_spherical(t, 32u, g, &M);
    if (t == 0u) {
        write_line(g, center, mass, radius, unit, power_of(&M, mass, unit, rms), wide, soft);
        write_box(g, box_low, box_high, rms);
        if (wide) {
            atomicAdd(&counters[WIDE], 1u);
        }
    }
}

var<workgroup> of_eight: array<f32, 32>;

// of a number the sum over the eight threads of a cell, or the largest
fn eight(t: u32, is_sum: bool, v: f32) -> f32 {
    of_eight[t] = v;
    workgroupBarrier();
    let first = t / 8u * 8u;
    var all = of_eight[first];
    for (var j = 1u; j < 8u; j++) {
        let next = of_eight[first + j];
        all = select(max(all, next), all + next, is_sum);
    }
    workgroupBarrier();
    return all;
}
fn eight_sum(t: u32, v: f32) -> f32 {
    return eight(t, true, v);
}
fn eight_most(t: u32, v: f32) -> f32 {
    return eight(t, false, v);
}

// The cells of a call: the first one, their number, and where their children end.
@compute @workgroup_size(32)
fn make_cells(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
              @builtin(local_invocation_index) t: u32) {
    let of_group = number(group, groups);
    if (4u * of_group >= tree.call.y) {
        return;
    }
    let at = 4u * of_group + t / 8u;
    let sub = t % 8u;
    let is_cell = at < tree.call.y;
    let g = tree.call.x + select(tree.call.y - 1u, at, is_cell);
    let eldest = CHILDREN * g + 1u;
    let child = eldest + sub;
    let here = child < tree.call.z;
    let source = select(eldest, child, here);
    let own = line_of(source);
    let first = line_of(eldest);
    let low = lines[source * QUADS + 3u];
    let high = lines[source * QUADS + 4u].xyz;
    if (!here && is_cell) {
        write_absent(child);
    }
    let one = select(0.0f, 1.0f, here);
    let size = select(0.0f, own.low.w, here);
    let q = ((own.high.xyz - first.high.xyz) + (own.low.xyz - first.low.xyz)) * one;
    let mass = eight_sum(t, size);
    let children = eight_sum(t, one);
    let weighted = vec3(eight_sum(t, size * q.x), eight_sum(t, size * q.y), eight_sum(t, size * q.z));
    let plain = vec3(eight_sum(t, q.x), eight_sum(t, q.y), eight_sum(t, q.z));
    var mean = plain / children;
    if (mass > 0.0f) {
        mean = weighted / mass;
    }
    let center = moved(first.high.xyz, first.low.xyz, mean);
    let off = (own.high.xyz - center.high) + (own.low.xyz - center.low);
    let lower = off + low.xyz;
    let upper = off + high;
    let box_low = -vec3(eight_most(t, -lower.x), eight_most(t, -lower.y), eight_most(t, -lower.z));
    let box_high = vec3(eight_most(t, upper.x), eight_most(t, upper.y), eight_most(t, upper.z));
    let corner = max(abs(box_low), abs(box_high));
    let scale = max(corner.x, max(corner.y, corner.z));
    let per_scale = select(0.0f, 1.0f / scale, scale > 1e-37f);
    let near = off * per_scale;
    let farthest = eight_most(t, scale * sqrt(dot(near, near)) + own.high.w);
    let all = min(farthest, scale * sqrt(dot(corner * per_scale, corner * per_scale)));
    let child_rms = low.w * per_scale;
    let spread = eight_sum(t, size * (child_rms * child_rms + dot(near, near)));
    let rms = select(0.0f, scale * sqrt(spread / mass), mass > 0.0f);
    let unit = unit_of(all * OUTWARD);
    let per_unit = 1.0f / unit;
    var M: array<f32, MOMENTS>;
    var soft = vec2(0.0f);
    if (OWN == 1u) {
        let off_base = own.soft.x - tree.base;
        let weighted_soft = eight_sum(t, size * off_base);
        let plain_soft = eight_sum(t, one * off_base);
        soft.x = tree.base + select(plain_soft / children, weighted_soft / mass, mass > 0.0f);
        soft.y = eight_most(t, one * (own.soft.y + abs(own.soft.x - soft.x)));
    }
    hand_up(t, g, source, here, is_cell, off * per_unit, own.more.z * per_unit, own.soft.x - soft.x, &M);
    if (is_cell && sub == 0u) {
        write_line(g, center, mass, all, unit, power_of(&M, mass, unit, rms), false, soft);
        write_box(g, box_low, box_high, rms);
    }
}
