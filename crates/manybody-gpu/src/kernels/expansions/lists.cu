// Lists: a warp sorts the sources that the lists of a cell's parent leave near, and the children of the cells that it
// opens meanwhile. Of two cells that do not interact by expansions the larger is divided, so both find each other in
// their lists.
// a leaf this many times larger than a cell is divided into its bodies
#define MUCH 2.0f

// A list that is written: pages come from the segment of the cell.
struct Writer {
    int first, page, used, count;
    __device__ __forceinline__ Writer() : first(-1), page(-1), used(PAGE), count(0) {}

    __device__ __forceinline__ void push(const Tree &t, int segment, bool mine, int entry) {
        const u32 pushed = __ballot_sync(FULL, mine);
        const int many = __popc(pushed);
        if (many == 0) return;
        const int to = used + __popc(pushed & ((1u << lane()) - 1));
        int next = page;
        if (used + many > PAGE) {
            if (lane() == 0) {
                next = atomicAdd(t.tops + segment, 1);
                if (next >= t.segment) {
                    // the pages of this segment are too few: what is found is not used, and the step repeated
                    atomicOr(t.report + OVERFLOW, 1u);
                    next = 0;
                }
                next += segment * t.segment;
                if (page >= 0) t.links[page] = next;
            }
            next = __shfl_sync(FULL, next, 0);
            if (first < 0) first = next;
        }
        if (mine) t.pages[(size_t)(to < PAGE ? page : next) * PAGE + (to & (PAGE - 1))] = entry;
        used += many;
        if (used > PAGE) {
            used -= PAGE;
            page = next;
        }
        count += many;
    }

    __device__ __forceinline__ void close(const Tree &t, int g, int list) {
        if (lane() == 0) ((int2 *)t.heads)[g * LISTS + list] = make_int2(max(first, 0), count);
    }
};

// What a warp needs while it sorts.
struct Sort {
    const Tree &t;
    int g, segment;
    bool is_leaf;
    Line own;
    Writer lists[LISTS];
    int *stack, held;

    __device__ __forceinline__ Sort(const Tree &t, int g, int *stack)
        : t(t), g(g), segment(g % SEGMENTS), is_leaf(g >= t.first_leaf), own(load_line(t.lines + g)), stack(stack), held(0) {}

    // A body that is still to be divided from.
    __device__ __forceinline__ void body(bool here, int slot) {
        const int how = here ? accepts(t, body_line(t, slot), own) : NOT_ACCEPTED;
        lists[FAR_BODIES].push(t, segment, how == HARMONIC, slot);
        lists[SOFT].push(t, segment, how == SOFTENED, ~slot);
#if OWN_SOFTENINGS
        lists[UNLIKE].push(t, segment, how == DIFFERENT, ~slot);
#endif
        lists[NEAR_BODIES].push(t, segment, here && how == NOT_ACCEPTED, slot);
    }

    // A cell, or -1.
    __device__ __forceinline__ void cell(int source) {
        bool far = false, soft = false, unlike = false, near = false, open = false, small = false, large = false;
        if (source >= 0) {
            const Line line = load_line(t.lines + source);
            if (line.radius >= 0.0f) {
                const bool of_leaf = source >= t.first_leaf;
                const int how = accepts(t, line, own);
                far = how == HARMONIC || (!WITH_BODIES && how);
                soft = !far && how == SOFTENED;
                unlike = !far && how == DIFFERENT;
                if (how) {
                } else if (is_leaf) {
                    if (of_leaf) near = source != g;
                    else if (line.radius < own.radius * (1.0f / MUCH)) small = true;
                    else open = true;
                } else if (of_leaf) {
                    large = WITH_BODIES && line.radius > own.radius * MUCH;
                    near = !large;
                } else {
                    open = line.radius > own.radius || (line.radius == own.radius && source < g);
                    near = !open && source != g;
                }
            }
        }
        lists[FAR].push(t, segment, far, source);
        lists[SOFT].push(t, segment, soft, source);
#if OWN_SOFTENINGS
        lists[UNLIKE].push(t, segment, unlike, source);
#endif
        lists[NEAR].push(t, segment, near, source);
        lists[SMALL].push(t, segment, small, source);
        const u32 opened = __ballot_sync(FULL, open);
        if (open) {
            const int to = held + CHILDREN * __popc(opened & ((1u << lane()) - 1));
            for (int q = 0; q < CHILDREN; q++)
                if (to + q < t.stack) stack[to + q] = CHILDREN * source + 1 + q;
        }
        held += CHILDREN * __popc(opened);
        if (held > t.stack) {
            // cannot be: each level below leaves 224 at most
            if (lane() == 0) atomicOr(t.report + OVERFLOW, 2u);
            held = t.stack;
        }
        __syncwarp();
        for (u32 left = __ballot_sync(FULL, large); left; left &= left - 1) {
            const int leaf = __shfl_sync(FULL, source, __ffs(left) - 1), slot = (leaf - t.first_leaf) * LEAF + lane();
            body(slot < t.n, slot);
        }
    }

