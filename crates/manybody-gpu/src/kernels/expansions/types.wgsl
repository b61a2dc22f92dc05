// What the kernels of expansions share: the twin of types.cuh, without f64: a place is a pair of f32, of which the second holds
// what the first lacks. A workgroup of 32 threads does what a warp does there.
// A cell g has the children 8 g + 1 to 8 g + 8; the root is 0. Leaves are all of one level: equal pieces of the order of the
// bodies. A child that is not there has a negative radius.

alias real = f32;

const LEAF: u32 = 32u;
const CHILDREN: u32 = 8u;
const PAGE: u32 = 128u;
const SEGMENTS: u32 = 32u;
const LISTS: u32 = 7u;
// lists of a cell, as types.cuh has them; then what is opened or divided into bodies at once, and what is not listed
const FAR: u32 = 0u;
const NEAR: u32 = 1u;
const FAR_BODIES: u32 = 2u;
const NEAR_BODIES: u32 = 3u;
const SMALL: u32 = 4u;
const SOFT: u32 = 5u;
const UNLIKE: u32 = 6u;
const OPEN: u32 = 7u;
const LARGE: u32 = 8u;
const NOT_LISTED: u32 = 9u;
// counters: pages in use of each segment, then what a report has
const OVERFLOW: u32 = 32u;
const SPARSE: u32 = 33u;
const CLASHES: u32 = 34u;
const WIDE: u32 = 35u;
// whether bodies have softenings of their own
const OWN: u32 = $OWNu;
// whether their softening is the spline
const SPLINE: u32 = $SPLINEu;
// whether cells have second expansions: the spline has nothing of these
const SECOND_EXPANSIONS: u32 = OWN * (1u - SPLINE);
// whether a law is computed instead of gravity, of which `soft2` is the square of the unit of length; whether a body acts on itself
const LAW: u32 = $LAWu;
const SELF: u32 = $SELFu;
// numbers of four in the lines of a cell
const QUADS: u32 = 5u + OWN;
// numbers of four that slots have of their own: half the square of a softening, or the charges of a law
const OWN_QUADS: u32 = (CHARGES + 3u) / 4u;
// whether jerks are computed; numbers that a body acts with by those, or by a law; numbers of four of a result
const JERKS: u32 = $JERKSu;
const ACTING: u32 = CHARGES + 2u * JERKS;
const RESULT_QUADS: u32 = EXPANSIONS + JERKS;
const MOST: f32 = 3.0e38f;

struct Tree {
    n: u32, leaves: u32, first_leaf: u32, segment: u32,
    // numbers of four: from the beginning of a cell's record to its spherical moments, its expansion, and the end
    spherical: u32, locals: u32, stride: u32, least: u32,
    angle2: f32, tolerance: f32, units: f32, unit2: f32,
    soft2: f32, floor: f32, mutual: u32, by_angle: u32,
    // where parts of `pages`, `slots` and `keys` begin
    links: u32, heads: u32, sparse: u32, slots: u32,
    order: u32, zero: u32,
    // of softenings of the bodies' own, half squares: what differences are taken from, and one over the largest
    base: f32, per_difference: f32,
    // numbers of four to the second moments and the second expansion in a cell's record, of a law from those of a charge or
    // an expansion to the next; half the largest difference
    second_moments: u32, second_locals: u32, half_difference: f32, rows: u32, // rows of a law's table, which is behind the records
    last: i32,                         // the logarithm of the table's largest distance, in eighths of a factor of two
    rates: u32, moving: u32,           // numbers of four to the records of rates, and of slots to what jerks need
    unused: u32,
    call: vec4<u32>,                   // the numbers of a launch
    level_first: array<vec4<u32>, 3>,  // cells of each level; 0 beyond the last one
    level_count: array<vec4<u32>, 3>,
}

@group(0) @binding(0) var<storage, read> bodies: array<vec4<f32>>;           // of each body: place and mass; what the place lacks, and half the square of its own softening, or of a law how much is allowed there; then the charges of each, or their velocities
@group(0) @binding(1) var<storage, read_write> slots: array<vec4<f32>>;      // of each slot: from the leaf's centre, and mass, or the size of its charges; then what is near; then one by one, both for each expansion; then half the squares of softenings of their own, or charges; where jerks are computed, then velocity, and jerks by what is near and one by one
@group(0) @binding(2) var<storage, read_write> lines: array<vec4<f32>>;      // of each cell
@group(0) @binding(3) var<storage, read_write> numbers: array<vec4<f32>>;    // of each cell: moments, spherical moments, expansion, of softenings of the bodies' own second moments and a second expansion (of a law moments of each charge, in place of spherical ones those of charges along the separation, and all expansions); then the same of rates; then the root mean square of the least accelerations
@group(0) @binding(4) var<storage, read_write> counters: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> pages: array<u32>;            // pages, links, heads of lists, sparse leaves
@group(0) @binding(6) var<storage, read_write> keys: array<u32>;
@group(0) @binding(7) var<storage, read_write> result: array<f32>;           // [3 or 4][n], with jerks 8, of a law 4 for each expansion
@group(0) @binding(8) var<uniform> tree: Tree;

