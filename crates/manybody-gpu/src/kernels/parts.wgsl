// Arithmetic of numbers in two parts, of which the second holds what the first lacks: 48 bits. A kernel with it has a function
// `hidden`, which is 0, and which the compiler does not know. No argument may be a constant: compilers join those of two operations,
// and a product is then right to 12 bits only.

// hides from the compiler that (a + b) - a is nearly b
fn opaque(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) ^ hidden());
}
fn sum(a: f32, b: f32) -> vec2<f32> {
    let s = opaque(a + b);
    let v = opaque(s - a);
    return vec2(s, (a - (s - v)) + (b - v));
}
fn add(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    let s = sum(a.x, b.x);
    let t = sum(a.y, b.y);
    let u = sum(s.x, s.y + t.x);
    return sum(u.x, u.y + t.y);
}
fn times(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    // [Dekker 1971]: halves of 12 bits, whose products are exact
    let ca = 4097.0f * a.x;
    let cb = 4097.0f * b.x;
    let ah = ca - opaque(ca - a.x);
    let bh = cb - opaque(cb - b.x);
    let al = a.x - ah;
    let bl = b.x - bh;
    let p = a.x * b.x;
    let e = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
    return sum(p, e + (a.x * b.y + a.y * b.x));
}
