/* The test program of CUNBODY-1 (Hamada & Iitaka 2007, figure 10): its declarations and its call as printed, with the parts
 * (A) to (E) written out. Compiled with -include cunbody.h. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

int ni, nj;
double rj[131072][3];
double mj[131072];
double ri[131072][3];
double a[131072][3];
double eps2 = 0.01;

static double host[131072][3];

/* (A) bodies in a ball */
static void get_initial_condition(int n)
{
    unsigned state = 1;
    for (int i = 0; i < n; i++) {
        double r2;
        do {
            r2 = 0;
            for (int d = 0; d < 3; d++) {
                state = state * 1664525u + 1013904223u;
                ri[i][d] = rj[i][d] = 2.0 * (state >> 8) / 16777216.0 - 1.0;
                r2 += rj[i][d] * rj[i][d];
            }
        } while (r2 > 1);
        mj[i] = 1.0 / n;
    }
    ni = nj = n;
}

/* (B) by the host, in double precision */
static void compute_on_the_host(void)
{
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < nj; j++) {
            double dr[3], r2 = eps2;
            for (int d = 0; d < 3; d++) {
                dr[d] = rj[j][d] - ri[i][d];
                r2 += dr[d] * dr[d];
            }
            for (int d = 0; d < 3; d++)
                host[i][d] += mj[j] * dr[d] / (r2 * sqrt(r2));
        }
}

/* (E) the largest relative error */
static double maximum_error(void)
{
    double most = 0;
    for (int i = 0; i < ni; i++) {
        double difference = 0, size = 0;
        for (int d = 0; d < 3; d++) {
            difference += (a[i][d] - host[i][d]) * (a[i][d] - host[i][d]);
            size += host[i][d] * host[i][d];
        }
        if (!(sqrt(difference / size) <= most)) /* NaN, too */
            most = sqrt(difference / size);
        if (isnan(most))
            break;
    }
    return most;
}

int main()
{
  get_initial_condition(2048);
  compute_on_the_host();
  clock_t start = clock();
  force(rj, mj, ri, eps2, a, ni, nj);
  clock_t stop = clock();
  double error = maximum_error();
  fprintf(stderr, "%d bodies: %.2g s of the processors, error %.1e\n", ni, (double)(stop - start) / CLOCKS_PER_SEC, error);
  /* the paper has 5.4e-7 for its single precision; here it is double */
  printf("error below 1e-12: %s, below 1e-5: %s\n", error < 1e-12 ? "yes" : "no", error < 1e-5 ? "yes" : "no");
  return !(error < 1e-5);
}
