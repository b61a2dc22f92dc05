/* Several threads at once: calls on arrays with one handle of settings, messages of their own, and runs of their own. The bits are
 * those of one thread. */
#include <manybody.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 500
#define THREADS 4

static double x[3 * N], m[N], alone[3 * N], run_alone[3 * N];
static mb_settings *settings, *of_run;

static int compute(double *a, double *moved)
{
    mb_simulation *run;
    int failed = mb_accelerations(settings, N, x, m, 1, 0.1, a);
    failed |= mb_simulation_new(of_run, NULL, N, x, NULL, m, &run);
    failed |= mb_simulation_step(run, 3, NULL);
    failed |= mb_simulation_bodies(run, N, moved, NULL, NULL);
    mb_simulation_free(run);
    return failed;
}

static void *work(void *number)
{
    double *a = malloc(sizeof alone), *moved = malloc(sizeof alone);
    char expected[64];
    for (int k = 0; k < 10; k++) {
        if (compute(a, moved) || memcmp(a, alone, sizeof alone) || memcmp(moved, run_alone, sizeof alone))
            return "the results differ";
        snprintf(expected, sizeof expected, "eps = -%d", *(int *)number);
        if (mb_accelerations(NULL, N, x, m, 1, -*(int *)number, a) != MB_ERROR_INPUT || !strstr(mb_last_error(), expected))
            return "the message is another thread's";
    }
    free(a), free(moved);
    return NULL;
}

int main(void)
{
    unsigned state = 1;
    for (int k = 0; k < 3 * N; k++) {
        state = state * 1664525u + 1013904223u;
        x[k] = state / 4294967296.0;
        m[k / 3] = 1.0 / N;
    }
    int failed = mb_settings_new(&settings) | mb_settings_set(settings, "device", "cpu");
    failed |= mb_settings_new(&of_run) | mb_settings_set(of_run, "dt", "1/64") | mb_settings_set(of_run, "eps", "0.1");
    failed |= mb_settings_set(of_run, "threads", "2") | compute(alone, run_alone);
    pthread_t threads[THREADS];
    int numbers[THREADS];
    for (int k = 0; k < THREADS; k++) {
        numbers[k] = k + 1;
        failed |= pthread_create(&threads[k], NULL, work, &numbers[k]);
    }
    for (int k = 0; k < THREADS; k++) {
        void *problem;
        pthread_join(threads[k], &problem);
        if (problem) {
            printf("thread %d: %s\n", k, (char *)problem);
            failed = 1;
        }
    }
    mb_settings_free(settings);
    mb_settings_free(of_run);
    printf("%s\n", failed ? "FAILED" : "threads do not disturb each other");
    return failed != 0;
}
