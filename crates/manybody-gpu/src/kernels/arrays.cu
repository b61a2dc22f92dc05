// Arrays of other packages in the device's memory: read in place, however they lie there, and results written where their
// owners want them. Compiled without contraction and flushing: the numbers are those that the host would make.
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

#define THREADS 256
#define NONE 0xffffffffu

// the kinds of numbers, as `Kind` has them
enum { F32, F64, F16, BF16, I8, I16, I32, I64, U8, U16, U32, U64 };
// what a number becomes: (q - origin) scale - middle, or half the square of q scale, `least` at least, less middle; then
// perhaps what f32 lacks of that
enum { AFFINE, HALF_SQUARE };
// what a number must be: finite; finite and 0 or more; a whole number from 0, below `most_ids`
enum { FINITE, POSITIVE, ID };
// what a result may be: any, or finite, or infinite in the direction of no partner
enum { RESULT_FINITE, RESULT_LEAST, RESULT_MOST };

// A column of bodies. Without an address every body has the number `one`.
struct Source {
    u64 address;
    i64 stride;  // bytes
    double one, origin, scale, least, middle;
    u32 kind, form, rule, low;
};

// Where a column of results goes.
struct Sink {
    u64 address;
    i64 stride;               // bytes
    double factor, factor_of_scaled, unit;
    u32 kind, rule, from, scaled;  // rows of the sums; `scaled` is `NONE` but for the logarithm of a sum
};

// What one block found in a column.
struct Found {
    double low, high, sum, moment;
    u32 bad, zeros, same, pad;
};

static_assert(sizeof(Source) == 72 && sizeof(Sink) == 56 && sizeof(Found) == 48, "as the host has them");

// A word of so many bytes, at any address.
template <typename T>
static __device__ __forceinline__ T word(const u64 address) {
    if (address % sizeof(T) == 0) return *(const T*)address;
    T word;
    for (u32 k = 0; k < sizeof(T); k++) ((u8*)&word)[k] = ((const u8*)address)[k];
    return word;
}

static __device__ __forceinline__ double number(const u32 kind, const u64 address) {
    switch (kind) {
        case F32: return word<float>(address);
        case F64: return word<double>(address);
        case F16: {
            float wide;
            asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(word<u16>(address)));
            return wide;
        }
        case BF16: return __uint_as_float((u32)word<u16>(address) << 16);
        case I8: return word<signed char>(address);
        case I16: return word<short>(address);
        case I32: return word<int>(address);
        case I64: return (double)word<i64>(address);
        case U8: return word<u8>(address);
        case U16: return word<u16>(address);
        case U32: return word<u32>(address);
        default: return (double)word<u64>(address);
    }
}

static __device__ __forceinline__ double read(const Source& s, const u64 body) {
    return s.address ? number(s.kind, s.address + (i64)body * s.stride) : s.one;
}

static __device__ __forceinline__ bool is_finite(const double q) {
    return (__double_as_longlong(q) & 0x7ff0000000000000ll) != 0x7ff0000000000000ll;
}

static __device__ __forceinline__ bool fits(const double q, const u32 rule, const double most_ids) {
    if (!is_finite(q)) return false;
    return rule == FINITE || (q >= 0.0 && (rule == POSITIVE || (q == trunc(q) && q < most_ids)));
}

static __device__ __forceinline__ void join(Found& a, const Found& b) {
    a.low = fmin(a.low, b.low);
    a.high = fmax(a.high, b.high);
    a.sum += b.sum;
    a.moment += b.moment;
    a.bad = min(a.bad, b.bad);
    a.zeros += b.zeros;
    a.same &= b.same;
}

// What the host has to know of columns: found [gridDim.y columns][gridDim.x blocks], always in the same order. `at` are the
// bodies that count, of a list, or null for the first n. `mass` is the column that moments are taken with, or `NONE`.
extern "C" __global__ void __launch_bounds__(THREADS) survey(const Source* __restrict__ sources, const u32* __restrict__ at,
                                                             const u32 n, const u32 mass, const double most_ids,
                                                             Found* __restrict__ found) {
    __shared__ Found held[THREADS];
    const Source s = sources[blockIdx.y], m = sources[mass == NONE ? blockIdx.y : mass];
    const double infinity = __longlong_as_double(0x7ff0000000000000ll);
    Found mine = {infinity, -infinity, 0.0, 0.0, NONE, 0, 1, 0};
    const i64 first = __double_as_longlong(read(s, at ? at[0] : 0));
    for (u64 k = blockIdx.x * THREADS + threadIdx.x; k < n; k += (u64)gridDim.x * THREADS) {
        const u32 body = at ? at[k] : (u32)k;
        const double q = read(s, body);
        mine.low = fmin(mine.low, q);
        mine.high = fmax(mine.high, q);
        mine.sum += q;
        if (mass != NONE) mine.moment += q * read(m, body);
        if (!fits(q, s.rule, most_ids)) mine.bad = min(mine.bad, (u32)k);
        mine.zeros += q == 0.0;
        mine.same &= __double_as_longlong(q) == first;
    }
    held[threadIdx.x] = mine;
    for (u32 half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) join(held[threadIdx.x], held[threadIdx.x + half]);
    }
    if (threadIdx.x == 0) found[(u64)blockIdx.y * gridDim.x + blockIdx.x] = held[0];
}

