// The triple-dipole law over nu: the twin of axilrod_teller.cuh. Energy, and the slopes along the squared sides a, b, c.
fn sides(a: f32, b: f32, c: f32, weight: f32) -> vec4<f32> {
    let ab = a * b;
    let bc = b * c;
    let ca = c * a;
    let root = inverseSqrt(ab * c);
    let q = root * root;
    let scale = q * root * weight;
    let sum = a + b + c;
    let u = sum - 2.0 * a;
    let v = sum - 2.0 * b;
    let w = sum - 2.0 * c;
    let all = u * v + v * w + w * u;
    let pq = u * v * w * q;
    let m = 2.5 * pq + 4.0;
    let t = scale * q * 0.375;
    return vec4(scale * (0.375 * pq + 1.0), t * (all - 2.0 * v * w - m * bc), t * (all - 2.0 * w * u - m * ca),
                t * (all - 2.0 * u * v - m * ab));
}
