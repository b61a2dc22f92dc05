/* Accelerations and potentials of the bodies of a file, written as the bytes of doubles: bits FILE PRECISION SOLVER EPS OUT. The
 * same in Fortran is bits.f90, and with the package of Python bits.py. */
#include <manybody.h>
#include <stdio.h>
#include <stdlib.h>

static void check(mb_status status)
{
    if (status != MB_OK) {
        fprintf(stderr, "%s\n", mb_last_error());
        exit(1);
    }
}

int main(int argc, char **argv)
{
    if (argc != 6)
        return 2;
    mb_simulation *file;
    int64_t n;
    check(mb_simulation_load(NULL, argv[1], &file));
    check(mb_simulation_count(file, &n));
    double *x = malloc(24 * n), *m = malloc(8 * n), *a = malloc(24 * n), *phi = malloc(8 * n);
    check(mb_simulation_bodies(file, n, x, NULL, m));
    mb_simulation_free(file);

    mb_settings *settings;
    check(mb_settings_new(&settings));
    check(mb_settings_set(settings, "device", "cpu"));
    check(mb_settings_set(settings, "precision", argv[2]));
    check(mb_settings_set(settings, "solver", argv[3]));
    check(mb_forces(settings, n, x, NULL, m, NULL, 1, atof(argv[4]), a, phi, NULL));
    mb_settings_free(settings);
    FILE *out = fopen(argv[5], "wb");
    if (!out || fwrite(a, 24, n, out) != (size_t)n || fwrite(phi, 8, n, out) != (size_t)n || fclose(out))
        return 1;
    free(x), free(m), free(a), free(phi);
    return 0;
}