// Columns [gridDim.y][n] of a kernel's numbers.
template <typename T>
static __device__ __forceinline__ void take(const Source* __restrict__ sources, const u32* __restrict__ at, const u32 n,
                                            T* __restrict__ columns) {
    const u32 k = blockIdx.x * THREADS + threadIdx.x;
    if (k >= n) return;
    const Source s = sources[blockIdx.y];
    const double q = read(s, at ? at[k] : k);
    const double scaled = (q - s.origin) * s.scale;
    const double plain = s.form == AFFINE ? scaled : fmax(0.5 * (scaled * scaled), s.least);
    const double moved = plain - s.middle;
    const double low = is_finite(moved) ? moved - (double)(float)moved : 0.0;
    columns[(u64)blockIdx.y * n + k] = (T)(s.low ? low : moved);
}
extern "C" __global__ void __launch_bounds__(THREADS) take_f32(const Source* __restrict__ sources,
                                                               const u32* __restrict__ at, const u32 n,
                                                               float* __restrict__ columns) {
    take(sources, at, n, columns);
}
extern "C" __global__ void __launch_bounds__(THREADS) take_f64(const Source* __restrict__ sources,
                                                               const u32* __restrict__ at, const u32 n,
                                                               double* __restrict__ columns) {
    take(sources, at, n, columns);
}

// Sums [rows][stride] to their owners' memory, body k to place at[k]. `bad` [2][gridDim.y]: the first body whose result is not
// as it must be, and the first with an infinite one.
extern "C" __global__ void __launch_bounds__(THREADS) deliver(const double* __restrict__ sums, const u64 stride,
                                                              const Sink* __restrict__ sinks, const u32* __restrict__ at,
                                                              const u32 n, u32* __restrict__ bad) {
    const u32 k = blockIdx.x * THREADS + threadIdx.x;
    if (k >= n) return;
    const Sink s = sinks[blockIdx.y];
    double q = sums[s.from * stride + k] * s.factor;
    if (s.scaled != NONE) q += log(sums[s.scaled * stride + k] * s.factor_of_scaled);
    q *= s.unit;
    const u32 body = at ? at[k] : k;
    if (!is_finite(q)) {
        const bool is_fine = q == q && ((s.rule == RESULT_LEAST && q > 0.0) || (s.rule == RESULT_MOST && q < 0.0));
        if (!is_fine) atomicMin(&bad[blockIdx.y], body);
        if (q == q) atomicMin(&bad[gridDim.y + blockIdx.y], body);
    }
    const u64 to = s.address + (i64)body * s.stride;
    switch (s.kind) {
        case F32: *(float*)to = (float)q; break;
        case I64: *(i64*)to = (i64)q; break;
        default: *(double*)to = q;
    }
}

// Whether two bodies without softening are at one place, and one of them has a mass: an open hash table [mask + 1] of their
// indices, `NONE` where it is empty. Of bodies at one place the first that comes stands for all.
extern "C" __global__ void __launch_bounds__(THREADS) apart(const Source* __restrict__ sources, const u32 n,
                                                            u32* __restrict__ table, const u32 mask,
                                                            u32* __restrict__ found) {
    const u32 body = blockIdx.x * THREADS + threadIdx.x;
    if (body >= n || read(sources[4], body) != 0.0) return;
    double x[3];
    u64 hash = 0;
    for (u32 k = 0; k < 3; k++) {
        x[k] = read(sources[k], body) + 0.0;  // -0 and 0 are one place
        hash = (hash ^ (u64)__double_as_longlong(x[k])) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 29;
    }
    for (u32 at = (u32)hash & mask;; at = (at + 1) & mask) {
        const u32 other = atomicCAS(&table[at], NONE, body);
        if (other == NONE) return;
        bool same = true;
        for (u32 k = 0; k < 3; k++) same = same && x[k] == read(sources[k], other);
        if (!same) continue;
        if (read(sources[3], body) + read(sources[3], other) > 0.0) atomicMin(found, body);
        return;
    }
}
