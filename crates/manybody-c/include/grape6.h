/* The calls of GRAPE-6, as Sapporo2 has them, computed by manybody on the CPU or on the device that the environment variable
 * MANYBODY_SETTINGS names, as in MANYBODY_SETTINGS="device=cuda". Precision is f64 unless it names another.
 *
 * The library has the forms with arguments by reference, whose names end with `_`; Fortran calls them without it. The forms
 * with values are defined here, for C. Calls return 0, or -1 with a message in mb_last_error() of manybody.h.
 *
 * A cluster keeps particles j at addresses 0, 1, ... G is 1. Each has an index; a particle i does nothing to the particle j of
 * its own index. k18, j6 and a2 are the second derivative of the acceleration / 18, the jerk / 6 and the acceleration / 2 at
 * the time tj; particles j are predicted to the time of g6_set_ti by all of these. (Sapporo2 leaves k18 out.)
 *
 * g6calc_firsthalf takes particles i; acc, jerk and pot of g6calc_lasthalf are those that the particles j at the addresses
 * 0 to nj - 1 cause there, pot negative. aold, j6old and phiold are not used. g6calc_lasthalf2 also gives the index of the
 * nearest other particle, or -1. g6_read_neighbour_list finds the neighbours of the particles i within the distance
 * sqrt(h2[i]), and g6_get_neighbour_list gives those of one of them, from 0, with ascending indices; where there are more
 * than maxlength, it returns 1. */
#ifndef MANYBODY_GRAPE6_H
#define MANYBODY_GRAPE6_H

#ifdef __cplusplus
extern "C" {
#endif

int g6_open_(const int *id);
int g6_close_(const int *id);
int g6_npipes_(void);
int g6_set_tunit_(const double *);
int g6_set_xunit_(const double *);
int g6_reset_(const int *id);
int g6_reset_fofpga_(const int *id);
int g6_initialize_jp_buffer_(const int *id, const int *size);
int g6_flush_jp_buffer_(const int *id);
int g6_set_ti_(const int *id, const double *ti);
int g6_set_j_particle_(const int *id, const int *address, const int *index, const double *tj, const double *dtj,
                       const double *mass, const double k18[3], const double j6[3], const double a2[3], const double v[3],
                       const double x[3]);
int g6calc_firsthalf_(const int *id, const int *nj, const int *ni, const int index[], const double xi[][3],
                      const double vi[][3], const double aold[][3], const double j6old[][3], const double phiold[],
                      const double *eps2, const double h2[]);
int g6calc_lasthalf_(const int *id, const int *nj, const int *ni, const int index[], const double xi[][3],
                     const double vi[][3], const double *eps2, const double h2[], double acc[][3], double jerk[][3],
                     double pot[]);
int g6calc_lasthalf2_(const int *id, const int *nj, const int *ni, const int index[], const double xi[][3],
                      const double vi[][3], const double *eps2, const double h2[], double acc[][3], double jerk[][3],
                      double pot[], int nnbindex[]);
int g6_read_neighbour_list_(const int *id);
int g6_get_neighbour_list_(const int *id, const int *ipipe, const int *maxlength, int *n_neighbours,
                           int neighbour_list[]);

#ifdef __cplusplus
}
#endif

/* Arrays of arrays are const where they are only read; C before C23 needs a cast for that. */
typedef const double (*g6_read_only)[3];

static inline int g6_open(int id) { return g6_open_(&id); }
static inline int g6_close(int id) { return g6_close_(&id); }
static inline int g6_npipes(void) { return g6_npipes_(); }
static inline int g6_set_tunit(double unit) { return g6_set_tunit_(&unit); }
static inline int g6_set_xunit(double unit) { return g6_set_xunit_(&unit); }
static inline int g6_reset(int id) { return g6_reset_(&id); }
static inline int g6_reset_fofpga(int id) { return g6_reset_fofpga_(&id); }
static inline int g6_initialize_jp_buffer(int id, int size) { return g6_initialize_jp_buffer_(&id, &size); }
static inline int g6_flush_jp_buffer(int id) { return g6_flush_jp_buffer_(&id); }
static inline int g6_set_ti(int id, double ti) { return g6_set_ti_(&id, &ti); }

static inline int g6_set_j_particle(int id, int address, int index, double tj, double dtj, double mass,
                                    const double k18[3], const double j6[3], const double a2[3], const double v[3],
                                    const double x[3])
{
    return g6_set_j_particle_(&id, &address, &index, &tj, &dtj, &mass, k18, j6, a2, v, x);
}

static inline int g6calc_firsthalf(int id, int nj, int ni, int index[], double xi[][3], double vi[][3],
                                   double aold[][3], double j6old[][3], double phiold[], double eps2, double h2[])
{
    return g6calc_firsthalf_(&id, &nj, &ni, index, (g6_read_only)xi, (g6_read_only)vi, (g6_read_only)aold,
                             (g6_read_only)j6old, phiold, &eps2, h2);
}

static inline int g6calc_lasthalf(int id, int nj, int ni, int index[], double xi[][3], double vi[][3], double eps2,
                                  double h2[], double acc[][3], double jerk[][3], double pot[])
{
    return g6calc_lasthalf_(&id, &nj, &ni, index, (g6_read_only)xi, (g6_read_only)vi, &eps2, h2, acc, jerk, pot);
}

static inline int g6calc_lasthalf2(int id, int nj, int ni, int index[], double xi[][3], double vi[][3], double eps2,
                                   double h2[], double acc[][3], double jerk[][3], double pot[], int nnbindex[])
{
    return g6calc_lasthalf2_(&id, &nj, &ni, index, (g6_read_only)xi, (g6_read_only)vi, &eps2, h2, acc, jerk, pot,
                             nnbindex);
}

static inline int g6_read_neighbour_list(int id) { return g6_read_neighbour_list_(&id); }

static inline int g6_get_neighbour_list(int id, int ipipe, int maxlength, int *n_neighbours, int neighbour_list[])
{
    return g6_get_neighbour_list_(&id, &ipipe, &maxlength, n_neighbours, neighbour_list);
}

#endif /* MANYBODY_GRAPE6_H */
