/* What a program may do wrong: each call returns a status with a message, and touches no memory that is not its own. Arrays are
 * of exactly the sizes that are passed, on the heap, so that valgrind and AddressSanitizer see a step beyond their ends. */
#include <manybody.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void expect(int line, mb_status found, mb_status expected, const char *words)
{
    if (found == expected && (expected == MB_OK || strstr(mb_last_error(), words)))
        return;
    printf("line %d: %s, not %s: %s\n", line, mb_status_name(found), mb_status_name(expected), mb_last_error());
    failures++;
}

#define GOOD(call) expect(__LINE__, call, MB_OK, "")
#define BAD(call, status, words) expect(__LINE__, call, status, words)

static double *numbers(size_t n, double first)
{
    double *array = malloc(n * sizeof *array);
    for (size_t k = 0; k < n; k++)
        array[k] = first + 0.1 * (double)(k * k % 101);
    return array;
}

int main(void)
{
    const int64_t n = 37;
    double *x = numbers(3 * n, -4), *v = numbers(3 * n, 0), *m = numbers(n, 1), *a = numbers(3 * n, 0);
    double *phi = numbers(n, 0), *jerk = numbers(3 * n, 0);

    GOOD(mb_forces(NULL, n, x, v, m, NULL, 1, 0.1, a, phi, jerk));
    GOOD(mb_accelerations(NULL, 0, NULL, NULL, 1, 0.1, NULL));
    GOOD(mb_accelerations_at(NULL, n, x, 5, x, m, 1, 0.1, a));
    BAD(mb_accelerations(NULL, n, NULL, m, 1, 0.1, a), MB_ERROR_ARGUMENT, "x: is a null pointer");
    BAD(mb_accelerations(NULL, n, x, NULL, 1, 0.1, a), MB_ERROR_ARGUMENT, "m: is a null pointer");
    BAD(mb_accelerations(NULL, n, x, m, 1, 0.1, NULL), MB_ERROR_ARGUMENT, "a: is a null pointer");
    BAD(mb_accelerations(NULL, -n, x, m, 1, 0.1, a), MB_ERROR_ARGUMENT, "-37");
    BAD(mb_accelerations(NULL, INT64_MAX, x, m, 1, 0.1, a), MB_ERROR_ARGUMENT, "memory");
    BAD(mb_accelerations(NULL, n, x, m, 1, 0.1, x), MB_ERROR_ARGUMENT, "a overlaps x");
    BAD(mb_accelerations(NULL, n / 3, a + 3, m, 1, 0.1, a), MB_ERROR_ARGUMENT, "a overlaps x");
    BAD(mb_accelerations(NULL, n / 3, (double *)((char *)x + 1), m, 1, 0.1, a), MB_ERROR_ARGUMENT, "not aligned");
    BAD(mb_accelerations(NULL, n, x, m, NAN, 0.1, a), MB_ERROR_INPUT, "g = NaN");
    BAD(mb_accelerations(NULL, n, x, m, 1, -1, a), MB_ERROR_INPUT, "eps = -1");
    x[5] = NAN;
    BAD(mb_accelerations(NULL, n, x, m, 1, 0.1, a), MB_ERROR_INPUT, "x[1][2] = NaN");
    x[5] = INFINITY;
    BAD(mb_potential(NULL, n, x, m, 1, 0.1, phi), MB_ERROR_INPUT, "x[1][2] = inf");
    x[5] = 0.5;

    const char *law = "body x[3], q; sum s = j.q / norm(j.x - i.x); self exclude";
    BAD(mb_evaluate(NULL, law, n / 4, 4, x, 0, NULL, 2, a), MB_ERROR_INPUT, "fdim = 2");
    BAD(mb_evaluate(NULL, "body x; sum s = j.y", n, 1, x, 0, NULL, 1, a), MB_ERROR_INPUT, "y");
    BAD(mb_evaluate(NULL, NULL, n, 1, x, 0, NULL, 1, a), MB_ERROR_ARGUMENT, "law");
    GOOD(mb_evaluate(NULL, law, n / 2, 4, x, 0, NULL, 1, a));
    GOOD(mb_evaluate_on(NULL, law, 5, 4, x, 7, 4, v, 0, 0, NULL, 1, a));

    mb_settings *settings = NULL;
    char text[8];
    GOOD(mb_settings_new(&settings));
    BAD(mb_settings_set(settings, "precision", "f46"), MB_ERROR_INPUT, "f46");
    BAD(mb_settings_set(settings, "presicion", "f32"), MB_ERROR_INPUT, "did you mean precision?");
    BAD(mb_settings_set(settings, NULL, "f32"), MB_ERROR_ARGUMENT, "name");
    BAD(mb_settings_set(NULL, "dt", "1"), MB_ERROR_ARGUMENT, "settings");
    GOOD(mb_settings_set(settings, "dt", "1/64"));
    GOOD(mb_settings_set(settings, "eps", "0.1"));
    GOOD(mb_settings_set(settings, "title", "longer than eight"));
    BAD(mb_settings_get(settings, "title", text, sizeof text), MB_ERROR_ARGUMENT, "must have 18");
    BAD(mb_accelerations(settings, n, x, m, 1, 0.1, a), MB_ERROR_INPUT, "belongs to a run");

    mb_simulation *run = NULL;
    int64_t made = -1, targets[2] = {3, 1000}, count = 0;
    BAD(mb_simulation_new(settings, NULL, n, x, v, NULL, &run), MB_ERROR_ARGUMENT, "m: is a null pointer");
    BAD(mb_simulation_new(settings, "furlong", n, x, v, m, &run), MB_ERROR_INPUT, "system of units");
    BAD(mb_simulation_new(settings, NULL, n, x, v, m, NULL), MB_ERROR_ARGUMENT, "handle");
    GOOD(mb_simulation_new(settings, NULL, n, x, v, m, &run));
    BAD(mb_simulation_accelerations_on(run, 2, targets, a), MB_ERROR_INPUT, "targets = 1000");
    BAD(mb_simulation_accelerations(run, n - 1, a), MB_ERROR_ARGUMENT, "must be 37");
    BAD(mb_simulation_step(run, -1, &made), MB_ERROR_ARGUMENT, "steps");
    BAD(mb_simulation_advance(run, NAN), MB_ERROR_INPUT, "until");
    BAD(mb_simulation_save(run, "/no/such/folder/a.hdf5"), MB_ERROR_FILE, "/no/such/folder");
    mb_simulation *other = run;
    BAD(mb_simulation_load(settings, "/no/such/file.hdf5", &other), MB_ERROR_FILE, "/no/such/file");
    if (other)
        failures++;
    GOOD(mb_simulation_step(run, 3, &made));
    GOOD(mb_simulation_bodies(run, n, x, v, m));
    GOOD(mb_simulation_count(run, &count));
    BAD(mb_simulation_bodies(run, n, x, x, NULL), MB_ERROR_ARGUMENT, "overlaps");
    BAD(mb_simulation_time(NULL, a), MB_ERROR_ARGUMENT, "simulation");
    GOOD(mb_cunbody_force(x, m, x, 0.01, a, 12, 12));
    BAD(mb_cunbody_force(x, NULL, x, 0.01, a, 12, 12), MB_ERROR_ARGUMENT, "mj");
    if (!isnan(a[0]) || !isnan(a[35]) || made != 3 || count != n)
        failures++;

    mb_simulation_free(run);
    mb_simulation_free(NULL);
    mb_settings_free(settings);
    mb_settings_free(NULL);
    free(x), free(v), free(m), free(a), free(phi), free(jerk);
    printf("%s\n", failures ? "FAILED" : "each mistake has its status");
    return failures != 0;
}
