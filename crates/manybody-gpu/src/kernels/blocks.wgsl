// Block time steps of Hermite's schemes in mixed precision, two kernels a block: the twin of blocks_three.cu, without double, and without
// workgroups that wait for each other. What belongs to the order of the scheme is in blocks4.wgsl and blocks6.wgsl.
//
//   predict   each body, for the time of the block; those whose steps end there make a list
//   correct   sums what all bodies do to K bodies of the list, corrects these, and chooses their next steps
//
// A number of a body's state is two floats; so is a sum, of runs of terms that are floats. All are in the units of a frame. Time
// is an integer in two words: a step of the run has 2^40 ticks. The order of the list depends on the device, and no sum does.
// A block reads one of two controls and leaves the time, and the level of the shortest step, in the other one.

struct Call {
    unit: vec2<f32>,     // the time of a tick
    third: vec2<f32>,    // a third, not as a constant: see parts.wgsl
    factor: f32,         // from sums to derivatives of the state
    eta2: f32,           // the square of the accuracy parameter
    levels: vec2<i32>,   // of the largest and of the smallest step
    n: u32,
    groups: u32,         // workgroups that correct
    turn: u32,           // which control this block reads
    limited: u32,        // 1: bodies keep the smallest step where they need a smaller one
    zero: u32,           // 0, which the compiler does not know
    unused: u32,
    tenth: vec2<f32>,    // a tenth, not as a constant
}

@group(0) @binding(0) var<storage, read_write> control: array<atomic<u32>>;
// x, v, a, j, and for order 6 two more, [3] each, as [24][n] or [36][n]: high part, low part
@group(0) @binding(1) var<storage, read_write> state: array<f32>;
@group(0) @binding(2) var<storage, read_write> levels: array<i32>;
@group(0) @binding(3) var<storage, read> constants: array<f32>;         // masses and halves of squares of softenings, [2][n]
// [n][3] or [n][4]: x and m, what x lacks and h, v, and for order 6 a
@group(0) @binding(4) var<storage, read_write> predicted: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> list: array<u32>;
@group(0) @binding(6) var<uniform> call: Call;

const BITS: u32 = 40u;
const K: u32 = $Ku;
const B: u32 = $Bu;
// terms of a thread whose sum is a float
const RUN: u32 = 16u;
// a control: time [2], level of the shortest step, bodies of the list, 1 where no block follows; behind both, the report
const TIME: u32 = 0u;
const DEEPEST: u32 = 2u;
const COUNT: u32 = 3u;
const STOPS: u32 = 4u;
const CONTROL: u32 = 5u;
// blocks, steps of bodies [2], a body whose step is too small, time of the last block [2]
const BLOCKS: u32 = 10u;
const STEPS: u32 = 11u;
const SHORT: u32 = 13u;
const LAST: u32 = 14u;

// for parts.wgsl
fn hidden() -> u32 {
    return call.zero;
}
fn power_of_two(exponent: u32) -> f32 {
    return bitcast<f32>((127u + exponent) << 23u);
}
// 2^-BITS times a power of two: a tick as a part of a step of a level
fn power_of_two_below(level: u32) -> f32 {
    return bitcast<f32>((127u - BITS + level) << 23u);
}
// ticks of a step of a level, less 1: the bits of a time within it
fn within(level: u32) -> vec2<u32> {
    let bits = BITS - level;
    if (bits >= 32u) {
        return vec2(0xffffffffu, (1u << (bits - 32u)) - 1u);
    }
    return vec2((1u << bits) - 1u, 0u);
}
fn plus_one(time: vec2<u32>) -> vec2<u32> {
    let low = time.x + 1u;
    return vec2(low, time.y + select(0u, 1u, low == 0u));
}
// the next time that is a multiple of the shortest step
fn next_time(turn: u32) -> vec2<u32> {
    let at = CONTROL * turn;
    let time = vec2(atomicLoad(&control[at + TIME]), atomicLoad(&control[at + TIME + 1u]));
    return plus_one(time | within(atomicLoad(&control[at + DEEPEST])));
}
fn is_over(turn: u32) -> bool {
    let at = CONTROL * turn;
    return atomicLoad(&control[at + TIME + 1u]) >= (1u << (BITS - 32u)) || atomicLoad(&control[at + STOPS]) != 0u;
}
// the level of the longest step that ends at a time
fn highest(time: vec2<u32>) -> i32 {
    return i32(BITS) - i32(select(32u + countTrailingZeros(time.y), countTrailingZeros(time.x), time.x != 0u));
}
fn number(q: u32, b: u32) -> vec2<f32> {
    return vec2(state[2u * q * call.n + b], state[(2u * q + 1u) * call.n + b]);
}
fn put(q: u32, b: u32, value: vec2<f32>) {
    state[2u * q * call.n + b] = value.x;
    state[(2u * q + 1u) * call.n + b] = value.y;
}

