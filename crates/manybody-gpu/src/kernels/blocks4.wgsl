// Of order 4 [Makino 1992].
const SUMS: u32 = 6u;

struct Star {
    place: vec4<f32>,
    rest: vec4<f32>,
    speed: vec4<f32>,
}
fn star(b: u32) -> Star {
    return Star(predicted[3u * b], predicted[3u * b + 1u], predicted[3u * b + 2u]);
}
// A body after so much of its step; `part` is that time in units of the step.
fn advance(b: u32, elapsed: vec2<f32>, part: vec2<f32>) {
    let half = 0.5f * elapsed;
    let third = times(elapsed, call.third);
    var high: array<f32, 3>;
    var low: array<f32, 3>;
    var speed: array<f32, 3>;
    for (var q = 0u; q < 3u; q++) {
        let v = number(3u + q, b);
        let a = number(6u + q, b);
        let j = number(9u + q, b);
        let mean = add(v, times(half, add(a, times(third, j))));
        let x = add(number(q, b), times(elapsed, mean));
        high[q] = x.x;
        low[q] = x.y;
        speed[q] = add(v, times(elapsed, add(a, times(half, j)))).x;
    }
    predicted[3u * b] = vec4(high[0], high[1], high[2], constants[b]);
    predicted[3u * b + 1u] = vec4(low[0], low[1], low[2], constants[call.n + b]);
    predicted[3u * b + 2u] = vec4(speed[0], speed[1], speed[2], 0.0f);
}
// What a body does to body i: acceleration and jerk.
fn pair(i: Star, other: Star) -> array<f32, 6> {
    let d = (other.place.xyz - i.place.xyz) + (other.rest.xyz - i.rest.xyz);
    let w = other.speed.xyz - i.speed.xyz;
    let y = inverseSqrt(dot(d, d) + (other.rest.w + i.rest.w));
    let y2 = y * y;
    let f = (other.place.w * y) * y2;
    let a = f * d;
    let j = f * (w - (3.0f * (dot(d, w) * y2)) * d);
    return array<f32, 6>(a.x, a.y, a.z, j.x, j.y, j.z);
}
// Corrects a body after a step; returns the exponent of the square of required / present step.
fn corrected(b: u32, sums: u32, step: vec2<f32>) -> i32 {
    let middle = 0.5f * step;
    let twelfth = times(times(middle, middle), call.third);
    var size = 0.0f;
    var acceleration: vec3<f32>;
    var jerk: vec3<f32>;
    var snap: vec3<f32>;
    var crackle: vec3<f32>;
    for (var q = 0u; q < 3u; q++) {
        let x = number(q, b);
        let v = number(3u + q, b);
        let a = number(6u + q, b);
        let j = number(9u + q, b);
        let now_a = call.factor * found[sums + q];
        let now_j = call.factor * found[sums + 3u + q];
        let da = add(a, -now_a);
        let now_v = add(v, add(times(middle, add(a, now_a)), times(twelfth, add(j, -now_j))));
        put(q, b, add(x, add(times(middle, add(v, now_v)), times(twelfth, da))));
        put(3u + q, b, now_v);
        put(6u + q, b, now_a);
        put(9u + q, b, now_j);
        // derivatives times powers of the step, at its end
        let early = times(step, j);
        let late = times(step, now_j);
        let both = add(add(early, late), 2.0f * da);
        let third = add(4.0f * both, 2.0f * both);
        let second = add(third, -add(add(4.0f * da, 2.0f * da), add(4.0f * early, 2.0f * late)));
        acceleration[q] = now_a.x;
        jerk[q] = late.x;
        snap[q] = second.x;
        crackle[q] = third.x;
        size = max(size, max(max(abs(now_a.x), abs(late.x)), max(abs(second.x), abs(third.x))));
    }
    if (size > 0.0f && size < 1e38f) {
        // no square is beyond what a float holds
        let s0 = dot(acceleration / size, acceleration / size);
        let s1 = dot(jerk / size, jerk / size);
        let s2 = dot(snap / size, snap / size);
        let s3 = dot(crackle / size, crackle / size);
        let below = sqrt(s1 * s3) + s2;
        let above = call.eta2 * (sqrt(s0 * s2) + s1);
        if (below > 0.0f) {
            return exponent_of(above / below);
        }
        if (above > 0.0f) {
            return 127;
        }
    }
    return 0;
}
// No number is in units of the step.
fn rescale(b: u32, up: i32) {
}
