/* A run: a star cluster that the library draws and moves, saved and resumed. */
#include <manybody.h>
#include <stdio.h>
#include <stdlib.h>

static void check(mb_status status)
{
    if (status != MB_OK) {
        fprintf(stderr, "%s: %s\n", mb_status_name(status), mb_last_error());
        exit(1);
    }
}

int main(void)
{
    mb_settings *settings;
    check(mb_settings_new(&settings));
    check(mb_settings_set(settings, "ic", "king"));
    check(mb_settings_set(settings, "w0", "6"));
    check(mb_settings_set(settings, "n", "256"));
    check(mb_settings_set(settings, "dt", "1/64"));
    check(mb_settings_set_number(settings, "eps", 0.05));
    mb_simulation *run;
    check(mb_simulation_start(settings, &run));
    mb_settings_free(settings);

    for (int k = 1; k <= 4; k++) {
        double kinetic, potential, error;
        check(mb_simulation_advance(run, 0.25 * k));
        check(mb_simulation_energy(run, &kinetic, &potential, &error));
        printf("t = %.2f  T = %.4f  W = %.4f  energy error below 1e-3: %s\n", 0.25 * k, kinetic, potential,
               error < 1e-3 && error > -1e-3 ? "yes" : "no");
    }
    check(mb_simulation_save(run, "cluster.hdf5"));
    mb_simulation_free(run);

    /* the same bits as without the pause */
    check(mb_simulation_resume(NULL, "cluster.hdf5", &run));
    check(mb_simulation_advance(run, 1.25));
    int64_t n, targets[2] = {0, 17};
    double a[2][3];
    check(mb_simulation_count(run, &n));
    check(mb_simulation_accelerations_on(run, 2, targets, *a));
    printf("%d bodies\n", (int)n);
    mb_simulation_free(run);
    return 0;
}
