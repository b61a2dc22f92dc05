// The pipelines of a GRAPE-6 [Makino 2003]: particles j stay on the device, are predicted to the time of the particles i, and
// give these their accelerations, jerks, potentials, and the nearest j, in f64.
//
// A thread block has TARGETS particles i, one a lane, and LINES warps, which take turns at the j of its share, tile by tile.
// The sums of lines are added in their order, then those of shares: shares depend on the numbers of particles alone, so the
// bits are the same on every device.
typedef unsigned int u32;
typedef unsigned long long u64;
#define TARGETS 32
#define LINES 8
#define TILE 64
#define SUMS 7
#define NOBODY 0xffffffffu

// A particle j as it was at its time: a, j and s are the acceleration / 2, the jerk / 6 and the snap / 24.
struct Particle {
    double time, mass, x[3], v[3], a[3], j[3], s[3];
    int index;
    u32 address;
};

// A particle j at the time of the particles i.
struct Source {
    double x[3], v[3], mass;
    int index;
    u32 pad;
};

// A particle i.
struct Target {
    double x[3], v[3];
    int index;
    u32 pad;
};

// Puts particles where their addresses say; no address is there twice.
extern "C" __global__ void set_particles(const Particle* from, const u32 count, Particle* to) {
    const u32 k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < count) to[from[k].address] = from[k];
}

extern "C" __global__ void predict(const Particle* particles, const u32 n, const double time, Source* sources) {
    const u32 k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n) return;
    const Particle p = particles[k];
    const double dt = time - p.time;
    Source source;
    for (int d = 0; d < 3; d++) {
        source.x[d] = p.x[d] + dt * (p.v[d] + dt * (p.a[d] + dt * (p.j[d] + dt * p.s[d])));
        source.v[d] = p.v[d] + dt * (2.0 * p.a[d] + dt * (3.0 * p.j[d] + dt * (4.0 * p.s[d])));
    }
    source.mass = p.mass;
    source.index = p.index;
    source.pad = 0;
    sources[k] = source;
}

// Sums [shares][SUMS][stride]: acceleration, jerk, potential. Nearest j [shares][stride], and the squares of their distances.
extern "C" __global__ void __launch_bounds__(TARGETS* LINES)
    pull(const Target* targets, const u32 ni, const Source* sources, const u32 nj, const u32 share, const double eps2,
         const u32 stride, double* sums, double* squares, u32* nearest) {
    __shared__ Source tile[TILE];
    __shared__ double parts[SUMS + 1][LINES][TARGETS];
    __shared__ u32 places[LINES][TARGETS];
    const u32 lane = threadIdx.x, line = threadIdx.y, thread = line * TARGETS + lane;
    const u32 i = blockIdx.x * TARGETS + lane;
    // a lane without a particle of its own has the last one's
    const Target own = targets[i < ni ? i : ni - 1];
    double sum[SUMS] = {}, closest = __longlong_as_double(0x7ff0000000000000ll);
    u32 at = NOBODY;
    const u32 first = blockIdx.y * share, end = min(nj, first + share);
    for (u32 begin = first; begin < end; begin += TILE) {
        const u32 count = min((u32)TILE, end - begin);
        const double* from = (const double*)(sources + begin);
        for (u32 k = thread; k < count * (u32)(sizeof(Source) / sizeof(double)); k += TARGETS * LINES)
            ((double*)tile)[k] = from[k];
        __syncthreads();
        for (u32 k = line; k < count; k += LINES) {
            const Source s = tile[k];
            double d[3], w[3], r2 = 0.0, dv = 0.0;
            for (int c = 0; c < 3; c++) {
                d[c] = s.x[c] - own.x[c];
                w[c] = s.v[c] - own.v[c];
                r2 += d[c] * d[c];
                dv += d[c] * w[c];
            }
            const bool is_other = s.index < 0 || s.index != own.index;
            if (s.index >= 0 && is_other && r2 < closest) {
                closest = r2;
                at = begin + k;
            }
            const double inverse = is_other && s.mass != 0.0 ? rsqrt(r2 + eps2) : 0.0;
            const double square = inverse * inverse, potential = s.mass * inverse, force = potential * square;
            const double turn = 3.0 * dv * square;
            for (int c = 0; c < 3; c++) {
                sum[c] += force * d[c];
                sum[3 + c] += force * (w[c] - turn * d[c]);
            }
            sum[6] -= potential;
        }
        __syncthreads();
    }
    for (int k = 0; k < SUMS; k++) parts[k][line][lane] = sum[k];
    parts[SUMS][line][lane] = closest;
    places[line][lane] = at;
    __syncthreads();
    // line k adds the sums of number k; the last one finds the nearest, of several the first
    const u64 row = (u64)blockIdx.y;
    if (line < SUMS) {
        double all = 0.0;
        for (int k = 0; k < LINES; k++) all += parts[line][k][lane];
        if (i < ni) sums[(row * SUMS + line) * stride + i] = all;
    } else {
        for (int k = 0; k < LINES; k++) {
            const double r2 = parts[SUMS][k][lane];
            const u32 place = places[k][lane];
            if (r2 < closest || (r2 == closest && place < at)) {
                closest = r2;
                at = place;
            }
        }
        if (i < ni) {
            squares[row * stride + i] = closest;
            nearest[row * stride + i] = at;
        }
    }
}

// Adds the sums of shares, [SUMS][ni], and writes the index of the nearest particle behind them; -1 where there is no other.
extern "C" __global__ void add_shares(const double* sums, const double* squares, const u32* nearest, const u32 shares,
                                      const u32 stride, const u32 ni, const Source* sources, double* to) {
    const u32 i = blockIdx.x * TARGETS + threadIdx.x, number = threadIdx.y;
    if (i >= ni) return;
    if (number < SUMS) {
        double all = 0.0;
        for (u32 k = 0; k < shares; k++) all += sums[((u64)k * SUMS + number) * stride + i];
        to[(u64)number * ni + i] = all;
        return;
    }
    double closest = __longlong_as_double(0x7ff0000000000000ll);
    u32 at = NOBODY;
    for (u32 k = 0; k < shares; k++) {
        const double r2 = squares[(u64)k * stride + i];
        if (r2 < closest) {
            closest = r2;
            at = nearest[(u64)k * stride + i];
        }
    }
    to[(u64)SUMS * ni + i] = at == NOBODY ? -1.0 : (double)sources[at].index;
}
