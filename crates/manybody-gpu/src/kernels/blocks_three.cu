// Block time steps of Hermite's schemes that never leave the device, for any number of bodies: three kernels a block of steps, and many
// blocks in a graph. blocks.cuh has what a body is and does.
//
//   predict   each body, for the time of the block; those whose steps end there make a list
//   sum       what a part of the bodies does to those of the list, for each part
//   correct   adds the sums of all parts, in their order, corrects a body, and chooses its next step
//
// Of several GPUs each has all bodies, and predicts and corrects them. Each computes a part of the sums, and writes it to the memory of
// all. Their lists must be the same: there a fourth kernel, `list_active`, makes them, in the order of the bodies.
//
// Memory that the kernel ahead writes is not declared as constant: this one has begun by then (BEGIN_EARLY). The order of the list depends
// on the device, and no sum does: the parts follow from the numbers of bodies and of targets alone. A block
// reads one of two controls and leaves the time, and the level of the shortest step, in the other one. Where no block is left,
// the list is empty and the kernels do nothing.
#define WARPS 4
#define THREADS (32 * WARPS)
// sources that are in shared memory at a time
#define TILE THREADS
// targets of a lane at most: a source that is read serves all; without spills
#define K (SNAPS && !MIXED ? 2 : 4)
#define MIN_BLOCKS 2
// thread blocks that an H200 runs at once: a constant, so that sums do not depend on the device
#define SLOTS (132 * MIN_BLOCKS)
// thread blocks of `correct` that a multiprocessor runs at once, without spills
#define CORRECT_BLOCKS (ORDER == 6 && !SNAPS ? 3 : 4)
// parts whose sums a lane reads at a time
#define BATCH 5
// costs of a tile, and of storing a part, in the same unit
#define TILE_COST 16
#define PART_COST 1

struct Control {
    u64 time;
    int deepest;
    u32 count, stops, unused;
};
struct Report {
    u64 blocks, steps, short_body, time;
};
struct Step {
    double unit, eta2;
    int top, bottom;
    u32 n, limited;
#if MIXED
    Frame frame;
#endif
};
// Where GPU `own` of `count` writes its sums.
struct Peers {
    double* partial[MOST_GPUS];
    u32 own, count;
};
#if MIXED
#define FRAME(step) (step)->frame
#else
#define FRAME(step) Frame()
#endif

static __device__ __forceinline__ u64 time_of_block(const Control* control) { return next_end(control->time, control->deepest); }

// How targets and sources are cut: lists of targets, each of a thread block at a time, and parts of the bodies, which are tiles.
struct Cut {
    u32 size, lists, parts;
    // a list has 32 x each targets for each of so many groups of warps; lanes of one target are `width` apart
    u32 each, groups, width;
};
// Lists are such that little of the last one is left open; parts such that the last thread block ends first, where SLOTS work side by
// side. A warp finds these together. A sum is cut in the same way wherever in the lists its target is.
static __device__ __forceinline__ Cut cut_of(const u32 active, const u32 n) {
    Cut cut;
    cut.each = active > 32 ? active > 512 ? K : 2 : 1;
    cut.size = 32 * cut.each;
    cut.groups = active > 16 * cut.size ? 4 : active > 8 * cut.size ? 2 : 1;
    cut.size *= cut.groups;
    cut.width = 32;
    while (cut.width / 2 >= active) cut.width /= 2;
    cut.lists = (active + cut.size - 1) / cut.size;
    const u32 tiles = (n + TILE - 1) / TILE, lane = threadIdx.x & 31;
    // where GPUs may share the tasks, enough for four or eight, on one GPU as well
    const u32 rounds = n < SHARED_FROM ? min(lane, 7u) + 1 : 4 + (lane & 1) * 4;
    const u32 parts = max(1u, min(tiles, rounds * SLOTS / cut.lists)), needed = (cut.lists * parts + SLOTS - 1) / SLOTS;
    u64 best = (u64)needed * ((tiles + parts - 1) / parts * TILE_COST + PART_COST) << 32 | parts;
#pragma unroll
    for (int x = 4; x; x >>= 1) best = min(best, __shfl_xor_sync(FULL, best, x));
    cut.parts = (u32)__shfl_sync(FULL, best, 0);
    return cut;
}

extern "C" __global__ void __launch_bounds__(256)
    predict(const double* state, const double* __restrict__ mass, const double* __restrict__ half, const int* levels,
            const Step* __restrict__ step, const u32 turn, Control* controls, Source* sources, u32* list, u32* ballots) {
    BEGIN_EARLY;
    Control *control = controls + turn, *other = controls + (1 - turn);
    const u32 b = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x & 31, n = step->n;
    const bool is_over = control->time >= (1ull << BITS) || control->stops;
    if (b == 0) {
        other->deepest = 0;
        other->count = 0;
        other->stops = is_over;
    }
    if (is_over) return;
    const u64 time = time_of_block(control);
    bool active = false;
    if (b < n) {
        Body body;
        body.load(state + b, n);
        const int level = levels[b];
        active = level >= highest_level(time);
        sources[b] = body.at((double)elapsed_ticks(time, level) * step->unit, mass[b], half[b], FRAME(step));
    }
    const u32 ballot = __ballot_sync(FULL, active);
    if (ballots) {
        if (lane == 0) ballots[b / 32] = ballot;
        return;
    }
    u32 first = 0;
    if (lane == 0 && ballot) first = atomicAdd(&control->count, __popc(ballot));
    first = __shfl_sync(FULL, first, 0);
    if (active) list[first + __popc(ballot & ((1u << lane) - 1))] = b;
}

