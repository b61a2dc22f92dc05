// Systems of few bodies by algorithmic regularisation, one a thread: what the engine `few_body` of the crate manybody does, in the
// same order of operations. Compiled as written, without fused multiply-adds, it has the same bits.
//
//   drift h   dt = h / (T + B + C),   t += dt,   R += dt W          leapfrog of the logarithmic Hamiltonian, in a chain's links
//   kick h    dt = h / (U + C),       W += dt A                     C = max(-B, 0)
//   step h    columns k = 0 .. 7 of 2, 4, 6, 8, 12, ... leapfrogs, extrapolated to leapfrogs of length 0
//
//   numbers[field][system]  mass and eps2/2 of each body, links, time, B, next step, step that is tried, pace ds/dt where it begins
//   control[field][system]  bodies in the order of the chain, which attempt at a step is next, status, evaluations, steps
//
// A launch makes some attempts at steps for each system that is active, and lists those that still are. Where it ends makes no
// difference to a system. The threads of a warp go through columns together; those whose step is made earlier wait.
//
// A leapfrog is in registers up to five bodies, and mostly up to eight. States of columns lie in local memory, 1.5, 2.6, 3.7 and 8.7 kB
// a thread for 2, 3, 4 and 8 bodies: written once a column and read once by each later one, beside hundreds of quotients and roots.
typedef unsigned int u32;

#define THREADS 32
// thread blocks of a multiprocessor at least: the most whose leapfrogs are in registers, up to five bodies
#define MIN_BLOCKS (BODIES == 2 ? 20 : BODIES == 3 ? 16 : BODIES == 4 ? 12 : 8)

#define LINKS (BODIES - 1)
// a relative position and a relative velocity
#define LINK 6
#define COLUMNS 8
#define ROUNDING 100.0
#define SAFETY 0.9
#define GROWTH 4.0
#define INFINITE __longlong_as_double(0x7ff0000000000000ll)
// attempts at a step before the bodies are said to collide
#define REFUSED 100

// fields of numbers
#define MASS 0
#define HALF_EPS2 BODIES
#define FIRST_LINK (2 * BODIES)
#define TIME (FIRST_LINK + 2 * LINK * LINKS)
#define BINDING (TIME + 2)
#define NATURAL (TIME + 3)
#define TRIED (TIME + 4)
#define PACE (TIME + 5)
// fields of control
#define CHAIN 0
#define TRIES BODIES
#define STATUS (BODIES + 1)
#define EVALUATIONS (BODIES + 2)
#define STEPS_MADE (BODIES + 3)

#define ACTIVE 0
#define DONE 1
#define COLLISION 2

struct alignas(16) DoubleDouble {
    double hi, lo;
};

struct State {
    DoubleDouble links[LINKS][LINK], time;
};

// Bodies in the order of the chain.
struct Motion {
    double mass[BODIES], half_eps2[BODIES], inverse_mass;
    double g, binding, offset;
};

// Steps of the leapfrog in each column, and with which weights columns j < k are extrapolated.
struct Table {
    int steps[COLUMNS] = {2, 4, 6, 8, 12, 16, 24, 32};
    double weights[COLUMNS][COLUMNS] = {};
    __device__ constexpr Table() {
        for (int k = 0; k < COLUMNS; k++)
            for (int j = 0; j < k; j++) {
                double product = 1.0;
                for (int i = 0; i <= k; i++) {
                    const double own = steps[j] * steps[j], other = steps[i] * steps[i];
                    if (i != j) product *= own / (own - other);
                }
                weights[k][j] = product;
            }
    }
};
static __constant__ const Table TABLE;

// hi + lo, whatever they are
static __device__ __forceinline__ DoubleDouble sum(const double hi, const double lo) {
    const double sum = hi + lo, part = sum - hi;
    return {sum, (hi - (sum - part)) + (lo - part)};
}
static __device__ __forceinline__ void accumulate(DoubleDouble& x, const double term) { x = sum(x.hi, term + x.lo); }
static __device__ __forceinline__ double minus(const DoubleDouble a, const DoubleDouble b) { return (a.hi - b.hi) + (a.lo - b.lo); }

static __device__ __forceinline__ double length(const double x, const double y, const double z) { return sqrt(x * x + y * y + z * z); }

static __device__ __forceinline__ double max_or_nan(const double a, const double b) { return b != b || b > a ? b : a; }

