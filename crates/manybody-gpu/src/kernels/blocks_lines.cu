// Block time steps of Hermite's schemes that never leave the device: one launch makes all blocks of a step of the run. THREADS, WARPS
// and TASKS are defined ahead, and blocks.cuh has what a body is and does.
//
// Thread block b, a line, owns the bodies n b / lines to n (b + 1) / lines, one a thread, in registers. In a block of steps
//   1. each line finds when its next body is due, and publishes that time, how many bodies are due, and these, predicted;
//   2. each line reads what all lines published: the earliest time is that of the block, and its bodies are the targets;
//   3. each line predicts its own bodies, sums what they do to all targets, and publishes the sums;
//   4. the line that owns a target adds the sums of all lines, in their order, and corrects it.
// What is published carries the number of the block beside each half of a number, so that a reader waits for nothing else:
// no barrier of the grid, no atomics in sums. Lines depend on n alone: the same bits on any device that holds them.
#define MOST_LINES 128
#define LINES_A_LANE (MOST_LINES / 32)
// numbers of a target that are published, and clocks of a pair and of adding up a part
#if ORDER == 6
#define PREDICTED 10
#define PAIR_CLOCKS (MIXED ? 15 : 26)
#define PART_CLOCKS 22
#else
#define PREDICTED 7
#define PAIR_CLOCKS (MIXED ? 9 : 16)
#define PART_CLOCKS 15
#endif

