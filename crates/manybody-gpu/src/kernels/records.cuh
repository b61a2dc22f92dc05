// Records in memory. Shared memory holds them in planes of 16 bytes, so that neighbouring lanes meet no bank conflicts
// however large a record is.
#define PER_PIECE (16 / sizeof(real))
#define PIECES (NF / PER_PIECE)
struct alignas(16) Piece { real f[PER_PIECE]; };

static __device__ __forceinline__ Body load(const Piece* from, const u32 plane) {
    Body b;
#pragma unroll
    for (int p = 0; p < PIECES; p++) {
        const Piece piece = from[p * plane];
#pragma unroll
        for (int k = 0; k < PER_PIECE; k++) b.f[p * PER_PIECE + k] = piece.f[k];
    }
    return b;
}
static __device__ __forceinline__ void store(Piece* to, const u32 plane, const Body& b) {
#pragma unroll
    for (int p = 0; p < PIECES; p++) {
        Piece piece;
#pragma unroll
        for (int k = 0; k < PER_PIECE; k++) piece.f[k] = b.f[p * PER_PIECE + k];
        to[p * plane] = piece;
    }
}

// A kernel that ends an evaluation can go on to move the bodies: see step.cuh.
#if STEP
#define STEP_ARGS , const Step step
#define STEP_LAST_ARGS , const u32 last, const Step step
#else
#define STEP_ARGS
#define STEP_LAST_ARGS
#endif
