// Numbers that thread blocks of one launch publish for each other: each half of a number carries a tag, in one access of 64 bits, so that
// a reader waits for nothing else. blocks.cuh is ahead.

// A number, each half beside a tag.
static __device__ __forceinline__ void publish(uint4* to, const double value, const u32 tag) {
    const u32 low = __double2loint(value), high = __double2hiint(value);
    asm volatile("{\n.reg .b64 a, b;\nmov.b64 a, {%1, %2};\nmov.b64 b, {%3, %2};\n"
                 "st.relaxed.gpu.global.v2.b64 [%0], {a, b};\n}" ::"l"(to), "r"(low), "r"(tag), "r"(high)
                 : "memory");
}
static __device__ __forceinline__ uint4 look(const uint4* from) {
    uint4 cell;
    asm volatile("{\n.reg .b64 a, b;\nld.relaxed.gpu.global.v2.b64 {a, b}, [%4];\n"
                 "mov.b64 {%0, %1}, a;\nmov.b64 {%2, %3}, b;\n}"
                 : "=r"(cell.x), "=r"(cell.y), "=r"(cell.z), "=r"(cell.w)
                 : "l"(from)
                 : "memory");
    return cell;
}
static __device__ __forceinline__ bool is_new(const uint4 cell, const u32 tag) { return cell.y == tag && cell.w == tag; }
static __device__ __forceinline__ double number(const uint4 cell) { return __hiloint2double(cell.z, cell.x); }
// The first `count` cells, `stride` apart: loads are in flight together.
template <int N>
static __device__ __forceinline__ void wait_for(uint4 (&cells)[N], const uint4* from, const u32 stride, const int count,
                                                const u32 tag) {
    bool all;
    do {
        all = true;
#pragma unroll
        for (int k = 0; k < N; k++)
            if (k < count) cells[k] = look(from + (u64)k * stride);
#pragma unroll
        for (int k = 0; k < N; k++) all = all && (k >= count || is_new(cells[k], tag));
    } while (!all);
}