// Into how many parts the sources of a line are cut for so many warps of targets: as many as make the longest warp shortest.
static __device__ __forceinline__ u32 parts_for(const u32 warps, const u32 own) {
    u32 best = 1, least = FULL;
    for (u32 parts = 1; parts <= 16; parts++) {
        if (parts * warps > TASKS || (parts > 1 && parts > own)) continue;
        const u32 rounds = (warps * parts + WARPS - 1) / WARPS;
        const u32 sums = parts > 1 ? parts * warps * PART_CLOCKS + 150 : 0;
        const u32 clocks = rounds * ((own + parts - 1) / parts * (WARPS * PAIR_CLOCKS) + 400) + sums;
        if (clocks < least) {
            least = clocks;
            best = parts;
        }
    }
    return best;
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    blocks(double* __restrict__ state, const double* __restrict__ mass, const double* __restrict__ half, u32* __restrict__ levels,
           const u32 n, const double unit, const double eta2, const int top, const int bottom, const u32 limited,
           const u32 first_tag, uint4* __restrict__ headers, uint4* __restrict__ payload, uint4* __restrict__ partial, u64* __restrict__ report
#if MIXED
           , const Frame frame
#endif
    ) {
#if !MIXED
    const Frame frame = {};
#endif
    extern __shared__ __align__(16) unsigned char memory[];
    const u32 t = threadIdx.x, lane = t & 31, warp = t >> 5, line = blockIdx.x, lines = gridDim.x;
    const u32 first = (u32)((u64)line * n / lines), own = (u32)((u64)(line + 1) * n / lines) - first;
    const u32 most = (n + lines - 1) / lines, own_warps = (own + 31) / 32;
    Source* sources = (Source*)memory;
    Source* targets = sources + most;
    double* parts_of = (double*)(targets + THREADS);     // [TASKS][SUMS][32]
    double* found = parts_of + TASKS * (SUMS * 32);      // [most][SUMS]
    __shared__ u32 parts_table[WARPS + 1];
    __shared__ u64 due[MOST_LINES];
    __shared__ u32 due_count[MOST_LINES];
    __shared__ int warp_level[WARPS], warp_count[WARPS];

    const bool owns = t < own;
    Body body;
    double m = 0, h = 0;
    int level = -1;
    if (owns) {
        const u32 b = first + t;
        body.load(state + b, n);
        m = mass[b];
        h = half[b];
        level = (int)levels[b];
    }
    if (t >= 1 && t <= WARPS) parts_table[t] = parts_for(t, own);
    if (t < MOST_LINES) {
        due[t] = ~0ull;
        due_count[t] = 0;
    }
    u32 tag = first_tag;
    u64 time = 0, made = 0, steps = 0;
    bool is_short = false, stops = false; // a body of this thread, or of this line, needs a smaller step than there is
    __syncthreads();

    while (time < (1ull << BITS)) {
        tag++;
        uint4* header = headers + (tag & 1) * MOST_LINES * 2;
        uint4* bodies = payload + (u64)(tag & 1) * lines * most * PREDICTED;

        // 1. when this line's next bodies are due, and which these are
        int rank = -1;
        u64 next = ~0ull;
        if (warp < own_warps) {
            int deepest = __reduce_max_sync(FULL, level);
            if (own_warps > 1) {
                if (lane == 0) warp_level[warp] = deepest;
                asm volatile("bar.sync 1, %0;" ::"r"(own_warps * 32) : "memory");
                for (u32 w = 0; w < own_warps; w++) deepest = max(deepest, warp_level[w]);
            }
            next = next_end(time, deepest);
            const bool active = owns && level >= highest_level(next);
            const u32 ballot = __ballot_sync(FULL, active);
            int count = __popc(ballot), before = 0;
            if (own_warps > 1) {
                if (lane == 0) warp_count[warp] = count;
                asm volatile("bar.sync 1, %0;" ::"r"(own_warps * 32) : "memory");
                count = 0;
                for (u32 w = 0; w < own_warps; w++) {
                    if (w < warp) before += warp_count[w];
                    count += warp_count[w];
                }
            }
            if (t == 0) {
                publish(header + 2 * line, __longlong_as_double((long long)next), tag);
                publish(header + 2 * line + 1, __longlong_as_double((long long)count | ((long long)stops << 32)), tag);
            }
            if (active) {
                rank = before + __popc(ballot & ((1u << lane) - 1));
                const double elapsed = (double)ticks(level) * unit;
                uint4* to = bodies + ((u64)line * most + rank) * PREDICTED;
#pragma unroll
                for (int q = 0; q < 3; q++) {
                    publish(to + q, body.position(q, elapsed), tag);
                    publish(to + 3 + q, body.velocity(q, elapsed), tag);
#if ORDER == 6
                    publish(to + 7 + q, body.acceleration(q, elapsed), tag);
#endif
                }
                publish(to + 6, h, tag);
            }
        }

        // 2. the time of the block, and where its targets are; all lines end together
        bool ends = false;
        if (t < lines) {
            uint4 cells[2];
            wait_for(cells, header + 2 * t, 1, 2, tag);
            due[t] = (u64)__double_as_longlong(number(cells[0]));
            const u64 counted = (u64)__double_as_longlong(number(cells[1]));
            due_count[t] = (u32)counted;
            ends = counted >> 32;
        }
        if (__syncthreads_or(ends)) break;
        u64 at[LINES_A_LANE], now = ~0ull;
        u32 count[LINES_A_LANE], offset[LINES_A_LANE], sum = 0;
#pragma unroll
        for (int z = 0; z < LINES_A_LANE; z++) {
            at[z] = due[lane * LINES_A_LANE + z];
            count[z] = due_count[lane * LINES_A_LANE + z];
            now = min(now, at[z]);
        }
#pragma unroll
        for (int x = 16; x; x >>= 1) now = min(now, (u64)__shfl_xor_sync(FULL, now, x));
#pragma unroll
        for (int z = 0; z < LINES_A_LANE; z++) {
            if (at[z] != now) count[z] = 0;
            offset[z] = sum;
            sum += count[z];
        }
        u32 inclusive = sum;
#pragma unroll
        for (int x = 1; x < 32; x <<= 1) {
            const u32 y = __shfl_up_sync(FULL, inclusive, x);
            if (lane >= x) inclusive += y;
        }
        const u32 active = __shfl_sync(FULL, inclusive, 31), exclusive = inclusive - sum;
        u32 own_offset = 0, own_active = 0;
#pragma unroll
        for (int z = 0; z < LINES_A_LANE; z++) {
            const u32 o = __shfl_sync(FULL, exclusive + offset[z], line / LINES_A_LANE);
            const u32 c = __shfl_sync(FULL, count[z], line / LINES_A_LANE);
            if (z == line % LINES_A_LANE) {
                own_offset = o;
                own_active = c;
            }
        }
        time = now;

        // 3. what this line's bodies do to the targets
        if (owns) {
            const double elapsed = (double)elapsed_ticks(time, level) * unit;
            sources[t] = body.at(elapsed, m, h, frame);
        }
        for (u32 begin = 0; begin < active; begin += THREADS) {
            const u32 here = min((u32)THREADS, active - begin), warps = (here + 31) / 32;
            if (begin) __syncthreads();
            if (warp < warps) {
                // the line and the place that hold target number `wanted`, searched by halves over the lanes
                const u32 wanted = begin + min(t, here - 1);
                int low = 0;
#pragma unroll
                for (int x = 16; x; x >>= 1) {
                    const u32 begins = __shfl_sync(FULL, exclusive, (low + x) & 31);
                    if (begins <= wanted) low += x;
                }
                const u32 rest = wanted - __shfl_sync(FULL, exclusive, low);
                u32 place = 0, from = 0;
#pragma unroll
                for (int z = 1; z < LINES_A_LANE; z++) {
                    const u32 o = __shfl_sync(FULL, offset[z], low);
                    if (o <= rest) {
                        place = z;
                        from = o;
                    }
                }
                const uint4* cell = bodies + ((u64)(low * LINES_A_LANE + place) * most + rest - from) * PREDICTED;
                uint4 cells[PREDICTED];
                wait_for(cells, cell, 1, PREDICTED, tag);
                targets[t] = frame.place(number(cells[0]), number(cells[1]), number(cells[2]),
                                         number(cells[3]), number(cells[4]), number(cells[5]), 0.0, number(cells[6])
#if ORDER == 6
                                         , number(cells[7]), number(cells[8]), number(cells[9])
#endif
                );
            }
            __syncthreads();
            const u32 parts = parts_table[warps];
            for (u32 task = warp; task < warps * parts; task += WARPS) {
                const u32 part = task / warps, group = task - part * warps;
                const u32 from = own * part / parts, to = own * (part + 1) / parts;
                const Source target = targets[group * 32 + lane];
#if MIXED
                double total[SUMS] = {};
                for (u32 begins = from; begins < to; begins += RUN) {
                    const u32 ends = min(begins + RUN, to);
                    Sums sums = {};
#pragma unroll 4
                    for (u32 j = begins; j < ends; j++) sums.add(target, sources[j]);
#pragma unroll
                    for (int q = 0; q < SUMS; q++) total[q] += sums.of[q];
                }
#else
                Sums sums = {};
#pragma unroll 4
                for (u32 j = from; j < to; j++) sums.add(target, sources[j]);
                const double* total = sums.of;
#endif
                if (parts > 1) {
                    double* out = parts_of + task * (SUMS * 32) + lane;
#pragma unroll
                    for (int q = 0; q < SUMS; q++) out[32 * q] = total[q];
                } else if (group * 32 + lane < here) {
                    uint4* out = partial + (u64)(begin + group * 32 + lane) * SUMS * lines + line;
#pragma unroll
                    for (int q = 0; q < SUMS; q++) publish(out + q * lines, total[q], tag);
                }
            }
            if (parts > 1) {
                __syncthreads();
                const u32 stride = warps * (SUMS * 32);
                for (u32 x = t; x < stride; x += THREADS) {
                    const u32 group = x / (SUMS * 32), within = x - group * (SUMS * 32), i = group * 32 + (within & 31);
                    double total = parts_of[x];
                    for (u32 part = 1; part < parts; part++) total += parts_of[x + part * stride];
                    if (i < here) publish(partial + ((u64)(begin + i) * SUMS + (within >> 5)) * lines + line, total, tag);
                }
            }
        }

        // 4. the sums of all lines for this line's own targets, in the order of the lines
        for (u32 x = warp; x < own_active * SUMS; x += WARPS) {
            const uint4* from = partial + ((u64)own_offset * SUMS + x) * lines;
            // lines that this lane adds up: lane, lane + 32, ...
            const int mine = lines > lane ? (int)((lines - lane + 31) / 32) : 0;
            uint4 cells[LINES_A_LANE];
            wait_for(cells, from + lane, 32, mine, tag);
            double total = 0;
#pragma unroll
            for (int z = 0; z < LINES_A_LANE; z++)
                if (z < mine) total += number(cells[z]);
#pragma unroll
            for (int y = 16; y; y >>= 1) total += __shfl_xor_sync(FULL, total, y);
#if MIXED
            total *= frame.sums[x % SUMS / 3];
#endif
            if (lane == 0) found[x] = total;
        }
        __syncthreads();
        if (own_active && rank >= 0) {
            const double ratio = correct_body(body, found + SUMS * rank, (double)ticks(level) * unit, eta2);
            bool needs_shorter;
            level = next_level(ratio, level, time, top, bottom, needs_shorter);
            if (needs_shorter && !limited) {
                atomicMin(report + 3, (u64)(first + t));
                is_short = true;
            }
        }
        made++;
        steps += active;
        stops = __syncthreads_or(is_short);
    }

    if (owns) {
        const u32 b = first + t;
        body.store(state + b, n);
        levels[b] = (u32)level;
    }
    if (line == 0 && t == 0) {
        report[0] = made;
        report[1] = steps;
        report[2] = tag;
        report[4] = time;
    }
}