// U, and accelerations.
static __device__ __forceinline__ double evaluate(const Motion& motion, const DoubleDouble (&links)[LINKS][LINK],
                                                  double (&accelerations)[BODIES][3]) {
    double relative[BODIES][3];
#pragma unroll
    for (int q = 0; q < 3; q++) relative[0][q] = 0.0;
#pragma unroll
    for (int k = 0; k < LINKS; k++)
#pragma unroll
        for (int q = 0; q < 3; q++) relative[k + 1][q] = relative[k][q] + links[k][q].hi;
#pragma unroll
    for (int k = 0; k < BODIES; k++)
#pragma unroll
        for (int q = 0; q < 3; q++) accelerations[k][q] = 0.0;
    double potential = 0.0;
#pragma unroll
    for (int i = 0; i < BODIES; i++)
#pragma unroll
        for (int j = i + 1; j < BODIES; j++) {
            // a few links are added, and not subtracted from others
            double apart[3];
#pragma unroll
            for (int q = 0; q < 3; q++)
                apart[q] = j - i == 1   ? links[i][q].hi
                           : j - i == 2 ? links[i][q].hi + links[i + 1 < LINKS ? i + 1 : i][q].hi
                                        : relative[j][q] - relative[i][q];
            const double eps2 = motion.half_eps2[i] + motion.half_eps2[j];
            const double inverse2 = 1.0 / (apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2] + eps2);
            const double inverse = motion.g * sqrt(inverse2);
            potential += motion.mass[i] * motion.mass[j] * inverse;
            const double inverse3 = inverse * inverse2;
#pragma unroll
            for (int q = 0; q < 3; q++) {
                accelerations[i][q] += motion.mass[j] * inverse3 * apart[q];
                accelerations[j][q] -= motion.mass[i] * inverse3 * apart[q];
            }
        }
    return potential;
}

// T in the frame of the centre of mass.
static __device__ __forceinline__ double kinetic(const Motion& motion, const DoubleDouble (&links)[LINKS][LINK]) {
    double velocity[BODIES][3], center[3] = {0.0, 0.0, 0.0}, sum = 0.0;
#pragma unroll
    for (int q = 0; q < 3; q++) velocity[0][q] = 0.0;
#pragma unroll
    for (int k = 0; k < LINKS; k++)
#pragma unroll
        for (int q = 0; q < 3; q++) {
            velocity[k + 1][q] = velocity[k][q] + links[k][3 + q].hi;
            center[q] += motion.mass[k + 1] * velocity[k + 1][q];
        }
#pragma unroll
    for (int q = 0; q < 3; q++) center[q] *= motion.inverse_mass;
#pragma unroll
    for (int k = 0; k < BODIES; k++) {
        const double x = velocity[k][0] - center[0], y = velocity[k][1] - center[1], z = velocity[k][2] - center[2];
        sum += motion.mass[k] * (x * x + y * y + z * z);
    }
    return 0.5 * sum;
}

// Steps of length h; false where T + B + C is not above 0.
static __device__ __forceinline__ bool leapfrog(const Motion& motion, const State& from, State& to, const double h, const int steps) {
    State at = from;
    bool good = true;
#pragma unroll 1
    for (int step = 0;; step++) {
        const double pace = kinetic(motion, at.links) + (motion.binding + motion.offset);
        const double drift = (step > 0 && step < steps ? h : 0.5 * h) / pace;
        accumulate(at.time, drift);
#pragma unroll
        for (int k = 0; k < LINKS; k++)
#pragma unroll
            for (int q = 0; q < 3; q++) accumulate(at.links[k][q], drift * at.links[k][3 + q].hi);
        good &= pace > 0.0;
        if (step == steps) break;
        double accelerations[BODIES][3];
        const double kick = h / (evaluate(motion, at.links, accelerations) + motion.offset);
#pragma unroll
        for (int k = 0; k < LINKS; k++)
#pragma unroll
            for (int q = 0; q < 3; q++) accumulate(at.links[k][3 + q], kick * (accelerations[k + 1][q] - accelerations[k][q]));
    }
    to = at;
    return good;
}

// ds / dt; called where a step begins or is too long
static __device__ __noinline__ double pace_of(const Motion& motion, const State& state) {
    double accelerations[BODIES][3];
    return evaluate(motion, state.links, accelerations) + motion.offset;
}