// The list in the order of the bodies, by one thread block. Ballots beyond those of the last body are 0, in whole strips.
extern "C" __global__ void __launch_bounds__(LIST_THREADS)
    list_active(const uint4* ballots, const Step* __restrict__ step, const u32 turn, Control* controls, u32* list) {
    __shared__ u32 of_warps[LIST_THREADS / 32];
    BEGIN_EARLY;
    Control* control = controls + turn;
    if (control->time >= (1ull << BITS) || control->stops) return;
    const u32 t = threadIdx.x, lane = t & 31, warp = t >> 5;
    const u32 quarters = (step->n + 127) / 128;
    u32 all = 0;
    for (u32 begin = 0; begin < quarters; begin += LIST_THREADS) {
        const uint4 read = ballots[begin + t];
        const u32 four[4] = {read.x, read.y, read.z, read.w};
        const u32 own = __popc(read.x) + __popc(read.y) + __popc(read.z) + __popc(read.w);
        u32 up_to = own;
#pragma unroll
        for (u32 x = 1; x < 32; x *= 2) {
            const u32 below = __shfl_up_sync(FULL, up_to, x);
            if (lane >= x) up_to += below;
        }
        if (lane == 31) of_warps[warp] = up_to;
        __syncthreads();
        u32 place = all + up_to - own, sum = 0;
#pragma unroll
        for (u32 w = 0; w < LIST_THREADS / 32; w++) {
            if (w < warp) place += of_warps[w];
            sum += of_warps[w];
        }
        all += sum;
#pragma unroll
        for (int k = 0; k < 4; k++)
            for (u32 rest = four[k]; rest; rest &= rest - 1) list[place++] = ((begin + t) * 4 + k) * 32 + __ffs(rest) - 1;
        __syncthreads();
    }
    if (t == 0) control->count = all;
}

// What the tiles `first` to `last` do to N targets a lane, of `here`: one for each 32 of them, the sums of the lanes that share it being
// together in the first ones.
template <int N>
static __device__ __forceinline__ void sum_tiles(const Source* sources, const u32* list, const u32 here, const Cut cut,
                                                 const u32 first, const u32 last, const u32 n, uint4* words,
                                                 double (*sums_of)[K][SUMS][32]) {
    constexpr int WORDS = sizeof(Source) / 16;
    const u32 t = threadIdx.x, lane = t & 31, warp = t >> 5, width = cut.width;
    // warps that share targets, and lanes
    const u32 sharing = WARPS / cut.groups, group = warp % cut.groups;
    const u32 stride = sharing * (32 / width), from = warp / cut.groups * (32 / width) + lane / width;
    Source target[N];
#pragma unroll
    for (int k = 0; k < N; k++) target[k] = sources[list[min((group * N + k) * 32 + (lane & (width - 1)), here - 1)]];
    const uint4* copied = (const uint4*)(sources + (u64)first * TILE) + t;
    // words of the next tile; beyond the last body there is nothing
    u64 left = (u64)(n - first * TILE) * WORDS;
    uint4 next[WORDS];
#pragma unroll
    for (int w = 0; w < WORDS; w++)
        if (w * THREADS + t < left) next[w] = copied[w * THREADS];
#if MIXED
    double total[N][SUMS] = {};
#else
    Sums sums[N] = {};
#endif
    const Source* tile = (const Source*)words;
    for (u32 at = first; at < last; at++) {
        __syncthreads();
#pragma unroll
        for (int w = 0; w < WORDS; w++) words[w * THREADS + t] = next[w];
        __syncthreads();
        const u32 count = min((u32)TILE, n - at * TILE);
        if (at + 1 < last) {
            copied += TILE * WORDS;
            left -= TILE * WORDS;
#pragma unroll
            for (int w = 0; w < WORDS; w++)
                if (w * THREADS + t < left) next[w] = copied[w * THREADS];
        }
#if MIXED
        for (u32 begins = from; begins < count; begins += RUN * stride) {
            const u32 ends = min(begins + RUN * stride, count);
            Sums sums[N] = {};
#pragma unroll 4
            for (u32 j = begins; j < ends; j += stride)
#pragma unroll
                for (int k = 0; k < N; k++) sums[k].add(target[k], tile[j]);
#pragma unroll
            for (int k = 0; k < N; k++)
#pragma unroll
                for (int q = 0; q < SUMS; q++) total[k][q] += sums[k].of[q];
        }
#else
#pragma unroll 4
        for (u32 j = from; j < count; j += stride)
#pragma unroll
            for (int k = 0; k < N; k++) sums[k].add(target[k], tile[j]);
#endif
    }
#pragma unroll
    for (int k = 0; k < N; k++)
#pragma unroll
        for (int q = 0; q < SUMS; q++) {
#if MIXED
            double all = total[k][q];
#else
            double all = sums[k].of[q];
#endif
            for (u32 x = 16; x >= width; x >>= 1) all += __shfl_xor_sync(FULL, all, x);
            sums_of[warp][k][q][lane] = all;
        }
}