// What the tests need of a cell or body: place and radius; what the place lacks, and sum |m|; effective radius, least acceleration, unit,
// and whether its bodies' distances are not right relative to its centre; of softenings of the bodies' own, the mean of half their
// squares, and the largest difference from it.
struct Line { high: vec4<f32>, low: vec4<f32>, more: vec4<f32>, soft: vec2<f32> }

fn line_of(g: u32) -> Line {
    return Line(lines[g * QUADS], lines[g * QUADS + 1u], lines[g * QUADS + 2u], softness_of(g));
}
fn softness_of(g: u32) -> vec2<f32> {
    if (OWN == 1u) {
        return lines[g * QUADS + 5u].xy;
    }
    return vec2(0.0f);
}
fn half_of_slot(slot: u32) -> f32 {
    if (OWN == 1u) {
        return slots[own_in_slots(slot)].x;
    }
    return 0.0f;
}
// where slots have what is near, what comes one by one, and what is their own
fn near_in_slots(slot: u32) -> u32 {
    return tree.slots + slot * EXPANSIONS;
}
fn single_in_slots(slot: u32) -> u32 {
    return tree.slots * (1u + EXPANSIONS) + slot * EXPANSIONS;
}
fn own_in_slots(slot: u32) -> u32 {
    return tree.slots * (1u + 2u * EXPANSIONS) + slot * OWN_QUADS;
}
// where slots have a part of what is near, and of what comes one by one
fn near_part(slot: u32, e: u32) -> u32 {
    return select(near_in_slots(slot) + e, tree.moving + 3u * slot + 1u, JERKS == 1u && e == 1u);
}
fn single_part(slot: u32, e: u32) -> u32 {
    return select(single_in_slots(slot) + e, tree.moving + 3u * slot + 2u, JERKS == 1u && e == 1u);
}
// A body's charges by a law; where jerks are computed, its velocity.
fn charges_of_slot(slot: u32) -> array<f32, ACTING> {
    var to: array<f32, ACTING>;
    if (JERKS == 1u) {
        for (var k = 0u; k < ACTING; k++) {
            to[k] = slots[tree.moving + 3u * slot][k];
        }
    }
    if (LAW == 1u) {
        for (var k = 0u; k < CHARGES; k++) {
            to[k] = slots[own_in_slots(slot) + k / 4u][k % 4u];
        }
    }
    return to;
}
// The square of the softening of two bodies, or of cells, of which these are the halves.
fn soft2_of(own: f32, other: f32) -> f32 {
    return select(tree.soft2, own + other, OWN == 1u);
}
// What expansions in a unit have of it: of the spline nothing, of a law the square of the unit. What their gradients and values are
// multiplied by.
fn soft2_in(own: f32, other: f32, unit: f32, per_unit: f32) -> f32 {
    if (LAW == 1u) {
        return tree.soft2 * unit * unit;
    }
    return select(soft2_of(own, other) * per_unit * per_unit, 0.0f, SPLINE == 1u);
}
fn slope_of(per_unit: f32) -> f32 {
    return select(-(per_unit * per_unit), per_unit, LAW == 1u);
}
fn value_of(per_unit: f32) -> f32 {
    return select(per_unit, 1.0f, LAW == 1u);
}
// A half's difference, in units of the largest.
fn difference_of(half: f32) -> f32 {
    return (half - tree.base) * tree.per_difference;
}
fn unit_at(g: u32) -> f32 {
    return lines[g * QUADS + 2u].z;
}
fn record(g: u32) -> u32 {
    return g * tree.stride$RECORD;
}
// the number of a workgroup
fn number(group: vec3<u32>, groups: vec3<u32>) -> u32 {
    return group.y * groups.x + group.x;
}
// from another cell's centre to a cell's
fn step(g: u32, other: u32) -> vec3<f32> {
    let a = lines[g * QUADS];
    let b = lines[other * QUADS];
    let al = lines[g * QUADS + 1u];
    let bl = lines[other * QUADS + 1u];
    return (a.xyz - b.xyz) + (al.xyz - bl.xyz);
}
fn m_fma(a: f32, b: f32, c: f32) -> f32 {
    return fma(a, b, c);
}
fn m_rsqrt(x: f32) -> f32 {
    return inverseSqrt(x);
}
fn m_where(c: bool, a: f32, b: f32) -> f32 {
    return select(b, a, c);
}
// hides from the compiler that (a + b) - a is nearly b
fn opaque(x: vec3<f32>) -> vec3<f32> {
    return bitcast<vec3<f32>>(bitcast<vec3<u32>>(x) ^ vec3(tree.zero));
}
struct Pair { high: vec3<f32>, low: vec3<f32> }
fn two_sum(a: vec3<f32>, b: vec3<f32>) -> Pair {
    let s = opaque(a + b);
    let v = opaque(s - a);
    return Pair(s, (a - opaque(s - v)) + (b - v));
}
// a place and a small step from it
fn moved(high: vec3<f32>, low: vec3<f32>, by: vec3<f32>) -> Pair {
    let s = two_sum(high, by);
    return two_sum(s.high, s.low + low);
}