// An estimate of a first step in s, where the pace is known.
static __device__ __forceinline__ double first_step(const Motion& motion, const State& state, const double pace) {
    double shortest = INFINITE;
#pragma unroll 1
    for (int k = 0; k < LINKS; k++) {
        const DoubleDouble* link = state.links[k];
        double r2 = link[0].hi * link[0].hi + link[1].hi * link[1].hi + link[2].hi * link[2].hi;
        const double v2 = link[3].hi * link[3].hi + link[4].hi * link[4].hi + link[5].hi * link[5].hi;
        r2 = r2 + motion.half_eps2[k] + motion.half_eps2[k + 1];
        const double fall = sqrt(r2 * sqrt(r2) / (motion.g * (motion.mass[k] + motion.mass[k + 1])));
        shortest = fmin(fmin(shortest, fall), sqrt(r2 / v2));
    }
    return 0.5 * pace * shortest;
}

// x^(-1/m), by operations that all devices round alike.
static __device__ __forceinline__ double inverse_root(double x, const int m) {
    const long long one = 0x3ff0000000000000ll;
    x = x < 1e-30 ? 1e-30 : x > 1e30 ? 1e30 : x;
    double y = __longlong_as_double(one - (__double_as_longlong(x) - one) / m);
#pragma unroll 1
    for (int k = 0; k < 5; k++) {
        double power = x;
#pragma unroll 1
        for (int i = 0; i < m; i++) power *= y;
        y += y * (1.0 - power) / (double)m;
    }
    return y;
}

// `end` from the columns up to k; its relative error, the difference from what `end` was before.
static __device__ __forceinline__ double extrapolate(const State (&columns)[COLUMNS], const int k, const State& from, State& end) {
    const State& last = columns[k];
    double worst = 0.0;
#pragma unroll 1
    for (int l = 0; l < LINKS; l++) {
        double correction[LINK] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
#pragma unroll 1
        for (int j = 0; j < k; j++) {
            const double c = TABLE.weights[k][j];
#pragma unroll
            for (int q = 0; q < LINK; q++) correction[q] += c * minus(columns[j].links[l][q], last.links[l][q]);
        }
        double difference[LINK], size[LINK], began[LINK];
#pragma unroll
        for (int q = 0; q < LINK; q++) {
            const DoubleDouble next = sum(last.links[l][q].hi, last.links[l][q].lo + correction[q]);
            difference[q] = minus(next, end.links[l][q]);
            size[q] = next.hi;
            began[q] = from.links[l][q].hi;
            end.links[l][q] = next;
        }
#pragma unroll
        for (int q = 0; q < LINK; q += 3) {
            const double all = length(size[q], size[q + 1], size[q + 2]) + 0.01 * length(began[q], began[q + 1], began[q + 2]);
            worst = max_or_nan(worst, length(difference[q], difference[q + 1], difference[q + 2]) / all);
        }
    }
    double correction = -0.0;
#pragma unroll 1
    for (int j = 0; j < k; j++) correction += TABLE.weights[k][j] * minus(columns[j].time, last.time);
    const DoubleDouble time = sum(last.time.hi, last.time.lo + correction);
    const double passed = fabs(minus(time, from.time)), error = fabs(minus(time, end.time)) / passed;
    end.time = time;
    return max_or_nan(worst, error);
}

struct Attempt {
    bool is_made;
    // the next step may be so much longer; or this one is too long
    double factor;
};

// A step h of s from a state, which leads to `end`.
static __device__ __forceinline__ Attempt attempt(const Motion& motion, const State& from, State (&columns)[COLUMNS], State& end,
                                                  const double h, const double tolerance, u32& evaluations) {
    double work = 0.0, last = INFINITE, best_rate = 0.0, best = 0.1;
#pragma unroll 1
    for (int k = 0; k < COLUMNS; k++) {
        const int steps = TABLE.steps[k];
        evaluations += steps;
        if (!leapfrog(motion, from, columns[k], h / (double)steps, steps)) return {false, 0.25};
        work += (double)steps;
        if (k == 0) {
            end = columns[0];
            continue;
        }
        const double error = extrapolate(columns, k, from, end) / tolerance;
        if (!(fabs(error) < INFINITE)) return {false, 0.25};
        double factor = SAFETY * inverse_root(error, 2 * k + 1);
        factor = factor < 0.02 ? 0.02 : factor > GROWTH ? GROWTH : factor;
        const bool is_best = factor / work > best_rate;
        if (is_best) best_rate = factor / work, best = factor;
        if (error <= 1.0 || (error < ROUNDING && error > 0.5 * last)) {
            // one more column may pay
            const double more = is_best && k + 2 < COLUMNS ? 1.0 + (double)TABLE.steps[k + 1] / work : 1.0;
            return {true, fmin(best * more, GROWTH)};
        }
        last = error;
    }
    return {false, fmin(best, 0.7)};
}

