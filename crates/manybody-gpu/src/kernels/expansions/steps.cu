// Steps of bodies that stay on the device: their places in the units of the tree, and kicks and drifts.

extern "C" __global__ void __launch_bounds__(256)
place_bodies(const double *x, double *px, double *py, double *pz, double ox, double oy, double oz, double per_length, int count) {
    const int k = blockIdx.x * 256 + threadIdx.x;
    if (k >= count) return;
    const size_t n = count;
    px[k] = (x[k] - ox) * per_length;
    py[k] = (x[n + k] - oy) * per_length;
    pz[k] = (x[2 * n + k] - oz) * per_length;
}

// v += kick a, one or two times, then x += drift v; notes what is not finite.
extern "C" __global__ void __launch_bounds__(256)
move_bodies(double *x, double *v, const real4 *accelerations, u32 *bad, double unit, double kick0, double kick1, int kicks,
            double drift0, double drift1, int drifts, int count) {
    const int k = blockIdx.x * 256 + threadIdx.x;
    if (k >= count) return;
    const size_t n = count;
    const real4 own = accelerations[k];
    const double a[3] = {own.x * unit, own.y * unit, own.z * unit};
    bool fine = true;
    for (int d = 0; d < 3; d++) {
        double q = x[d * n + k], u = v[d * n + k];
        if (kicks > 0) u = fma(kick0, a[d], u);
        if (kicks > 1) u = fma(kick1, a[d], u);
        if (drifts > 0) q = fma(drift0, u, q);
        if (drifts > 1) q = fma(drift1, u, q);
        x[d * n + k] = q;
        v[d * n + k] = u;
        fine = fine && m_finite(q) && m_finite(u) && (kicks == 0 || m_finite(a[d]));
    }
    if (!fine) *bad = 1;
}
