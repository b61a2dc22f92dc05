// What moves a body once its acceleration is known: kicks, then drifts, and its place in the records that the next
// evaluation reads. The twin of step.cuh, without double: a number is two floats, of which the second holds what the
// first lacks. Their sum is exact in a double, so that a run can be resumed from a file.

struct Move {
    kick: vec4<f32>,     // two lengths, each in two parts
    drift: vec4<f32>,
    factor: vec4<f32>,   // from sums to accelerations [3], from lengths to those of the frame
    words: vec4<u32>,    // kicks, drifts, bodies, records
    more: vec4<u32>,     // 1 to write records, which origin holds, distance of sums, numbers of a result
}

@group(0) @binding(0) var<storage, read> held: array<f32>;              // sums and what they lost, [2][results][stride]
@group(0) @binding(1) var<storage, read_write> state: array<f32>;       // HEAD numbers, then x [3][n], low parts of x, v, low parts
@group(0) @binding(2) var<storage, read_write> records: array<vec4<f32>>;
@group(0) @binding(3) var<uniform> zero: vec4<u32>;  // 0, which the compiler does not know
@group(0) @binding(4) var<uniform> call: Move;

// origin [3] and its low parts, twice; its velocity and low parts; 1 where a number was not finite
const HEAD: u32 = 24u;
const SPEED: u32 = 12u;
const BAD: u32 = 18u;
const QUADS: u32 = $QUADSu;
// where the second parts of positions are in a record, if it has them
const LOW: u32 = $LOWu;

// for parts.wgsl
fn hidden() -> u32 {
    return zero.x;
}
// what is left of the low part where both together have 53 bits
fn fit(a: vec2<f32>) -> vec2<f32> {
    let high = i32((bitcast<u32>(a.x) >> 23u) & 255u);
    let low = i32((bitcast<u32>(a.y) >> 23u) & 255u);
    let drop = (high - 52) - (low - 23);
    if (drop <= 0) {
        return a;
    }
    return vec2(a.x, select(bitcast<f32>(bitcast<u32>(a.y) & (0xffffffffu << u32(min(drop, 31)))), 0.0f, drop > 23));
}
fn add_exactly(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    return fit(add(a, b));
}
fn is_finite(a: f32) -> bool {
    return (bitcast<u32>(a) & 0x7f800000u) != 0x7f800000u;
}

@compute @workgroup_size(64)
fn move_bodies(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
               @builtin(local_invocation_index) t: u32) {
    let n = call.words.z;
    let b = (group.y * groups.x + group.x) * 64u + t;  // more groups than one axis may have
    if (b >= n) {
        return;
    }
    let old = call.more.y * 6u;
    let fresh = 6u - old;
    var place: array<f32, 3>;
    var low: array<f32, 3>;
    var fine = true;
    for (var k = 0u; k < 3u; k++) {
        let at = HEAD + k * n + b;
        let sums = k * call.more.z + b;
        let a = vec2(held[sums], held[call.more.w * call.more.z + sums]) * call.factor[k];
        var x = vec2(state[at], state[at + 3u * n]);
        var v = vec2(state[at + 6u * n], state[at + 9u * n]);
        var origin = vec2(state[old + k], state[old + 3u + k]);
        let speed = vec2(state[SPEED + k], state[SPEED + 3u + k]);
        for (var q = 0u; q < call.words.x; q++) {
            v = add_exactly(v, times(vec2(call.kick[2u * q], call.kick[2u * q + 1u]), a));
        }
        for (var q = 0u; q < call.words.y; q++) {
            let dt = vec2(call.drift[2u * q], call.drift[2u * q + 1u]);
            x = add_exactly(x, times(dt, v));
            origin = add_exactly(origin, times(dt, speed));
        }
        fine = fine && is_finite(x.x) && is_finite(v.x) && (call.words.x == 0u || is_finite(a.x));
        state[at] = x.x;
        state[at + 3u * n] = x.y;
        state[at + 6u * n] = v.x;
        state[at + 9u * n] = v.y;
        if (b == 0u) {
            state[fresh + k] = origin.x;
            state[fresh + 3u + k] = origin.y;
        }
        let there = add_exactly(x, -origin);
        place[k] = there.x * call.factor.w;
        low[k] = there.y * call.factor.w;
    }
    if (call.more.x != 0u) {
        // the last body's copies fill its tile
        let end = select(b + 1u, call.words.w, b + 1u == n);
        for (var r = b; r < end; r++) {
            records[r * QUADS].x = place[0];
            records[r * QUADS].y = place[1];
            records[r * QUADS].z = place[2];
            if (LOW != 0u) {
                for (var k = 0u; k < 3u; k++) {
                    records[r * QUADS + (LOW + k) / 4u][(LOW + k) % 4u] = low[k];
                }
            }
        }
    }
    if (!fine) {
        state[BAD] = 1.0f;
    }
}
