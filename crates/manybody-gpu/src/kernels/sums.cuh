// How terms are added: the twin of summation.rs in the library. SUM is the choice, and what it calls for is `Held`, which
// keeps the sums of one body, and `Slot`, the type in which they leave a kernel. Bags of BAG terms (0: all) are added up
// in `real` and then given to `add`; `bags` counts those before.
#define OWN 0       // the traversal's own: bags of tiles
#define DIRECT 1    // one running sum
#define BLOCKED 2   // a sum per bag, added to the sum of bags [Hamada 2007, sect. 2.2]
#define PAIRWISE 3  // sums of two sums
#define COMPENSATED 4
#define DOUBLE 5
#define FIXED 6

#if SUM == FIXED
// 64-bit integers: their sum is the same in any order. A sum outside [-2^62, 2^62) has left its range and stays LEFT; a
// term is below 2^61, so that no addition wraps around unseen.
typedef long long Slot;
typedef long long Gathered;
#define LEFT (-0x7fffffffffffffffll - 1)
#define UNITS_ARGS , const double* __restrict__ units /* units a result [NO], what a unit is worth [NO] */
static __device__ __forceinline__ long long add_fixed(const long long a, const long long b, const bool fits) {
    const long long sum = (long long)((u64)a + (u64)b);
    return fits && (sum ^ (long long)((u64)sum << 1)) >= 0 ? sum : LEFT;
}
// a better match for slots than the law's own merge
static __device__ __forceinline__ void merge(long long (&a)[NO], const long long (&b)[NO]) {
    for (int o = 0; o < NO; o++) a[o] = add_fixed(a[o], b[o], b[o] != LEFT);
}
static __device__ __forceinline__ double gathered(const long long a, const double* units, const int o) {
    return a == LEFT ? __longlong_as_double(0x7ff8000000000000ll) : (double)a * units[NO + o];
}
#define GATHERED(a, o) gathered(a, units, o)
#elif SUM == OWN
typedef real Slot;
typedef double Gathered;
#define UNITS_ARGS
#define GATHERED(a, o) (a)
#else
typedef double Slot;
typedef double Gathered;
#define UNITS_ARGS
#define GATHERED(a, o) (a)
#endif

#if SUM == DIRECT || SUM == BLOCKED
struct Held {
    real sum[NO];
};
static __device__ __forceinline__ void add(Held& h, const int o, const real term, u32, real) { h.sum[o] += term; }
static __device__ __forceinline__ Slot total(const Held& h, const int o, u32) { return h.sum[o]; }
#elif SUM == PAIRWISE
#define LEVELS 27  // of leaves of 32 terms: u32 terms in all
struct Held {
    real level[LEVELS][NO];  // sums of 2^k bags, where bit k of `bags` is set
};
static __device__ __forceinline__ void add(Held& h, const int o, real sum, const u32 bags, real) {
    int k = 0;
    for (; bags >> k & 1; k++) sum += h.level[k][o];
    h.level[k][o] = sum;
}
static __device__ __forceinline__ Slot total(const Held& h, const int o, const u32 bags) {
    real sum = 0;
    for (int k = 0; k < LEVELS; k++)
        if (bags >> k & 1) sum += h.level[k][o];
    return sum;
}
#elif SUM == COMPENSATED
struct Held {
    real sum[NO], lost[NO];
};
// two-sum [Knuth 1998]: `s` and what it lost are together the old sum and the term. These functions are what they say
// whatever the compiler is allowed: no option fuses or regroups them.
static __device__ __forceinline__ void add(Held& h, const int o, const real term, u32, real) {
    const real old = h.sum[o], s = __fadd_rn(old, term), part = __fsub_rn(s, old);
    const real lost = __fadd_rn(__fsub_rn(old, __fsub_rn(s, part)), __fsub_rn(term, part));
    h.sum[o] = s;
    h.lost[o] = __fadd_rn(h.lost[o], lost);
}
static __device__ __forceinline__ Slot total(const Held& h, const int o, u32) { return (double)h.sum[o] + h.lost[o]; }
#elif SUM == DOUBLE
struct Held {
    double sum[NO];
};
static __device__ __forceinline__ void add(Held& h, const int o, const real term, u32, real) { h.sum[o] += term; }
static __device__ __forceinline__ Slot total(const Held& h, const int o, u32) { return h.sum[o]; }
#elif SUM == FIXED
struct Held {
    long long sum[NO];
};
static __device__ __forceinline__ void add(Held& h, const int o, real term, u32, const real scale) {
    term *= scale;
    // the comparison is false for NaN, too
    h.sum[o] = add_fixed(h.sum[o], __float2ll_rn(term), fabsf(term) < 2305843009213693952.f);
}
static __device__ __forceinline__ Slot total(const Held& h, const int o, u32) { return h.sum[o]; }
#endif
