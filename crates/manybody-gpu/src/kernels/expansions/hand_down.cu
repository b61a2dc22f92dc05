// Expansions handed down to leaves.

#if HIGH
// Hands the expansions of the level above to the cells first to first + count - 1, a warp each.
extern "C" __global__ void __launch_bounds__(128) hand_down(Tree t, int first, int count) {
    __shared__ real shared[4][COEFFICIENTS], powers[4][32];
    __shared__ uchar4 exponents[COEFFICIENTS];
    write_exponents(exponents);
    const int at = blockIdx.x * 4 + threadIdx.x / 32, ln = lane();
    if (at >= count) return;
    real *const c = shared[threadIdx.x / 32];
    const int g = first + at, parent = (g - 1) / CHILDREN;
    const Step d = Center(t, g).from(t, parent);
    const real per_unit = real(1) / (real)t.lines[parent].unit, ratio = (real)t.lines[g].unit * per_unit;
    const int many = SECOND_EXPANSIONS ? 2 : 1;
    for (int k = 0; k < many; k++) {
        const real *const from = t.locals + (size_t)parent * t.locals_stride + k * (t.locals_stride / 2);
        real *const to = t.locals + (size_t)g * t.locals_stride + k * (t.locals_stride / 2);
        __syncwarp();
        if (!POTENTIAL && ln == 0) c[0] = real(0);
        for (int i = ln; i < LOCALS; i += 32) c[i + !POTENTIAL] = from[i];
        shift(c, powers[threadIdx.x / 32], 0, d.x * per_unit, ORDER, false);
        shift(c, powers[threadIdx.x / 32], 1, d.y * per_unit, ORDER, false);
        shift(c, powers[threadIdx.x / 32], 2, d.z * per_unit, ORDER, false);
        for (int i = ln; i < LOCALS; i += 32) {
            // 1/r has a unit of length itself
            real factor = ratio;
            for (int q = 0; q < exponents[i + !POTENTIAL].x; q++) factor *= ratio;
            to[i] = m_fma(factor, c[i + !POTENTIAL], to[i]);
        }
    }
}
#else
// Hands the expansions of the level above to the cells first to first + count - 1.
extern "C" __global__ void __launch_bounds__(128) hand_down(Tree t, int first, int count) {
    const int at = blockIdx.x * 128 + threadIdx.x;
    if (at >= count) return;
    const int g = first + at, parent = (g - 1) / CHILDREN;
    const Step d = Center(t, g).from(t, parent);
    const real per_unit = real(1) / (real)t.lines[parent].unit, ratio = (real)t.lines[g].unit * per_unit;
    real from[LOCALS], L[LOCALS];
    // of bodies with softenings of their own two, of a law all of them
    const int many = SECOND_EXPANSIONS && WITH_BODIES ? 2 : EXPANSIONS, stride = t.locals_stride / (OWN_SOFTENINGS ? 2 : EXPANSIONS);
    const real *above = LOCALS_OF(t, parent, 0);
    real *own = LOCALS_OF(t, g, 0);
    for (int k = 0; k < many; k++, above += stride, own += stride) {
#pragma unroll
        for (int i = 0; i < LOCALS; i++) L[i] = own[i];
        load_record<LOCALS>(above, from);
        to_child(d.x * per_unit, d.y * per_unit, d.z * per_unit, ratio, from, L);
#pragma unroll
        for (int i = 0; i < LOCALS; i++) own[i] = L[i];
    }
}
#endif
