// Index maps: which cell of a triangle or a tetrahedron a block works on. The twins of maps.wgsl and of manybody::map,
// whose pages have the formulas, the argument for the exact roots, and how far the published ones are right.
//
// A map is a function bool map_NAME(domain, x, y, i, j): block (x, y) of the launch works on cell (i, j), i >= j, or has no
// work. Published maps give what their formula gives: where the root has gone wrong, a cell that another block has too
// or one outside the triangle, and a kernel's own j < i < n discards that.
struct Domain {
    u32 rows;   // of the triangle with a diagonal that has the same cells
    u32 shift;  // 1 without the diagonal: rows are moved down by one
    u32 cells;  // how many
    u32 width;  // of the launch: block (x, y) has the index w = x + width y
    u32 level;  // of rec: which launch; 32 for the diagonal
};

// T(n) = n (n + 1) / 2 without an intermediate value larger than the result
template <class I> static __device__ __forceinline__ I triangle_number(I n) { return ((n + 1) >> 1) * (n | 1); }

// The row of w; w becomes the place in the row. The root sqrt(2 w + 1/4) - 1/2 is guessed as sqrt(2) sqrt(w) - 9/16, which
// is too small by 1/16 to 9/16. The root instruction is right to a few units of the last place and the root at most 92,681,
// which adds less than 1/16 either way: so the guess is never too large and less than 1 too small, its integer part g is
// the row or the one before, and one comparison decides. v = 2 w - g (g + 1) is small, so it comes out right modulo 2^32;
// taking the next row's 2 (g + 1) off it wraps around unless w is in that row: the smaller of the two is twice the place.
// not_g is ~g = -(g + 1), which rounding the negative guess down gives; for w = 0 it is 0, g is -1, and the next row right.
static __device__ __forceinline__ u32 triangle_root(u32& w) {
    float s;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(s) : "f"((float)w));
    const u32 not_g = (u32)__float2int_rd(fmaf(s, -1.41421356f, 0.5625f));
    const u32 v = ~not_g * not_g + 2 * w, after = v + 2 * not_g;
    w = min(v, after) >> 1;
    return (u32)((int)after >> 31) - not_g;
}
// 64 bits: the guess is off by less than 3e-6, less 1/16
static __device__ __forceinline__ u64 triangle_root(u64& w) {
    const u64 g = (u64)fmax(__dsqrt_rn(fma(2.0, (double)w, 0.25)) - 0.5625, 0.0);
    w -= triangle_number(g);
    const bool next = w > g;
    w -= next ? g + 1 : 0;
    return g + next;
}

static __device__ __forceinline__ bool map_bb(const Domain& d, u32 x, u32 y, u32& i, u32& j) {
    i = y, j = x;
    return x + d.shift <= y;
}

static __device__ __forceinline__ bool map_rb(const Domain& d, u32 x, u32 y, u32& i, u32& j) {
    const u32 odd = d.rows & 1, m = d.rows - 1;
    const bool stays = y + odd > x;
    i = (stays ? y + odd - 1 : m - y) + d.shift;
    j = stays ? x : m + odd - x;
    return true;
}

static __device__ __forceinline__ bool map_rec(const Domain& d, u32 x, u32 y, u32& i, u32& j) {
    if (d.level == 32) {
        i = j = x;
        return true;
    }
    const u32 side = 1u << d.level, corner = (y >> d.level) << (d.level + 1);
    i = corner | side | (y & (side - 1));
    j = corner | x;
    return true;
}

static __device__ __forceinline__ bool map_lambda(const Domain& d, u32 x, u32 y, u32& i, u32& j) {
    u32 w = x + d.width * y;
    if (w >= d.cells) return false;
    i = triangle_root(w) + d.shift;
    j = w;
    return true;
}

static __device__ __forceinline__ bool map_utm(const Domain& d, u32 x, u32 y, u32& i, u32& j) {
    const u32 k = x + d.width * y;
    if (k >= d.cells) return false;
    u32 from_end = d.cells - 1 - k;
    const u32 r = triangle_root(from_end);
    i = d.rows - 1 - from_end + d.shift;
    j = d.rows - 1 - r;
    return true;
}