// [parts][targets][SUMS]
extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    sum(const Source* sources, const u32* list, const Step* __restrict__ step, const u32 turn, const Control* controls,
        const Peers peers) {
    __shared__ uint4 words[TILE * sizeof(Source) / 16];
    __shared__ double sums_of[WARPS][K][SUMS][32];
    BEGIN_EARLY;
    const u32 active = controls[turn].count, n = step->n, tiles = (n + TILE - 1) / TILE;
    if (!active) return;
    const Cut c = cut_of(active, n);
    const u64 tasks = (u64)c.lists * c.parts;
    const u32 end = tasks * (peers.own + 1) / peers.count;
    for (u32 task = tasks * peers.own / peers.count + blockIdx.x; task < end; task += gridDim.x) {
        const u32 which = task / c.parts, part = task - which * c.parts;
        const u32 begin = which * c.size, here = min(c.size, active - begin);
        const u32 first = (u64)tiles * part / c.parts, last = (u64)tiles * (part + 1) / c.parts;
        if (c.each == 1)
            sum_tiles<1>(sources, list + begin, here, c, first, last, n, words, sums_of);
        else if (c.each == 2)
            sum_tiles<2>(sources, list + begin, here, c, first, last, n, words, sums_of);
        else
            sum_tiles<K>(sources, list + begin, here, c, first, last, n, words, sums_of);
        __syncthreads();
        for (u32 x = threadIdx.x; x < here * SUMS; x += THREADS) {
            const u32 i = x / SUMS, q = x - i * SUMS, group = i / 32 / c.each, k = i / 32 - group * c.each;
            double all = sums_of[group][k][q][i & 31];
            for (u32 w = group + c.groups; w < WARPS; w += c.groups) all += sums_of[w][k][q][i & 31];
            const u64 to = ((u64)part * active + begin) * SUMS + x;
#pragma unroll
            for (u32 gpu = 0; gpu < MOST_GPUS; gpu++)
                if (gpu < peers.count) peers.partial[gpu][to] = all;
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, CORRECT_BLOCKS)
    correct(double* state, int* levels, double* before, const u32* list, const Step* __restrict__ step, const u32 turn,
            Control* controls, const double* partial, Report* report) {
    BEGIN_EARLY;
    Control *control = controls + turn, *other = controls + (1 - turn);
    const u32 active = control->count, n = step->n;
    if (!active) return;
    const u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const u64 time = time_of_block(control);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        other->time = time;
        report->blocks++;
        report->steps += active;
        report->time = time;
    }
    const u32 parts = cut_of(active, n).parts;
    for (u32 i = blockIdx.x * WARPS + warp; i < active; i += gridDim.x * WARPS) {
        const u32 b = list[i];
        Body body;
        body.load(state + b, n);
        const int level = levels[b];
        const double* from = partial + (u64)i * SUMS;
        const u64 stride = (u64)active * SUMS;
        double sums[SUMS] = {};
        for (u32 part = lane; part < parts; part += 32 * BATCH) {
            // loads are in flight together
            double read[BATCH][SUMS];
#pragma unroll
            for (int k = 0; k < BATCH; k++)
#pragma unroll
                for (int q = 0; q < SUMS; q++) read[k][q] = from[min(part + 32 * k, parts - 1) * stride + q];
#pragma unroll
            for (int k = 0; k < BATCH; k++)
#pragma unroll
                for (int q = 0; q < SUMS; q++) sums[q] += part + 32 * k < parts ? read[k][q] : 0.0;
        }
#pragma unroll
        for (int q = 0; q < SUMS; q++) {
#pragma unroll
            for (int x = 16; x; x >>= 1) sums[q] += __shfl_xor_sync(FULL, sums[q], x);
#if MIXED
            sums[q] *= step->frame.sums[q / 3];
#endif
        }
        const double elapsed = (double)ticks(level) * step->unit;
        const double ratio = correct_body(body, sums, elapsed, step->eta2, before ? before[b] : 0.0);
        bool needs_shorter;
        const int next = next_level(ratio, level, time, step->top, step->bottom, needs_shorter);
        if (lane == 0) {
            body.store(state + b, n);
            levels[b] = next;
            if (before) before[b] = elapsed;
            atomicMax(&other->deepest, next);
            if (needs_shorter && !step->limited) {
                atomicMin(&report->short_body, (u64)b);
                other->stops = 1;
            }
        }
    }
}