    // All that was opened, down to `keep`.
    __device__ __forceinline__ void drain(int keep) {
        while (held > keep) {
            const int many = min(held, 32), ln = lane();
            const int source = ln < many ? stack[held - 1 - ln] : -1;
            __syncwarp();
            held -= many;
            cell(source);
        }
    }
};

// The lists of the cells first to first + count - 1. The first level that has lists has all its cells as candidates; leaves
// alone have the root.
extern "C" __global__ void __launch_bounds__(128) make_lists(Tree t, int first, int count, int is_top, int root) {
    extern __shared__ int stacks[];
    const int at = blockIdx.x * 4 + threadIdx.x / 32, ln = lane();
    if (at >= count || t.report[OVERFLOW]) return;
    const int g = first + at;
    Sort sort(t, g, stacks + threadIdx.x / 32 * t.stack);
    if (root) {
        sort.cell(ln == 0 ? 0 : -1);
        sort.drain(0);
    } else if (is_top) {
        for (int k = 0; k < count; k += 32) {
            sort.cell(k + ln < count && first + k + ln != g ? first + k + ln : -1);
            sort.drain(31);
        }
    } else {
        const int parent = (g - 1) / CHILDREN;
        Reader bodies(t, parent, NEAR_BODIES);
        for (int k = 0; k < bodies.count; k += 32) {
            const bool here = k + ln < bodies.count;
            sort.body(here, here ? t.pages[(size_t)bodies.page * PAGE + (k + ln) % PAGE] : 0);
            if ((k + 32) % PAGE == 0) bodies.page = t.links[bodies.page];
        }
        const int sibling = CHILDREN * parent + 1 + ln;
        if (ln < CHILDREN) sort.stack[ln] = sibling != g ? sibling : -1;
        sort.held = CHILDREN;
        __syncwarp();
        Reader cells(t, parent, NEAR);
        for (int k = 0; k < cells.count; k += 32) {
            sort.cell(k + ln < cells.count ? t.pages[(size_t)cells.page * PAGE + (k + ln) % PAGE] : -1);
            sort.drain(31);
            if ((k + 32) % PAGE == 0) cells.page = t.links[cells.page];
        }
    }
    sort.drain(0);
#pragma unroll
    for (int list = 0; list < LISTS; list++) sort.lists[list].close(t, g, list);
    if (sort.is_leaf && sort.lists[SMALL].count > 0 && ln == 0) t.sparse[atomicAdd(t.report + SPARSE, 1u)] = g - t.first_leaf;
}

// The least that is allowed in cells first to first + count - 1, from their children.
extern "C" __global__ void __launch_bounds__(128) least_of_cells(Tree t, int first, int count, int end) {
    const int at = blockIdx.x * 128 + threadIdx.x;
    if (at >= count) return;
    float least = __int_as_float(0x7f800000);
    for (int q = 1; q <= CHILDREN; q++) {
        const int child = CHILDREN * (first + at) + q;
        if (child < end) least = fminf(least, t.lines[child].least);
    }
    t.lines[first + at].least = least;
}
