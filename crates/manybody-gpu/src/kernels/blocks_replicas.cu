// Block time steps of Hermite's schemes that never leave the device, of few bodies: one launch makes all blocks of a step of the run, and
// each multiprocessor, or each cluster of C, has all bodies. THREADS, EACH, C and CHUNK are defined ahead, and blocks.cuh has
// what a body is and does.
//
// A group of C thread blocks has all bodies in its shared memory, EACH of a thread. All groups hold the same bits, and find the same times and
// the same targets. In a block of steps
//   1. each group finds the time of the block, and which bodies are due
//   2. targets are dealt out to the groups; each thread sums what its bodies do to a target, and the group publishes the sums
//   3. each group reads the sums of all targets and corrects these, each thread block its own, CHUNK at a time
// That is one exchange between groups. What is published lies in one of RING places by turns, and no group runs ahead of another by more
// than these. No atomics in sums, and how many groups there are changes no bit.
#define WARPS (THREADS / 32)
#define OWN (THREADS * EACH)
#define FIELDS (2 * SUMS + 2)
// targets of a thread block that a group sums at a time
#define BATCH (C == 1 ? 8 : 16)
#define RING 32
// blocks from one check that others are not far behind to the next
#define CHECKED 8
// targets that a thread sums at a time, as far as there are registers: their loads and folds overlap
#define MANY (ORDER == 4 && (MIXED || (C > 1 && EACH <= 4)) ? 4 : 2)
// numbers that a thread reads at a time
#define READ (ORDER == 6 && C > 1 ? 1 : 2)
static_assert(CHUNK <= THREADS, "a thread corrects one target of a chunk");
// bodies of a thread that lie in its registers, too, as far as there are registers: reading all from shared memory takes longer than
// predicting them
#define KEPT (ORDER == 6 || EACH > 4 ? 0 : MIXED ? EACH : C == 1 ? EACH / 2 + 1 : 0)
static_assert(RING % CHECKED == 0 && RING / 2 >= CHECKED, "places of the ring are used again when all have read them");
// added to a level where a body needs a shorter step than there is
#define STOPS 4096

#if C > 1
// The address of a place of this thread block's shared memory in that of another of the cluster.
static __device__ __forceinline__ u32 place_at(const void* place, const u32 block) {
    u32 there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((u32)__cvta_generic_to_shared(place)), "r"(block));
    return there;
}
static __device__ __forceinline__ void put(int* place, const u32 block, const int value) {
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(place_at(place, block)), "r"(value) : "memory");
}
static __device__ __forceinline__ void put(Source* place, const u32 block, const Source& value) {
    const u32 there = place_at(place, block);
    const uint4* words = (const uint4*)&value;
#pragma unroll
    for (u32 w = 0; w < sizeof(Source) / 16; w++)
        asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(there + 16 * w), "r"(words[w].x), "r"(words[w].y),
                     "r"(words[w].z), "r"(words[w].w)
                     : "memory");
}
static __device__ __forceinline__ void wait_for_group() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
#else
static __device__ __forceinline__ void put(int* place, const u32, const int value) { *place = value; }
static __device__ __forceinline__ void put(Source* place, const u32, const Source& value) { *place = value; }
static __device__ __forceinline__ void wait_for_group() { __syncthreads(); }
#endif

// Sums over a warp, in a fixed order: half of the numbers stay with the lower lanes, and half with the upper ones, each time.
template <int N>
static __device__ __forceinline__ double fold(const double (&v)[N], const u32 lane, const u32 mask) {
    if constexpr (N == 1) {
        double all = v[0];
        for (u32 x = mask; x; x >>= 1) all += __shfl_xor_sync(FULL, all, x);
        return all;
    } else {
        constexpr int HALF = (N + 1) / 2;
        const bool is_upper = lane & mask;
        double kept[HALF];
#pragma unroll
        for (int i = 0; i < HALF; i++) {
            const double above = i + HALF < N ? v[i + HALF] : 0.0;
            kept[i] = (is_upper ? above : v[i]) + __shfl_xor_sync(FULL, is_upper ? v[i] : above, mask);
        }
        return fold(kept, lane, mask / 2);
    }
}
// Which of N numbers a lane has after that; NOT_FOLDED or more where it has no number of its own.
#define NOT_FOLDED 1024
template <int N>
static __device__ __forceinline__ u32 folded(const u32 lane, const u32 mask, const u32 count) {
    if constexpr (N == 1) {
        return count && !(mask && lane & (2 * mask - 1)) ? 0 : NOT_FOLDED;
    } else {
        constexpr u32 HALF = (N + 1) / 2;
        if (lane & mask) return HALF + folded<HALF>(lane, mask / 2, count > HALF ? count - HALF : 0);
        return folded<HALF>(lane, mask / 2, min(count, HALF));
    }
}
// What a thread's bodies do to T targets, added up over its warp: to[target][WARPS][SUMS], of those targets that are there.
template <int T>
static __device__ __forceinline__ void sum_targets(const Source* const (&target)[T], const Source (&source)[EACH], const u32 lane,
                                                   const int there, double* to) {
    static_assert(T * SUMS <= 32, "a lane has one number at most");
    Sums sums[T] = {};
#pragma unroll
    for (int k = 0; k < T; k++) {
        const Source one = *target[k];
#pragma unroll
        for (int z = 0; z < EACH; z++) sums[k].add(one, source[z]);
    }
    double total[T * SUMS];
#pragma unroll
    for (int q = 0; q < T * SUMS; q++) total[q] = sums[q / SUMS].of[q % SUMS];
    const double all = fold(total, lane, 16);
    const u32 which = folded<T * SUMS>(lane, 16, T * SUMS);
    if (which < (u32)there * SUMS) to[which / SUMS * (WARPS * SUMS) + which % SUMS] = all;
}