// What a body of mass m does to another, from which it is at d, with Plummer's softening.
fn act_plummer(d: vec3<f32>, m: f32, soft2: f32, a: vec4<f32>) -> vec4<f32> {
    let s = fma(d.x, d.x, fma(d.y, d.y, fma(d.z, d.z, soft2)));
    let r1 = inverseSqrt(s);
    let mr = m * r1;
    let f = mr * (r1 * r1);
    return vec4(fma(vec3(f), d, a.xyz), select(0.0f, a.w - mr, POTENTIAL == 1u));
}

// A pair of bodies: the force is f times the separation; the potential; and `slope` times `y2`, what f changes by with the distance, over
// it: their product may be beyond the range of f32.
struct Act { f: f32, potential: f32, slope: f32, y2: f32 }

// With the spline, as law/spline.rs has it.
fn by_spline(d: vec3<f32>, m: f32, soft2: f32) -> Act {
    let r2 = fma(d.x, d.x, fma(d.y, d.y, d.z * d.z));
    let of_h = inverseSqrt(soft2 * 7.84f);
    let square = max(r2 * of_h * of_h, 1.0e-30f);
    let per_u = inverseSqrt(square);
    let u = min(square * per_u, 1.0f);
    let v = 1.0f - u;
    let u2 = u * u;
    let v2 = v * v;
    let v4 = v2 * v2;
    let is_inner = u < 0.5f;
    let y = of_h * select(per_u, 1.0f, is_inner);
    let mr = m * y;
    let inner = fma(u2, fma(u, 32.0f, -38.4f), 10.6666667f);
    let outer = fma(v4, fma(v, fma(v, -10.6666667f, 25.6f), -16.0f), 1.0f);
    let f = mr * (y * y) * select(outer, inner, is_inner);
    let falls = select(fma(u * v * u * v, u * v * 64.0f, -3.0f * outer), fma(u, 96.0f, -76.8f), is_inner);
    let deep = fma(u2, fma(u2, fma(u, -6.4f, 9.6f), -5.33333333f), 2.8f);
    let edge = fma(v4 * v, fma(v, 2.13333333f, -3.2f), 1.0f);
    return Act(f, -mr * select(edge, deep, is_inner), mr * (y * y) * falls, y * y);
}

// What a body does with the softening of the bodies.
fn act_softened(d: vec3<f32>, m: f32, soft2: f32, a: vec4<f32>) -> vec4<f32> {
    if (SPLINE == 0u) {
        return act_plummer(d, m, soft2, a);
    }
    let pair = by_spline(d, m, soft2);
    return vec4(fma(vec3(pair.f), d, a.xyz), select(0.0f, a.w + pair.potential, POTENTIAL == 1u));
}

// What is summed at a body: acceleration and potential, or gradient and value of each expansion of a law.
$SUMS
// What a body does to another, from which it is at d: one of mass m, or of a law one with charges of this size; where jerks are
// computed the charges are its velocity.
fn act(d: vec3<f32>, m: f32, charges: array<f32, ACTING>, soft2: f32, a: Sums) -> Sums {
    $ACT
}

$BODY_ACTS// A list that is read: its first page, and how many entries it has.
fn head(g: u32, list: u32) -> vec2<u32> {
    let at = tree.heads + 2u * (g * LISTS + list);
    // what is found of lists that are not whole is not used
    return vec2(pages[at], select(pages[at + 1u], 0u, atomicLoad(&counters[OVERFLOW]) != 0u));
}
// The cell of a workgroup: those of the last level of a call, of which there are most, first.
fn cell_of(of_group: u32) -> u32 {
    var at = of_group;
    var last = tree.call.y;
    for (; last > tree.call.x; last--) {
        let here = tree.level_count[last / 4u][last % 4u];
        if (at < here) {
            break;
        }
        at -= here;
    }
    return tree.level_first[last / 4u][last % 4u] + at;
}
