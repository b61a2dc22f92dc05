/* Forces of arrays: accelerations and potentials of bodies, the choice of a precision, and the message of an error. */
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
    double x[3][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 2, 0}}, m[3] = {1, 1, 0.5}, a[3][3], phi[3];

    check(mb_accelerations(NULL, 3, *x, m, 1.0, 0.01, *a));
    check(mb_potential(NULL, 3, *x, m, 1.0, 0.01, phi));
    for (int i = 0; i < 3; i++)
        printf("a = %9.6f %9.6f %9.6f  phi = %9.6f\n", a[i][0], a[i][1], a[i][2], phi[i]);

    mb_settings *settings;
    check(mb_settings_new(&settings));
    check(mb_settings_set(settings, "precision", "f32"));
    check(mb_settings_set(settings, "threads", "1"));
    check(mb_accelerations(settings, 3, *x, m, 1.0, 0.01, *a));
    mb_settings_free(settings);

    x[2][1] = 0.0 / 0.0;
    if (mb_accelerations(NULL, 3, *x, m, 1.0, 0.01, *a) != MB_ERROR_INPUT)
        return 1;
    printf("%s\n", mb_last_error());
    return 0;
}