// How far a thread block has come.
static __device__ __forceinline__ void reach(u32* own, const u32 tag) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(own), "r"(tag) : "memory");
}
// Waits until all are as far as a tag.
static __device__ __forceinline__ void wait_for_all(const u32* reached, const u32 tag) {
    for (u32 x = threadIdx.x; x < gridDim.x; x += THREADS) {
        u32 other;
        do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(other) : "l"(reached + x) : "memory");
        while ((int)(tag - other) > 0);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    blocks(double* __restrict__ state, const double* __restrict__ mass, const double* __restrict__ half, u32* __restrict__ levels,
           const u32 n, const double unit, const double eta2, const int top, const int bottom, const u32 limited,
           const u32 first_tag, uint4* __restrict__ ring, u32* __restrict__ reached, u64* __restrict__ report
#if MIXED
           , const Frame frame
#endif
    ) {
#if !MIXED
    const Frame frame = {};
#endif
    // [FIELDS][OWN]: position and its derivatives, mass, and half of the square of the softening
    extern __shared__ __align__(16) double own[];
    // sums of targets that are corrected: [CHUNK][SUMS]
    double* found = own + FIELDS * OWN;
    // [OWN]: of this thread block's targets in the order of its list, place and level, and then the level of the next step
    u32* due = (u32*)(found + CHUNK * SUMS);
    __shared__ Source targets[C][BATCH];
    __shared__ double sums_of[C * BATCH][WARPS][SUMS];
    __shared__ int warp_level[WARPS], warp_count[EACH * WARPS], level_of[C], count_of[C];
    const u32 t = threadIdx.x, lane = t & 31, warp = t >> 5;
    const u32 group = blockIdx.x / C, groups = gridDim.x / C, block = blockIdx.x % C, first = block * OWN;

    int level[EACH];
#pragma unroll
    for (int z = 0; z < EACH; z++) {
        const u32 at = z * THREADS + t, b = first + at;
        // where there is no body, one without mass is at the place of the first, and no distance is 0
        const bool is_body = b < n;
        level[z] = is_body ? (int)levels[b] : -1;
#pragma unroll
        for (int q = 0; q < 2 * SUMS; q++) own[q * OWN + at] = is_body || q < 6 ? state[(u64)q * n + (is_body ? b : 0)] : 0.0;
        own[2 * SUMS * OWN + at] = is_body ? mass[b] : 0.0;
        own[(2 * SUMS + 1) * OWN + at] = is_body ? half[b] : 1.0;
    }
    Body kept[KEPT + 1];
#pragma unroll
    for (int z = 0; z < KEPT; z++) kept[z].load(own + z * THREADS + t, OWN);
    // this thread block has the bodies
    u32 tag = first_tag + 1;
    wait_for_group();
    if (t == 0) reach(reached + blockIdx.x, tag);
    u64 time = 0, made = 0, steps = 0;
    bool is_short = false;
    // k / groups of small k
    const u32 per_group = groups > 1 ? 0xffffffffu / groups + 1 : 0;
    auto by_groups = [&](const u32 k) { return groups > 1 ? __umulhi(k, per_group) : k; };
    // the first target of a thread block that this group has: those of different thread blocks begin at different groups
    auto first_of = [&](const u32 x) {
        const u32 back = x * (groups / C);
        return group >= back ? group - back : group + groups - back;
    };

    for (;;) {
        // 1. the time of the block, and the places of this thread block's targets in its list
        int deepest = level[0];
#pragma unroll
        for (int z = 1; z < EACH; z++) deepest = max(deepest, level[z]);
        deepest = __reduce_max_sync(FULL, is_short ? STOPS + deepest : deepest);
        if (lane == 0) warp_level[warp] = deepest;
        __syncthreads();
        for (u32 w = 0; w < WARPS; w++) deepest = max(deepest, warp_level[w]);
#if C > 1
        if (t < C) put(level_of + block, t, deepest);
        wait_for_group();
        for (u32 x = 0; x < C; x++) deepest = max(deepest, level_of[x]);
#endif
        if (deepest >= STOPS || time >= (1ull << BITS)) break;
        time = next_end(time, deepest);
        const int highest = highest_level(time);
        u32 ballot[EACH];
        Source source[EACH];
#pragma unroll
        for (int z = 0; z < EACH; z++) {
            ballot[z] = __ballot_sync(FULL, level[z] >= highest);
            if (lane == 0) warp_count[z * WARPS + warp] = __popc(ballot[z]);
        }
#pragma unroll
        for (int z = 0; z < EACH; z++) {
            const u32 at = z * THREADS + t;
            Body body;
            if (z < KEPT) body = kept[z];
            else body.load(own + at, OWN);
            const double elapsed = (double)elapsed_ticks(time, max(level[z], 0)) * unit;
            source[z] = body.at(elapsed, own[2 * SUMS * OWN + at], own[(2 * SUMS + 1) * OWN + at], frame);
        }
        __syncthreads();
        int rank[EACH], count = 0;
        {
            // the numbers ahead of each warp's, two a lane
            const u32 k = 2 * lane;
            const int c0 = k < EACH * WARPS ? warp_count[k] : 0, c1 = k + 1 < EACH * WARPS ? warp_count[k + 1] : 0;
            int inclusive = c0 + c1;
#pragma unroll
            for (u32 x = 1; x < 32; x <<= 1) {
                const int y = __shfl_up_sync(FULL, inclusive, x);
                if (lane >= x) inclusive += y;
            }
            count = __shfl_sync(FULL, inclusive, 31);
#pragma unroll
            for (int z = 0; z < EACH; z++) {
                const u32 slot = z * WARPS + warp;
                int ahead = __shfl_sync(FULL, inclusive - c0 - c1, slot / 2);
                const int c = __shfl_sync(FULL, c0, slot / 2);
                if (slot & 1) ahead += c;
                rank[z] = level[z] >= highest ? ahead + __popc(ballot[z] & ((1u << lane) - 1)) : -1;
                if (rank[z] >= 0) due[rank[z]] = (u32)level[z] << 16 | (z * THREADS + t);
            }
        }
        if (t < C) put(count_of + block, t, count);
        tag++;
        uint4* published = ring + (u64)(tag % RING) * (C * OWN * SUMS * C);

        // 2. targets rank = group, group + groups, ... of each thread block of the group
        u32 batches = 1, active = 0;
        for (u32 batch = 0; batch < batches; batch++) {
            if (batch) wait_for_group();
#pragma unroll
            for (int z = 0; z < EACH; z++) {
                const u32 r = rank[z], k = by_groups(r);
                if (rank[z] >= 0 && r - k * groups == first_of(block) && k / BATCH == batch)
                    for (u32 x = 0; x < C; x++) put(&targets[block][k % BATCH], x, source[z]);
            }
            wait_for_group();
            if (batch == 0) {
                u32 most = 0;
                for (u32 x = 0; x < C; x++) {
                    active += count_of[x];
                    most = max(most, (u32)count_of[x]);
                }
                batches = max(1u, (by_groups(most + groups - 1) + BATCH - 1) / BATCH);
            }
            // of the targets of each thread block, those of this group and batch, one after the other
            u32 until[C];
            int all = 0;
#pragma unroll
            for (u32 x = 0; x < C; x++) {
                const int left = (int)by_groups((u32)count_of[x] + groups - 1 - first_of(x)) - (int)(batch * BATCH);
                all += max(0, min(left, BATCH));
                until[x] = all;
            }
            auto block_of = [&](const u32 slot) {
                u32 x = 0;
#pragma unroll
                for (u32 y = 0; y + 1 < C; y++) x += slot >= until[y];
                return x;
            };
            auto place_of = [&](const u32 slot, const u32 x) {
                u32 begin = 0;
#pragma unroll
                for (u32 y = 0; y + 1 < C; y++)
                    if (y + 1 == x) begin = until[y];
                return slot - begin;
            };
            auto target = [&](const int slot) {
                const u32 s = min(slot, all - 1), x = block_of(s);
                return &targets[x][place_of(s, x)];
            };
            for (int s = 0; s < all;) {
                double* to = &sums_of[s][warp][0];
                const int left = all - s;
                if constexpr (MANY >= 4) {
                    if (left >= 3) {
                        sum_targets<4>({target(s), target(s + 1), target(s + 2), target(s + 3)}, source, lane, left, to);
                        s += 4;
                        continue;
                    }
                }
                if (left >= 2) {
                    sum_targets<2>({target(s), target(s + 1)}, source, lane, left, to);
                    s += 2;
                } else {
                    sum_targets<1>({target(s)}, source, lane, left, to);
                    s++;
                }
            }
            __syncthreads();
            for (u32 s = t; s < all * SUMS; s += THREADS) {
                const u32 q = s % SUMS, slot = s / SUMS, x = block_of(slot);
                const u32 r = (batch * BATCH + place_of(slot, x)) * groups + first_of(x);
                double sum[WARPS];
#pragma unroll
                for (u32 w = 0; w < WARPS; w++) sum[w] = sums_of[slot][w][q];
#pragma unroll
                for (u32 half = WARPS / 2; half; half /= 2)
#pragma unroll
                    for (u32 w = 0; w < half; w++) sum[w] += sum[w + half];
                publish(published + (u64)(x * C + block) * (OWN * SUMS) + r * SUMS + q, sum[0], tag);
            }
        }

        // 3. the sums of this thread block's targets, those of the thread blocks of a group added up in their order
        for (u32 begin = 0; begin < (u32)count; begin += CHUNK) {
            const u32 targets_here = min((u32)count - begin, CHUNK), numbers = targets_here * SUMS;
            if (begin) __syncthreads();
            const uint4* from = published + (u64)(block * C) * (OWN * SUMS) + begin * SUMS;
            for (u32 next = t; next < numbers; next += READ * THREADS) {
                uint4 cells[READ * C];
                bool all;
                do {
                    all = true;
#pragma unroll
                    for (u32 k = 0; k < READ * C; k++) {
                        const u32 place = next + k / C * THREADS;
                        if (place < numbers) cells[k] = look(from + k % C * (OWN * SUMS) + place);
                    }
#pragma unroll
                    for (u32 k = 0; k < READ * C; k++) all = all && (next + k / C * THREADS >= numbers || is_new(cells[k], tag));
                } while (!all);
#pragma unroll
                for (u32 k = 0; k < READ; k++) {
                    double sum = number(cells[k * C]);
#pragma unroll
                    for (u32 x = 1; x < C; x++) sum += number(cells[k * C + x]);
                    if (next + k * THREADS < numbers) found[next + k * THREADS] = sum;
                }
            }
            __syncthreads();
            if (t < targets_here) {
                const u32 r = begin + t, at = due[r] & 0xffff;
                const int old = due[r] >> 16;
                double sum[SUMS];
#pragma unroll
                for (int q = 0; q < SUMS; q++) {
                    sum[q] = found[t * SUMS + q];
#if MIXED
                    sum[q] *= frame.sums[q / 3];
#endif
                }
                Body body;
                body.load(own + at, OWN);
                const double ratio = correct_body(body, sum, (double)ticks(old) * unit, eta2);
                body.store(own + at, OWN);
                bool needs_shorter;
                due[r] = next_level(ratio, old, time, top, bottom, needs_shorter);
                if (needs_shorter && !limited) {
                    if (group == 0) atomicMin(report + 3, (u64)(first + at));
                    is_short = true;
                }
            }
        }
        __syncthreads();
#pragma unroll
        for (int z = 0; z < EACH; z++)
            if (rank[z] >= 0) {
                level[z] = due[rank[z]];
                if (z < KEPT) kept[z].load(own + z * THREADS + t, OWN);
            }
        made++;
        steps += active;
        if (tag % CHECKED == 0) {
            // before a place of the ring is used again, all have read it: in the next CHECKED blocks places of RING - CHECKED blocks ago
            // and earlier are, and all have ended the block of RING / 2 ago
            if (t == 0) reach(reached + blockIdx.x, tag);
            wait_for_all(reached, tag - RING / 2);
        }
    }

    // a group that is behind has the bodies before they are others
    wait_for_all(reached, first_tag + 1);
    __syncthreads();
    if (group == 0) {
#pragma unroll
        for (int z = 0; z < EACH; z++) {
            const u32 at = z * THREADS + t, b = first + at;
            if (b >= n) continue;
            levels[b] = (u32)level[z];
#pragma unroll
            for (int q = 0; q < 2 * SUMS; q++) state[(u64)q * n + b] = own[q * OWN + at];
        }
    }
    if (blockIdx.x == 0 && t == 0) {
        report[0] = made;
        report[1] = steps;
        report[2] = tag;
        report[4] = time;
    }
#if C > 1
    wait_for_group(); // no thread block ends while another writes to it
#endif
}