// The share of a step after which the `rest` of time has passed, by the cubic through the time at both ends.
static __device__ __forceinline__ double share(const double first, const double second, const double passed, const double rest) {
    const double curved = 3.0 * passed - 2.0 * first - second, bent = first + second - 2.0 * passed;
    double low = 0.0, high = 1.0;
#pragma unroll 1
    for (int k = 0; k < 40; k++) {
        const double middle = 0.5 * (low + high);
        const double time = middle * (first + middle * (curved + middle * bent));
        if ((time - rest) * copysign(1.0, rest) > 0.0)
            high = middle;
        else
            low = middle;
    }
    return 0.5 * (low + high);
}

#if BODIES > 2
static __device__ __forceinline__ DoubleDouble plus(const DoubleDouble a, const DoubleDouble b) {
    const DoubleDouble high = sum(a.hi, b.hi);
    return sum(high.hi, high.lo + (a.lo + b.lo));
}

static __device__ __forceinline__ double distance2(const double (&places)[BODIES][3], const int i, const int j) {
    const double x = places[i][0] - places[j][0], y = places[i][1] - places[j][1], z = places[i][2] - places[j][2];
    return x * x + y * y + z * z;
}

// The order of bodies in a chain: the closest pair, then what is nearest to an end, the first one of several.
static __device__ __forceinline__ void order(const double (&places)[BODIES][3], int (&chain)[BODIES]) {
    int first = 0, second = 1;
    double least = distance2(places, 0, 1);
#pragma unroll 1
    for (int i = 0; i < BODIES; i++)
#pragma unroll 1
        for (int j = i + 1; j < BODIES; j++) {
            const double apart = distance2(places, i, j);
            if (apart < least) least = apart, first = i, second = j;
        }
    // the chain is line[head ..= tail]
    int line[2 * BODIES], head = BODIES, tail = BODIES + 1;
    line[head] = first, line[tail] = second;
    u32 used = 1u << first | 1u << second;
#pragma unroll 1
    for (int left = BODIES - 2; left > 0; left--) {
        int nearest = -1;
        double to_head = 0.0, to_tail = 0.0;
#pragma unroll 1
        for (int k = 0; k < BODIES; k++) {
            if (used >> k & 1) continue;
            const double a = distance2(places, line[head], k), b = distance2(places, line[tail], k);
            if (nearest < 0 || fmin(a, b) < least) nearest = k, least = fmin(a, b), to_head = a, to_tail = b;
        }
        used |= 1u << nearest;
        if (to_head < to_tail)
            line[--head] = nearest;
        else
            line[++tail] = nearest;
    }
    for (int k = 0; k < BODIES; k++) chain[k] = line[head + k];
}

// Another order of the chain, where other bodies have become close; `room` is for links in the old order. Whether there is one.
static __device__ __noinline__ bool relink(State& state, int (&chain)[BODIES], State& room) {
    double places[BODIES][3];
    int next[BODIES], place[BODIES];
    for (int q = 0; q < 3; q++) places[chain[0]][q] = 0.0;
#pragma unroll 1
    for (int k = 0; k < LINKS; k++)
        for (int q = 0; q < 3; q++) places[chain[k + 1]][q] = places[chain[k]][q] + state.links[k][q].hi;
    order(places, next);
    bool is_same = true, is_reversed = true;
    for (int k = 0; k < BODIES; k++) {
        is_same &= next[k] == chain[k];
        is_reversed &= next[k] == chain[BODIES - 1 - k];
    }
    if (is_same || is_reversed) return false;
    for (int k = 0; k < BODIES; k++) place[chain[k]] = k;
    room = state;
#pragma unroll 1
    for (int k = 0; k < LINKS; k++) {
        const int a = place[next[k]], b = place[next[k + 1]], from = a < b ? a : b, to = a < b ? b : a;
        const double sign = a < b ? 1.0 : -1.0;
#pragma unroll 1
        for (int q = 0; q < LINK; q++) {
            DoubleDouble all = {0.0, 0.0};
            for (int l = from; l < to; l++) all = plus(all, room.links[l][q]);
            state.links[k][q] = {sign * all.hi, sign * all.lo};
        }
    }
    for (int k = 0; k < BODIES; k++) chain[k] = next[k];
    return true;
}
#endif

