// Expansions whose coefficients do not fit the registers of a thread: loops over coefficients in shared memory, by the lanes of a
// warp.

#define TETRAHEDRON(d) ((d) * ((d) + 1) * ((d) + 2) / 6)
#define TRIANGLE(a) ((a) * ((a) + 1) / 2)
#define COEFFICIENTS TETRAHEDRON(ORDER + 1)
#define ALL_MOMENTS TETRAHEDRON(ORDER)

// The row of a triangle in which number i is.
static __device__ __forceinline__ int row_of(int i) {
    int a = 0;
    while (TRIANGLE(a + 1) <= i) a++;
    return a;
}

// The exponents of all coefficients: degree d, a and z, at TETRAHEDRON(d) + TRIANGLE(a) + z. By all threads of a block.
static __device__ __forceinline__ void write_exponents(uchar4 *to) {
    for (int i = threadIdx.x; i < COEFFICIENTS; i += blockDim.x) {
        int d = 0;
        while (TETRAHEDRON(d + 1) <= i) d++;
        const int at = i - TETRAHEDRON(d), a = row_of(at);
        to[i] = make_uchar4(d, a, at - TRIANGLE(a), 0);
    }
    __syncthreads();
}

// Reads moments up to degree ORDER - 1, those of degree d times ratio^d; of degree 1 there may be no moments.
template <typename F> static __device__ __forceinline__ void read_moments(real *to, real ratio, F given) {
    real power = real(1);
    for (int d = 0; d < ORDER; d++, power *= ratio) {
        const bool are_there = d != 1 || DIPOLES;
        for (int i = TETRAHEDRON(d) + lane(); i < TETRAHEDRON(d + 1); i += 32)
            to[i] = are_there ? given(i - (d > 1 && !DIPOLES ? 3 : 0)) * power : real(0);
    }
}

// Shifts coefficients up to degree `highest` along an axis, in place: with h_k = step^k / k! each becomes
// sum_k h_k c_{n-k} (`down`) or sum_k h_k c_{n+k}. A lane has all that differ in this exponent alone.
static __device__ __forceinline__ void shift(real *c, real *powers, int axis, real step, int highest, bool down) {
    const int ln = lane();
    __syncwarp();
    if (ln <= highest) {
        real power = real(1);
        for (int k = 1; k <= ln; k++) power *= step / real(k);
        powers[ln] = power;
    }
    __syncwarp();
    for (int line = ln; line < TRIANGLE(highest + 1); line += 32) {
        // the other exponents are u and v
        const int both = row_of(line), v = line - TRIANGLE(both), u = both - v, most = highest - both;
        const auto at = [&](int w) {
            const int a = axis == 0 ? both : axis == 1 ? w + v : v + w, z = axis == 2 ? w : v;
            return TETRAHEDRON(both + w) + TRIANGLE(a) + z;
        };
        for (int q = 0; q <= most; q++) {
            const int w = down ? most - q : q;
            real sum = c[at(w)];
            for (int k = 1; k <= (down ? w : most - w); k++) sum = m_fma(powers[k], c[at(down ? w - k : w + k)], sum);
            c[at(w)] = sum;
        }
    }
    __syncwarp();
}