// The published roots. `row` is the integer part of root -+ 1/2, less one without the diagonal.
template <class F> static __device__ __forceinline__ bool published(const Domain& d, u32 x, u32 y, u32& i, u32& j, F root) {
    const u32 w = x + d.width * y;
    if (w >= d.cells) return false;
    const float at = fmaf(2.0f, (float)w, 0.25f);  // 2 w is exact, so this rounds as the sum does
    const u32 r = (u32)__fadd_rn(root(at), d.shift ? 0.5f : -0.5f) - d.shift;
    i = r + d.shift;
    j = w - triangle_number(r);
    return true;
}
static __device__ __forceinline__ float root_f32(float x) { return __fsqrt_rn(x); }
static __device__ __forceinline__ float root_rsqrt(float x) { return __fadd_rn(__fmul_rn(x, rsqrtf(x)), 1e-4f); }
static __device__ __forceinline__ float root_rsqrt_fused(float x) { return fmaf(x, rsqrtf(x), 1e-4f); }
static __device__ __forceinline__ float root_newton(float x) {
    const float half = __fmul_rn(0.5f, x);
    float y = __int_as_float(0x5f3759df - (__float_as_int(x) >> 1));
    for (int k = 0; k < 3; k++) y = __fmul_rn(y, __fsub_rn(1.5f, __fmul_rn(__fmul_rn(half, y), y)));
    return __fadd_rn(__fmul_rn(x, y), 1e-4f);
}
static __device__ __forceinline__ float root_newton_fused(float x) {
    const float half = 0.5f * x;
    float y = __int_as_float(0x5f3759df - (__float_as_int(x) >> 1));
    for (int k = 0; k < 3; k++) y = __fmul_rn(y, fmaf(-__fmul_rn(half, y), y, 1.5f));
    return fmaf(x, y, 1e-4f);
}
#define PUBLISHED(NAME)                                                                                                \
    static __device__ __forceinline__ bool map_lambda_##NAME(const Domain& d, u32 x, u32 y, u32& i, u32& j) {          \
        return published(d, x, y, i, j, root_##NAME);                                                                  \
    }
PUBLISHED(f32)
PUBLISHED(rsqrt)
PUBLISHED(rsqrt_fused)
PUBLISHED(newton)
PUBLISHED(newton_fused)

static __device__ __forceinline__ bool map_lambda_f64(const Domain& d, u32 x, u32 y, u32& i, u32& j) {
    const u32 w = x + d.width * y;
    if (w >= d.cells) return false;
    const u32 r = (u32)(__dsqrt_rn(0.25 + 2.0 * w) + (d.shift ? 0.5 : -0.5)) - d.shift;
    i = r + d.shift;
    j = w - triangle_number(r);
    return true;
}

// a = floor((2n + 1 - sqrt((2n - 1)^2 - 8k)) / 2), counted from 1, for n = rows + 1 bodies
template <class F> static __device__ __forceinline__ bool published_utm(const Domain& d, u32 x, u32 y, u32& i, u32& j, F row) {
    const u32 k = x + d.width * y;
    if (k >= d.cells) return false;
    const u64 n = d.rows + 1;
    const u64 a = row(n, (2 * n - 1) * (2 * n - 1) - 8 * (u64)k), b = a + 1 + k - (a - 1) * (2 * n - a) / 2;
    i = (u32)b - 2 + d.shift;
    j = (u32)a - 1;
    return true;
}
static __device__ __forceinline__ u64 row_f32(u64 n, u64 under) {
    return (u64)(__fmul_rn(__fsub_rn((float)(2 * n + 1), __fsqrt_rn((float)under)), 0.5f));
}
static __device__ __forceinline__ u64 row_f64(u64 n, u64 under) {
    return (u64)(((double)(2 * n + 1) - __dsqrt_rn((double)under)) * 0.5);
}
static __device__ __forceinline__ bool map_utm_f32(const Domain& d, u32 x, u32 y, u32& i, u32& j) {
    return published_utm(d, x, y, i, j, row_f32);
}
static __device__ __forceinline__ bool map_utm_f64(const Domain& d, u32 x, u32 y, u32& i, u32& j) {
    return published_utm(d, x, y, i, j, row_f64);
}