// Takes the bodies in the order of the chain.
static __device__ __forceinline__ void set_bodies(Motion& motion, const int (&chain)[BODIES], const double* numbers, const size_t stride) {
    double total = 0.0;
#pragma unroll 1
    for (int k = 0; k < BODIES; k++) {
        motion.mass[k] = numbers[(MASS + chain[k]) * stride];
        motion.half_eps2[k] = numbers[(HALF_EPS2 + chain[k]) * stride];
        total += motion.mass[k];
    }
    motion.inverse_mass = 1.0 / total;
}

// At most `attempts` attempts at steps for each of `count` systems in the list `active`; those that need more are in the list `left`.
extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    advance(double* numbers, int* control, const u32 systems, const u32* active, const u32 count, u32* left, u32* left_count,
            const u32 attempts, const double g, const double duration, const double close, const double tolerance) {
    const u32 thread = blockIdx.x * THREADS + threadIdx.x;
    if (thread >= count) return;
    const u32 system = active[thread];
    numbers += system, control += system;
    const size_t stride = systems;

    int chain[BODIES];
    Motion motion;
    State state, end, columns[COLUMNS];
#pragma unroll 1
    for (int k = 0; k < BODIES; k++) chain[k] = control[(CHAIN + k) * stride];
    set_bodies(motion, chain, numbers, stride);
#pragma unroll 1
    for (int k = 0; k < LINKS; k++)
#pragma unroll 1
        for (int q = 0; q < LINK; q++) {
            const double* of = numbers + (FIRST_LINK + 2 * (LINK * k + q)) * stride;
            state.links[k][q] = {of[0], of[stride]};
        }
    state.time = {numbers[TIME * stride], numbers[(TIME + 1) * stride]};
    motion.g = g;
    motion.binding = numbers[BINDING * stride];
    motion.offset = fmax(-motion.binding, 0.0);
    double natural = numbers[NATURAL * stride], h = numbers[TRIED * stride], pace = numbers[PACE * stride];
    int tries = control[TRIES * stride], status = ACTIVE;
    u32 evaluations = control[EVALUATIONS * stride], steps = control[STEPS_MADE * stride];

    // where no step is tried: is it done, and how long is the next one
    const auto begin = [&] {
        const double rest = minus({duration, 0.0}, state.time);
        const bool is_first = natural != natural;
        if (fabs(rest) > close || is_first) pace = pace_of(motion, state);
        if (is_first) {
            evaluations += 1;
            natural = first_step(motion, state, pace);
        }
        if (fabs(rest) <= close) {
            status = DONE;
            return;
        }
        evaluations += 1;
        tries = 1;
        const double ahead = rest * pace;
        h = fabs(ahead) < natural ? ahead : copysign(natural, rest);
    };
#pragma unroll 1
    for (u32 made = 0;; made++) {
        if (tries == 0) begin();
        if (status != ACTIVE || made == attempts) break;
        const double rest = minus({duration, 0.0}, state.time);
        const bool is_whole = fabs(h) >= natural;
        const Attempt found = attempt(motion, state, columns, end, h, tolerance, evaluations);
        tries += 1;
        const double passed = minus(end.time, state.time);
        if (!found.is_made) {
            h *= found.factor;
            natural = fmin(natural, fabs(h));
        } else if ((passed - rest) * copysign(1.0, rest) > 0.1 * fabs(rest)) {
            evaluations += 1;
            h *= share(h / pace, h / pace_of(motion, end), passed, rest);
        } else {
            const double next = found.factor * fabs(h);
            natural = is_whole ? next : fmax(natural, next);
            state = end;
            tries = 0;
            steps += 1;
#if BODIES > 2
            if (relink(state, chain, end)) set_bodies(motion, chain, numbers, stride);
#endif
        }
        if (tries > REFUSED) status = COLLISION;
    }

#pragma unroll 1
    for (int k = 0; k < BODIES; k++) control[(CHAIN + k) * stride] = chain[k];
#pragma unroll 1
    for (int k = 0; k < LINKS; k++)
#pragma unroll 1
        for (int q = 0; q < LINK; q++) {
            double* to = numbers + (FIRST_LINK + 2 * (LINK * k + q)) * stride;
            to[0] = state.links[k][q].hi, to[stride] = state.links[k][q].lo;
        }
    numbers[TIME * stride] = state.time.hi, numbers[(TIME + 1) * stride] = state.time.lo;
    numbers[NATURAL * stride] = natural, numbers[TRIED * stride] = h, numbers[PACE * stride] = pace;
    control[TRIES * stride] = tries, control[STATUS * stride] = status;
    control[EVALUATIONS * stride] = evaluations, control[STEPS_MADE * stride] = steps;
    if (status == ACTIVE) left[atomicAdd(left_count, 1u)] = system;
}
