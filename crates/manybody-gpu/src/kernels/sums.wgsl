// How terms are added: the twin of sums.cuh. One of these sections is put before summed.wgsl and its gathering. Each has
// `Held`, the sum of one result of one body; `add`, which takes the sum of a bag (`bags` counts those before, `scale` is
// for fixed point); `total`, the two words in which it leaves the kernel; `join` for two of these, and `parts`, which
// makes two floats of them. Drivers may assume that (a + b) - a is b, so every such expression goes through `opaque`.

#section direct
struct Held { sum: f32 }
fn add(h: ptr<function, Held>, term: f32, bags: u32, scale: f32) {
    (*h).sum = (*h).sum + term;
}
fn total(h: ptr<function, Held>, bags: u32) -> vec2<u32> {
    return bitcast<vec2<u32>>(vec2((*h).sum, 0.0f));
}

#section pairwise
struct Held { level: array<f32, 27> }  // sums of 2^k leaves, where bit k of `bags` is set
fn add(h: ptr<function, Held>, term: f32, bags: u32, scale: f32) {
    var sum = term;
    var k = 0u;
    while (((bags >> k) & 1u) == 1u) {
        sum = sum + (*h).level[k];
        k++;
    }
    (*h).level[k] = sum;
}
fn total(h: ptr<function, Held>, bags: u32) -> vec2<u32> {
    var sum = 0.0f;
    for (var k = 0u; k < 27u; k++) {
        if (((bags >> k) & 1u) == 1u) {
            sum = sum + (*h).level[k];
        }
    }
    return bitcast<vec2<u32>>(vec2(sum, 0.0f));
}

#section compensated
struct Held { sum: f32, lost: f32 }
fn add(h: ptr<function, Held>, term: f32, bags: u32, scale: f32) {
    let s = two_sum((*h).sum, term);
    (*h).sum = s.x;
    (*h).lost = (*h).lost + s.y;
}
fn total(h: ptr<function, Held>, bags: u32) -> vec2<u32> {
    return bitcast<vec2<u32>>(vec2((*h).sum, (*h).lost));
}

#section f64
// two floats that do not overlap, 48 bits: there is no f64
struct Held { sum: f32, lost: f32 }
fn add(h: ptr<function, Held>, term: f32, bags: u32, scale: f32) {
    let s = two_sum((*h).sum, term);
    let t = two_sum(s.x, s.y + (*h).lost);
    (*h).sum = t.x;
    (*h).lost = t.y;
}
fn total(h: ptr<function, Held>, bags: u32) -> vec2<u32> {
    return bitcast<vec2<u32>>(vec2((*h).sum, (*h).lost));
}

#section floats
// of slots, whatever made them
fn two_sum(a: f32, b: f32) -> vec2<f32> {
    let s = opaque(a + b, call.zero);
    let v = opaque(s - a, call.zero);
    let u = opaque(s - v, call.zero);
    return vec2(s, (a - u) + (b - v));
}
fn join(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let p = bitcast<vec2<f32>>(a);
    let q = bitcast<vec2<f32>>(b);
    let s = two_sum(p.x, q.x);
    return bitcast<vec2<u32>>(vec2(s.x, p.y + q.y + s.y));
}
fn parts(a: vec2<u32>, scale: f32) -> vec2<f32> {
    return bitcast<vec2<f32>>(a);
}

#section fixed
// 64-bit integers, low word first: their sum is the same in any order. A sum outside [-2^62, 2^62) has left its range and
// stays LEFT; a term is below 2^61, so that no addition wraps around unseen.
const LEFT = vec2(0u, 0x80000000u);
struct Held { sum: vec2<u32> }
fn negative(a: vec2<u32>) -> vec2<u32> {
    return vec2(~a.x + 1u, ~a.y + select(0u, 1u, a.x == 0u));
}
fn sum_of(a: vec2<u32>, b: vec2<u32>, fits: bool) -> vec2<u32> {
    let low = a.x + b.x;
    let high = a.y + b.y + select(0u, 1u, low < a.x);
    return select(LEFT, vec2(low, high), fits && ((high ^ (high << 1u)) >> 31u) == 0u);
}
fn add(h: ptr<function, Held>, term: f32, bags: u32, scale: f32) {
    let t = round(term * scale);
    let size = abs(t);
    // the exponent of NaN is larger, too; a driver may assume that there is no NaN and remove a comparison of floats
    let fits = (bitcast<u32>(size) >> 23u) < 188u;
    // a float's 24 bits, in two words: nothing is rounded
    let high = floor(size * 2.3283064365386963e-10f);
    let whole = vec2(u32(select(0.0f, size - high * 4294967296.0f, fits)), u32(select(0.0f, high, fits)));
    (*h).sum = sum_of((*h).sum, select(whole, negative(whole), t < 0.0f), fits);
}
fn total(h: ptr<function, Held>, bags: u32) -> vec2<u32> {
    return (*h).sum;
}
fn join(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return sum_of(a, b, any(b != LEFT));
}
fn parts(a: vec2<u32>, scale: f32) -> vec2<f32> {
    if (all(a == LEFT)) {
        return bitcast<vec2<f32>>(vec2(0x7fc00000u ^ call.zero, 0u));
    }
    let below = (a.y >> 31u) == 1u;
    let size = select(a, negative(a), below);
    // three floats that hold 24 bits each exactly, and 48 of their sum
    let f0 = f32(size.x & 0xffffffu);
    let f1 = f32((size.x >> 24u) | ((size.y & 0xffffu) << 8u)) * 16777216.0f;
    let f2 = f32(size.y >> 16u) * 281474976710656.0f;
    let s = opaque(f2 + f1, call.zero);
    let t = opaque(s + f0, call.zero);
    let lost = (f1 - opaque(s - f2, call.zero)) + (f0 - opaque(t - s, call.zero));
    return vec2(t, lost) * select(1.0f, -1.0f, below) / scale;
}

#section gather
// Slots become sums, always in the same order; a sum is two numbers, the second what the first has lost to rounding.
struct Gather { n: u32, stride: u32, ni: u32, nj: u32, first: u32, zero: u32, u1: u32, u2: u32, scale: array<vec4<f32>, 2> }

@group(0) @binding(0) var<storage, read> slots_i: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read_write> held: array<f32>;  // [2][NO][stride]
@group(0) @binding(2) var<storage, read> slots_j: array<vec2<u32>>;
@group(0) @binding(3) var<uniform> par: Par;
@group(0) @binding(4) var<uniform> call: Gather;

@compute @workgroup_size(64)
fn gather(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
          @builtin(local_invocation_index) t: u32) {
    let b = (group.y * groups.x + group.x) * 64u + t;  // more groups than one axis may have
    if (b >= call.n) {
        return;
    }
    $O{var a$o = slots_i[$ou * call.stride + b];
    for (var s = 1u; s < call.ni; s++) {
        a$o = join(a$o, slots_i[(s * NO + $ou) * call.stride + b]);
    }
    let sum$o = parts(a$o, call.scale[$ou / 4u][$ou % 4u]);
    held[$ou * call.stride + b] = sum$o.x;
    held[(NO + $ou) * call.stride + b] = sum$o.y;
    }
}
