// Of order 6 [Nitadori 2008]. The fourth and the fifth derivative of the position are kept times the square and the cube of the
// body's step: a float has no room for what they are where bodies are close.
const SUMS: u32 = 9u;

struct Star {
    place: vec4<f32>,
    rest: vec4<f32>,
    speed: vec4<f32>,
    push: vec4<f32>,
}
fn star(b: u32) -> Star {
    return Star(predicted[4u * b], predicted[4u * b + 1u], predicted[4u * b + 2u], predicted[4u * b + 3u]);
}
// A body after so much of its step; `part` is that time in units of the step.
fn advance(b: u32, elapsed: vec2<f32>, part: vec2<f32>) {
    let half = 0.5f * elapsed;
    let third = times(elapsed, call.third);
    let part2 = times(part, part);
    let part3 = times(part2, part);
    let part2_12 = 0.25f * times(part2, call.third);
    let part3_6 = 0.5f * times(part3, call.third);
    let part3_60 = times(part3_6, call.tenth);
    var high: array<f32, 3>;
    var low: array<f32, 3>;
    var speed: array<f32, 3>;
    var push: array<f32, 3>;
    for (var q = 0u; q < 3u; q++) {
        let v = number(3u + q, b);
        let a = number(6u + q, b);
        let j = number(9u + q, b);
        let s = number(12u + q, b);
        let c = number(15u + q, b);
        let of_v = add(add(a, times(third, j)), add(times(part2_12, s), times(part3_60, c)));
        let x = add(number(q, b), times(elapsed, add(v, times(half, of_v))));
        high[q] = x.x;
        low[q] = x.y;
        let of_a = add(add(a, times(half, j)), add(2.0f * times(part2_12, s), 0.25f * times(part3_6, c)));
        speed[q] = add(v, times(elapsed, of_a)).x;
        push[q] = add(add(a, times(elapsed, j)), add(0.5f * times(part2, s), times(part3_6, c))).x;
    }
    predicted[4u * b] = vec4(high[0], high[1], high[2], constants[b]);
    predicted[4u * b + 1u] = vec4(low[0], low[1], low[2], constants[call.n + b]);
    predicted[4u * b + 2u] = vec4(speed[0], speed[1], speed[2], 0.0f);
    predicted[4u * b + 3u] = vec4(push[0], push[1], push[2], 0.0f);
}
// What a body does to body i: acceleration, jerk and snap.
fn pair(i: Star, other: Star) -> array<f32, 9> {
    let d = (other.place.xyz - i.place.xyz) + (other.rest.xyz - i.rest.xyz);
    let w = other.speed.xyz - i.speed.xyz;
    let c = other.push.xyz - i.push.xyz;
    let y = inverseSqrt(dot(d, d) + (other.rest.w + i.rest.w));
    let y2 = y * y;
    let f = (other.place.w * y) * y2;
    let alpha = dot(d, w) * y2;
    let rest = (dot(w, w) + dot(d, c)) * y2;
    let a = f * d;
    let j = f * (w - (3.0f * alpha) * d);
    let s = f * ((c - (6.0f * alpha) * w) + ((15.0f * alpha) * alpha - 3.0f * rest) * d);
    return array<f32, 9>(a.x, a.y, a.z, j.x, j.y, j.z, s.x, s.y, s.z);
}
// Corrects a body after a step; returns the exponent of the square of required / present step.
fn corrected(b: u32, sums: u32, step: vec2<f32>) -> i32 {
    let middle = 0.5f * step;
    let tenth = times(times(step, step), call.tenth);
    let sixtieth = times(0.5f * times(step, call.third), call.tenth);
    var size = 0.0f;
    var known: array<vec3<f32>, 6>;
    for (var q = 0u; q < 3u; q++) {
        let x = number(q, b);
        let v = number(3u + q, b);
        let a = number(6u + q, b);
        let j = number(9u + q, b);
        let low2 = number(12u + q, b);
        let now_a = call.factor * found[sums + q];
        let now_j = call.factor * found[sums + 3u + q];
        let high2 = times(step, times(step, call.factor * found[sums + 6u + q]));
        let low = times(step, j);
        let high = times(step, now_j);
        let da = add(a, -now_a);
        let of_snap = 0.5f * times(sixtieth, add(low2, high2));
        let now_v = add(v, add(times(middle, add(a, now_a)), add(times(tenth, add(j, -now_j)), of_snap)));
        let of_jerk = 0.5f * times(times(sixtieth, step), add(low, high));
        put(q, b, add(x, add(times(middle, add(v, now_v)), add(times(tenth, da), of_jerk))));
        // the quintic through a, j and s at both ends, as in blocks.cuh
        let r0 = add(da, add(high, -0.5f * high2));
        let r1 = add(low, add(high2, -high));
        let r2 = add(low2, -high2);
        let c5 = -add(add(4.0f * r0, 2.0f * r0), add(add(2.0f * r1, r1), 0.5f * r2));
        let c4 = -add(add(16.0f * r0, -r0), add(add(8.0f * r1, -r1), r2));
        let c3 = add(c4, -add(c5, r0));
        let third = add(4.0f * c3, 2.0f * c3);
        put(3u + q, b, now_v);
        put(6u + q, b, now_a);
        put(9u + q, b, now_j);
        put(12u + q, b, high2);
        put(15u + q, b, third);
        known[0][q] = now_a.x;
        known[1][q] = high.x;
        known[2][q] = high2.x;
        known[3][q] = third.x;
        known[4][q] = 24.0f * c4.x;
        known[5][q] = 120.0f * c5.x;
        for (var k = 0u; k < 6u; k++) {
            size = max(size, abs(known[k][q]));
        }
    }
    if (size > 0.0f && size < 1e38f) {
        // no square is beyond what a float holds
        var s: array<f32, 6>;
        for (var k = 0u; k < 6u; k++) {
            s[k] = dot(known[k] / size, known[k] / size);
        }
        let below = sqrt(s[3] * s[5]) + s[4];
        let above = sqrt(s[0] * s[2]) + s[1];
        if (below > 0.0f) {
            // the least step of rounded forces: LEAST in scheme.rs
            let least = 9e-4f * min(s[0] / max(s[1], 1e-37f), sqrt(s[0] / max(s[2], 1e-37f)));
            return exponent_of(call.eta2 * max(pow(above / below, 1.0f / 3.0f), least));
        }
        if (above > 0.0f) {
            return 127;
        }
    }
    return 0;
}
// The next step is 2^up steps long.
fn rescale(b: u32, up: i32) {
    let once = bitcast<f32>(u32(127 + clamp(up, -60, 1)) << 23u);
    for (var q = 0u; q < 3u; q++) {
        put(12u + q, b, once * (once * number(12u + q, b)));
        put(15u + q, b, once * (once * (once * number(15u + q, b))));
    }
}
