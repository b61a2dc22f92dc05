/* A binary star with Hermite's scheme of fourth order on the calls of GRAPE-6: particles j are set when they have moved, and
 * the library predicts them. */
#include <grape6.h>
#include <manybody.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 2

static double m[N] = {0.5, 0.5}, x[N][3] = {{0.5, 0, 0}, {-0.5, 0, 0}}, v[N][3] = {{0, 0.5, 0}, {0, -0.5, 0}};
static double a[N][3], jerk[N][3], pot[N], h2[N];
static int indices[N] = {10, 11};

static void check(int failed)
{
    if (failed) {
        fprintf(stderr, "%s\n", mb_last_error());
        exit(1);
    }
}

static void set(int i, double t, double dt)
{
    double k18[3] = {0, 0, 0}, j6[3], a2[3];
    for (int k = 0; k < 3; k++) {
        a2[k] = a[i][k] / 2;
        j6[k] = jerk[i][k] / 6;
    }
    check(g6_set_j_particle(0, i, indices[i], t, dt, m[i], k18, j6, a2, v[i], x[i]));
}

static void forces(double t, double xi[][3], double vi[][3], double to_a[][3], double to_jerk[][3])
{
    check(g6_set_ti(0, t));
    check(g6calc_firsthalf(0, N, N, indices, xi, vi, a, jerk, pot, 0.0, h2));
    check(g6calc_lasthalf(0, N, N, indices, xi, vi, 0.0, h2, to_a, to_jerk, pot));
}

static double energy(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += 0.5 * m[i] * (v[i][0] * v[i][0] + v[i][1] * v[i][1] + v[i][2] * v[i][2] + pot[i]);
    return sum;
}

int main(void)
{
    const double dt = 1.0 / 64;
    double xp[N][3], vp[N][3], a1[N][3], j1[N][3];
    check(g6_open(0));
    for (int i = 0; i < N; i++)
        set(i, 0, dt);
    forces(0, x, v, a, jerk);
    for (int i = 0; i < N; i++)
        set(i, 0, dt);
    const double e0 = energy();
    for (int step = 0; step < 402; step++) { /* a period is 2 pi */
        double t1 = (step + 1) * dt;
        for (int i = 0; i < N; i++)
            for (int k = 0; k < 3; k++) {
                xp[i][k] = x[i][k] + dt * (v[i][k] + dt / 2 * (a[i][k] + dt / 3 * jerk[i][k]));
                vp[i][k] = v[i][k] + dt * (a[i][k] + dt / 2 * jerk[i][k]);
            }
        forces(t1, xp, vp, a1, j1);
        for (int i = 0; i < N; i++) {
            for (int k = 0; k < 3; k++) {
                double v1 = v[i][k] + dt / 2 * (a[i][k] + a1[i][k]) + dt * dt / 12 * (jerk[i][k] - j1[i][k]);
                x[i][k] += dt / 2 * (v[i][k] + v1) + dt * dt / 12 * (a[i][k] - a1[i][k]);
                v[i][k] = v1;
                a[i][k] = a1[i][k];
                jerk[i][k] = j1[i][k];
            }
            set(i, t1, dt);
        }
    }
    forces(402 * dt, x, v, a, jerk);
    /* of order dt^4 = 6e-8 */
    printf("energy error below 1e-7: %s\n", fabs(energy() / e0 - 1) < 1e-7 ? "yes" : "no");
    printf("back where it began: %s\n", hypot(x[0][0] - 0.5, x[0][1]) < 1e-2 ? "yes" : "no");
    check(g6_close(0));
    return 0;
}