@compute @workgroup_size(64)
fn predict(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
           @builtin(local_invocation_index) t: u32) {
    let b = (group.y * groups.x + group.x) * 64u + t;  // more groups than one axis may have
    if (b >= call.n) {
        return;
    }
    let other = 1u - call.turn;
    if (b == 0u) {
        atomicStore(&control[CONTROL * other + DEEPEST], 0u);
        atomicStore(&control[CONTROL * other + COUNT], 0u);
    }
    if (is_over(call.turn)) {
        return;
    }
    let time = next_time(call.turn);
    let level = levels[b];
    if (level >= highest(time)) {
        list[atomicAdd(&control[CONTROL * call.turn + COUNT], 1u)] = b;
    }
    // since the body's own step began: 0 < elapsed <= step
    let before = vec2(time.x - 1u, time.y - select(0u, 1u, time.x == 0u));
    let ticks = plus_one(before & within(u32(level)));
    let whole = add(sum(f32(ticks.y) * 4294967296.0f, f32(ticks.x >> 16u) * 65536.0f), vec2(f32(ticks.x & 0xffffu), 0.0f));
    advance(b, times(whole, call.unit), power_of_two_below(u32(level)) * whole);
}

var<workgroup> listed: u32;
var<workgroup> parts: array<vec2<f32>, $PARTS>;  // [SUMS][B]
var<workgroup> found: array<vec2<f32>, $FOUND>;  // [K][SUMS]

// The exponent of the square of required / present step; 0 where nothing follows from these numbers.
fn exponent_of(ratio: f32) -> i32 {
    return i32((bitcast<u32>(ratio) >> 23u) & 255u) - 127;
}
// A body that has come to the end of its step.
fn finish(b: u32, sums: u32, time: vec2<u32>) {
    let level = levels[b];
    let step = power_of_two(BITS - u32(level)) * call.unit;
    let required = level - (corrected(b, sums, step) >> 1u);
    if (required > call.levels.y && call.limited == 0u) {
        atomicMin(&control[SHORT], b);
        atomicStore(&control[CONTROL * (1u - call.turn) + STOPS], 1u);
    }
    let next = max(max(min(required, call.levels.y), highest(time)), max(level - 1, call.levels.x));
    rescale(b, level - next);
    levels[b] = next;
    atomicMax(&control[CONTROL * (1u - call.turn) + DEEPEST], u32(next));
}

@compute @workgroup_size($B)
fn correct(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    if (t == 0u) {
        listed = select(atomicLoad(&control[CONTROL * call.turn + COUNT]), 0u, is_over(call.turn));
    }
    let count = workgroupUniformLoad(&listed);
    let time = next_time(call.turn);
    for (var first = group.x * K; first < count; first += call.groups * K) {
        $K{let star$k = star(list[min(first + $ku, count - 1u)]);
        $O{var held$k_$o = vec2(0.0f, 0.0f);
        }}for (var begin = t; begin < call.n; begin += RUN * B) {
            let end = min(begin + RUN * B, call.n);
            $K{$O{var near$k_$o = 0.0f;
            }}for (var j = begin; j < end; j += B) {
                let other = star(j);
                $K{{
                    let term = pair(star$k, other);
                    $O{near$k_$o += term[$o];
                    }
                }
                }
            }
            $K{$O{let both$k_$o = sum(held$k_$o.x, near$k_$o);
            held$k_$o = vec2(both$k_$o.x, held$k_$o.y + both$k_$o.y);
            }}
        }
        // the sums of the threads, in halves
        $K{$O{parts[$ou * B + t] = sum(held$k_$o.x, held$k_$o.y);
        }workgroupBarrier();
        for (var width = B / 2u; width > 0u; width /= 2u) {
            if (t < width) {
                $O{parts[$ou * B + t] = add(parts[$ou * B + t], parts[$ou * B + t + width]);
                }
            }
            workgroupBarrier();
        }
        if (t < SUMS) {
            found[$ku * SUMS + t] = parts[t * B];
        }
        workgroupBarrier();
        }
        if (t < K && first + t < count) {
            finish(list[first + t], t * SUMS, time);
        }
        workgroupBarrier();
    }
    if (group.x == 0u && t == 0u) {
        let at = CONTROL * (1u - call.turn);
        if (count == 0u) {
            // all is done: so it is for the next block
            $U{atomicStore(&control[at + $uu], atomicLoad(&control[CONTROL * call.turn + $uu]));
            }
            return;
        }
        atomicStore(&control[at + TIME], time.x);
        atomicStore(&control[at + TIME + 1u], time.y);
        atomicStore(&control[LAST], time.x);
        atomicStore(&control[LAST + 1u], time.y);
        atomicStore(&control[BLOCKS], atomicLoad(&control[BLOCKS]) + 1u);
        let steps = atomicLoad(&control[STEPS]) + count;
        atomicStore(&control[STEPS], steps);
        if (steps < count) {
            atomicStore(&control[STEPS + 1u], atomicLoad(&control[STEPS + 1u]) + 1u);
        }
    }
}
