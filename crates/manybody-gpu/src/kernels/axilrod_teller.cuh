// The triple-dipole law of Axilrod and Teller over nu, as manybody::pairs::axilrod_teller derives it: the energy of a
// triangle with the squared sides a, b, c times `weight`, and its slope along each.
static __device__ __forceinline__ void sides(const real a, const real b, const real c, const real weight, real& energy,
                                             real& slope_a, real& slope_b, real& slope_c) {
    const real ab = a * b, bc = b * c, ca = c * a;
    const real root = m_rsqrt(ab * c), q = root * root, scale = q * root * weight;
    const real sum = a + b + c;
    const real u = fma((real)-2, a, sum), v = fma((real)-2, b, sum), w = fma((real)-2, c, sum);
    const real uv = u * v, vw = v * w, wu = w * u, all = uv + vw + wu;
    const real pq = uv * w * q, m = fma(pq, (real)2.5, (real)4), t = scale * q * (real)0.375;
    energy = scale * fma(pq, (real)0.375, (real)1);
    slope_a = t * fma(-m, bc, fma((real)-2, vw, all));
    slope_b = t * fma(-m, ca, fma((real)-2, wu, all));
    slope_c = t * fma(-m, ab, fma((real)-2, uv, all));
}