// The maps with a table.
// band: rows x columns with low <= j - i <= high. The table has the number of segments, low as two's complement, then for
// each segment: its first row, rows, width of the first row, growth (0, 1, or -1), index of its first cell, cells.
static __device__ __forceinline__ bool map_band(const Domain& d, const u32* __restrict__ t, u32 x, u32 y, u32& i, u32& j) {
    const u32 w = x + d.width * y;
    if (w >= d.cells) return false;
    u32 s = 0;
    for (u32 k = 1; k < t[0]; k++) s = t[2 + 6 * k + 4] <= w ? k : s;
    const u32* const g = t + 2 + 6 * s;
    const u32 v = w - g[4], width = g[2];
    u32 row, place;
    if (g[3] == 0) {
        row = v / width, place = v % width;
    } else if (g[3] == 1) {
        u32 u = v + triangle_number(width - 1);  // the missing tip is the triangle of width - 1 rows
        row = triangle_root(u) + 1 - width, place = u;
    } else {  // upside down, so that the widths grow
        const u32 last = width + 1 - g[1];
        u32 u = g[5] - 1 - v + triangle_number(last - 1);
        const u32 r = triangle_root(u);
        row = g[1] + last - 2 - r, place = r - u;
    }
    i = g[0] + row;
    const int first = (int)i + (int)t[1];
    j = (first > 0 ? first : 0) + place;
    return true;
}
// mask: the number of rows that are not empty, which they are, where each starts and the last ends, the columns
static __device__ __forceinline__ bool map_mask(const Domain& d, const u32* __restrict__ t, u32 x, u32 y, u32& i, u32& j) {
    const u32 w = x + d.width * y, rows = t[0];
    if (w >= d.cells) return false;
    const u32* const starts = t + 1 + rows;
    u32 low = 0, high = rows;
    while (high - low > 1) {
        const u32 middle = (low + high) / 2;
        if (starts[middle] <= w) low = middle; else high = middle;
    }
    i = t[1 + low];
    j = starts[rows + 1 + w];
    return true;
}

// T3(n) = n (n + 1) (n + 2) / 6; 3 divides n (n + 1) / 2 or n + 2
template <class I> static __device__ __forceinline__ I tetrahedron_number(I n) {
    const I t = triangle_number(n), top = n + 2;
    return top % 3 == 0 ? t * (top / 3) : t / 3 * top;
}
// The layer of block w. The cube root: a third of the exponent, then two of Halley's steps.
template <class I> static __device__ __forceinline__ I settle_layer(I g, I w) {
    g = g > 0 ? g - 1 : 0;
    const I start = tetrahedron_number(g);
    return start > w ? g - 1 : g + (w - start >= triangle_number(g + 1) ? 1 : 0);
}
static __device__ __forceinline__ u32 tetrahedron_root(u32 w) {
    const float x = 6.0f * (float)w;
    float y = __int_as_float(__float_as_int(x) / 3 + 709921077);
    for (int k = 0; k < 2; k++) {
        const float cube = y * y * y;
        y *= (cube + 2.0f * x) / (2.0f * cube + x);
    }
    return settle_layer((u32)y, w);
}
static __device__ __forceinline__ u64 tetrahedron_root(u64 w) {
    return settle_layer((u64)cbrt(6.0 * (double)w), w);
}
static __device__ __forceinline__ void inside_layer(const Domain& d, u32 w, u32 z, u32& i, u32& j, u32& k) {
    w -= tetrahedron_number(z);
    i = z + 2 * d.shift;
    j = triangle_root(w) + d.shift;
    k = w;
}
static __device__ __forceinline__ bool map_tetrahedron(const Domain& d, u32 w, u32& i, u32& j, u32& k) {
    if (w >= d.cells) return false;
    inside_layer(d, w, tetrahedron_root(w), i, j, k);
    return true;
}
// the succinct table: the exponent of a stretch (in `level`), and the layer of the first block of each stretch
static __device__ __forceinline__ bool map_tetrahedron_table(const Domain& d, const u32* __restrict__ t, u32 w, u32& i, u32& j, u32& k) {
    if (w >= d.cells) return false;
    u32 low = t[w >> d.level], high = t[(w >> d.level) + 1] + 1;
    while (high - low > 1) {
        const u32 middle = (low + high) / 2;
        if (tetrahedron_number(middle) <= w) low = middle; else high = middle;
    }
    inside_layer(d, w, low, i, j, k);
    return true;
}
// As published: the real root of z^3 + 3 z^2 + 2 z = 6 w in closed form. Wrong almost at once.
static __device__ __forceinline__ bool map_tetrahedron_f32(const Domain& d, u32 w, u32& i, u32& j, u32& k) {
    if (w >= d.cells) return false;
    const float v = (float)w, p = cbrtf(__fsqrt_rn(729.0f * v * v - 3.0f) + 27.0f * v);
    const float root = p / 2.0800838f + 1.0f / (1.4422495f * p) - 1.0f;
    inside_layer(d, w, w == 0 ? 0 : (u32)root, i, j, k);
    return true;
}
static __device__ __forceinline__ bool map_tetrahedron_f64(const Domain& d, u32 w, u32& i, u32& j, u32& k) {
    if (w >= d.cells) return false;
    const double v = w, p = cbrt(sqrt(729.0 * v * v - 3.0) + 27.0 * v);
    inside_layer(d, w, w == 0 ? 0 : (u32)(p / cbrt(9.0) + 1.0 / (cbrt(3.0) * p) - 1.0), i, j, k);
    return true;
}
