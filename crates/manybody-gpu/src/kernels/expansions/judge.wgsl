// The line of the body in a slot.
fn body_line(slot: u32) -> Line {
    let leaf = line_of(tree.first_leaf + slot / LEAF);
    let b = slots[slot];
    let there = moved(leaf.high.xyz, leaf.low.xyz, b.xyz);
    return Line(vec4(there.high, 0.0f), vec4(there.low, abs(b.w)), vec4(0.0f, leaf.more.yzw),
                vec2(half_of_slot(slot), 0.0f));
}

// A power of the order.
fn to_the_order(square: f32) -> f32 {
    var power = select(1.0f, sqrt(square), ORDER % 2u == 1u);
    for (var k = 0u; k < ORDER / 2u; k++) {
        power *= square;
    }
    return power;
}

// (s_A + b_B)^2 / R^2 of a source and a sink, and what is cut off where G is harmonic.
fn ratio_of(source: Line, sink: Line, distance: f32, inverse: f32) -> vec2<f32> {
    let s = source.more.x;
    let b = sink.high.w;
    let ratio = max(s, b) / (distance - min(s, b));
    let power = to_the_order(ratio * ratio) * (distance / (distance - (source.high.w + sink.high.w)));
    return vec2((s + b) * (s + b) * inverse, power);
}

const NOT_ACCEPTED: u32 = 0u;
const HARMONIC: u32 = 1u;
const SOFTENED: u32 = 2u;
const DIFFERENT: u32 = 3u;

// The same of a law, by its table.
fn accepts_law(a: Line, b: Line, r2: f32) -> u32 {
    let row = max(tree.last - i32(ceil(4.0f * log2(r2))), 0);
    if (row >= i32(tree.rows)) {
        return NOT_ACCEPTED;
    }
    let lacks = numbers[tree.least + 1u + u32(row)];
    let per_distance = inverseSqrt(r2);
    let ratio = (a.more.x + b.high.w) * per_distance;
    var power = 1.0f;
    for (var k = 0u; k < ORDER; k++) {
        power *= ratio;
    }
    // (degrees from the second on as a geometric series)
    let rest = ratio / (1.0f - ratio);
    let value = ratio * fma(lacks.y, rest, lacks.x);
    let slope = fma(lacks.w, rest, lacks.z) * per_distance;
    return select(NOT_ACCEPTED, SOFTENED, a.low.w * power * (value + slope) <= tree.tolerance * b.more.y);
}

// Whether what is cut off on b and on a is small; `share` is the tolerance times the square of the distance.
fn is_enough(a: Line, b: Line, cut: vec2<f32>, share: f32) -> bool {
    return a.low.w * cut.x <= b.more.y * share && (tree.mutual == 0u || b.low.w * cut.y <= a.more.y * share);
}

// Whether a cell or body acts on another by an expansion, as types.cuh has it.
fn accepts(a: Line, b: Line) -> u32 {
    let d = (a.high.xyz - b.high.xyz) + (a.low.xyz - b.low.xyz);
    let r2 = fma(d.x, d.x, fma(d.y, d.y, d.z * d.z));
    let both = a.high.w + b.high.w;
    let farthest = r2 * tree.unit2;
    let apart = both * both < r2 * tree.angle2 && a.more.z <= tree.units * b.more.z && b.more.z <= tree.units * a.more.z
        && a.more.z * a.more.z <= farthest && b.more.z * b.more.z <= farthest;
    if (!apart) {
        return NOT_ACCEPTED;
    }
    if (LAW == 1u) {
        return select(SOFTENED, accepts_law(a, b, r2), tree.by_angle == 0u);
    }
    let inverse = 1.0f / r2;
    let distance = sqrt(r2);
    let on_b = ratio_of(a, b, distance, inverse);
    let on_a = ratio_of(b, a, distance, inverse);
    var most = min(on_b.y, on_a.y);
    if (tree.by_angle == 0u) {
        let share = tree.tolerance * r2;
        if (!is_enough(a, b, vec2(on_b.y, on_a.y), share)) {
            return NOT_ACCEPTED;
        }
        most = OF_SOFTENED * min(b.more.y * share / a.low.w, a.more.y * share / b.low.w);
    }
    let largest = soft2_of(a.soft.x + a.soft.y, b.soft.x + b.soft.y);
    if (SPLINE == 1u) {
        // bodies that do not overlap are points
        let reach = 2.8f * sqrt(largest) + both;
        return select(NOT_ACCEPTED, HARMONIC, reach * reach < r2);
    }
    let difference = (a.soft.y + b.soft.y) * inverse;
    let soft = 3.0f * largest * inverse;
    if (soft * max(on_b.x, on_a.x) + 1.5f * difference <= OF_LAPLACIAN * most) {
        return HARMONIC;
    }
    let cut = vec2(to_the_order(on_b.x), to_the_order(on_a.x));
    if (tree.by_angle == 0u && !is_enough(a, b, cut, OF_SOFTENED * tree.tolerance * r2)) {
        return NOT_ACCEPTED;
    }
    if (OWN == 0u || 1.5f * difference <= OF_LAPLACIAN * most) {
        return SOFTENED;
    }
    return select(NOT_ACCEPTED, DIFFERENT, 1.875f * (difference * difference) <= OF_LAPLACIAN * most);
}

// The bits of the threads of a workgroup by what each says, or NOT_LISTED for nothing: three sets, so that one is cleared while
// another is read.
var<workgroup> said: array<atomic<u32>, 3 * NOT_LISTED>;
var<private> turn: u32 = 0u;

fn clear_said(t: u32) {
    if (t < 3u * NOT_LISTED) {
        atomicStore(&said[t], 0u);
    }
    workgroupBarrier();
}
fn say(t: u32, what: u32) -> u32 {
    let now = turn * NOT_LISTED;
    turn = (turn + 1u) % 3u;
    if (what < NOT_LISTED) {
        atomicOr(&said[now + what], 1u << t);
    }
    if (t < NOT_LISTED) {
        atomicStore(&said[turn * NOT_LISTED + t], 0u);
    }
    workgroupBarrier();
    return now;
}
fn bits(now: u32, what: u32) -> u32 {
    return atomicLoad(&said[now + what]);
}
fn before(bits: u32, t: u32) -> u32 {
    return countOneBits(bits & ((1u << t) - 1u));
}

const NO_CELL: u32 = 0xffffffffu;

// Cells that are still to be looked at; how many they are is known to each thread.
var<workgroup> stack: array<u32, $STACK>;

// The cell of a thread from the 32 on top, or nothing.
fn from_stack(t: u32, held: u32) -> u32 {
    if (t < min(held, 32u)) {
        return stack[held - 1u - t];
    }
    return NO_CELL;
}

// Puts the children of the cells that threads have said are opened onto the stack; returns how many there are then.
fn onto_stack(t: u32, now: u32, what: u32, source: u32, held: u32) -> u32 {
    let opened = bits(now, OPEN);
    if (what == OPEN) {
        let to = held + CHILDREN * before(opened, t);
        for (var q = 0u; q < CHILDREN; q++) {
            if (to + q < $STACKu) {
                stack[to + q] = CHILDREN * source + 1u + q;
            }
        }
    }
    let all = held + CHILDREN * countOneBits(opened);
    if (all > $STACKu && t == 0u) {
        // cannot be: each level below leaves 224 at most
        atomicOr(&counters[OVERFLOW], 2u);
    }
    return min(all, $STACKu);
}
