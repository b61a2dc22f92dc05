#ifndef MANYBODY_H
#define MANYBODY_H

/* Made from the sources of manybody-c: do not edit. docs/c.md explains it. */

#include <stddef.h>
#include <stdint.h>

/**
 * What a call returns.
 */
typedef enum mb_status {
  /**
   * The call has done what it is for.
   */
  MB_OK = 0,
  /**
   * A pointer is null or misaligned, a size is negative or too large, or a result overlaps another array.
   */
  MB_ERROR_ARGUMENT = 1,
  /**
   * A number is not finite or out of its range, a name is unknown, or a choice is not available.
   */
  MB_ERROR_INPUT = 2,
  /**
   * A file cannot be read or written, or is damaged.
   */
  MB_ERROR_FILE = 3,
  /**
   * A device is not here, or has failed.
   */
  MB_ERROR_DEVICE = 4,
  /**
   * A result is not finite, or an error is beyond its limit.
   */
  MB_ERROR_COMPUTATION = 5,
  /**
   * There is not enough memory.
   */
  MB_ERROR_MEMORY = 6,
  /**
   * Another thread is using the handle.
   */
  MB_ERROR_BUSY = 7,
  /**
   * A defect of the library.
   */
  MB_ERROR_INTERNAL = 8,
} mb_status;

/**
 * Settings by name. A handle may be read by several threads at once, and changed by one that no other uses beside it.
 */
typedef struct mb_settings mb_settings;

/**
 * Bodies that the library keeps, with what accelerates them. A handle is used by one thread at a time; a call that meets
 * another one returns MB_ERROR_BUSY.
 */
typedef struct mb_simulation mb_simulation;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * CUNBODY-1's `force`, with a status: the accelerations `a` [ni][3] that `nj` bodies at `xj` [nj][3] with masses `mj`
 * [nj] cause at the places `xi` [ni][3], with G = 1 and the square `eps2` of the softening length. Computed in f64, on
 * the device that the environment variable MANYBODY_SETTINGS names, as in "device=cuda precision=f32". On an error `a`
 * is filled with NaN.
 */
enum mb_status mb_cunbody_force(const double *xj,
                                const double *mj,
                                const double *xi,
                                double eps2,
                                double *a,
                                int ni,
                                int nj);

/**
 * CUNBODY-1's `cunbody_api`, with a status: what `pipeline_description`, a text or the name of a file with one, makes of
 * `nj` bodies `xj` [nj][jdim] acting on `ni` bodies `xi` [ni][idim]: `f` [ni][fdim]. Otherwise as
 * mb_cunbody_force.
 */
enum mb_status mb_cunbody_api(const char *pipeline_description,
                              int idim,
                              int jdim,
                              int fdim,
                              const double *xj,
                              const double *xi,
                              double *f,
                              int ni,
                              int nj);

/**
 * mb_forces of arrays in the memory of a GPU, which computes: `x`, `v`, `m` and `eps_each` are read there, and results are
 * written there. Of bodies without mass, and of errors, the host gets numbers, else no array. `stream` is the CUDA stream, a
 * cudaStream_t or CUstream, on which the arrays are being written: what is on it is done first, and NULL is the default
 * stream. The results are complete when the call returns. All pairs are computed, on the GPU of `x`: the settings device,
 * gpus, rtol and solver cannot ask for something else.
 */
enum mb_status mb_forces_device(const struct mb_settings *settings,
                                void *stream,
                                int64_t n,
                                const double *x,
                                const double *v,
                                const double *m,
                                const double *eps_each,
                                double g,
                                double eps,
                                double *a,
                                double *phi,
                                double *jerk);

/**
 * mb_forces_device of arrays of float, in f32 unless the settings name another precision.
 */
enum mb_status mb_forces_device_f32(const struct mb_settings *settings,
                                    void *stream,
                                    int64_t n,
                                    const float *x,
                                    const float *v,
                                    const float *m,
                                    const float *eps_each,
                                    double g,
                                    double eps,
                                    float *a,
                                    float *phi,
                                    float *jerk);

/**
 * mb_evaluate of arrays `x` and `f` in the memory of a GPU, as mb_forces_device; `par` is in the memory of the CPU.
 */
enum mb_status mb_evaluate_device(const struct mb_settings *settings,
                                  void *stream,
                                  const char *law,
                                  int64_t n,
                                  int dim,
                                  const double *x,
                                  int64_t npar,
                                  const double *par,
                                  int fdim,
                                  double *f);

/**
 * mb_evaluate_device of arrays of float, in f32 unless the settings name another precision.
 */
enum mb_status mb_evaluate_device_f32(const struct mb_settings *settings,
                                      void *stream,
                                      const char *law,
                                      int64_t n,
                                      int dim,
                                      const float *x,
                                      int64_t npar,
                                      const float *par,
                                      int fdim,
                                      float *f);

/**
 * mb_evaluate_on of arrays `xi`, `xj` and `f` in the memory of a GPU, as mb_evaluate_device.
 */
enum mb_status mb_evaluate_on_device(const struct mb_settings *settings,
                                     void *stream,
                                     const char *law,
                                     int64_t ni,
                                     int idim,
                                     const double *xi,
                                     int64_t nj,
                                     int jdim,
                                     const double *xj,
                                     int same,
                                     int64_t npar,
                                     const double *par,
                                     int fdim,
                                     double *f);

/**
 * mb_evaluate_on_device of arrays of float, in f32 unless the settings name another precision.
 */
enum mb_status mb_evaluate_on_device_f32(const struct mb_settings *settings,
                                         void *stream,
                                         const char *law,
                                         int64_t ni,
                                         int idim,
                                         const float *xi,
                                         int64_t nj,
                                         int jdim,
                                         const float *xj,
                                         int same,
                                         int64_t npar,
                                         const float *par,
                                         int fdim,
                                         float *f);

/**
 * What was wrong with the last call of this thread that failed: a sentence that names the argument, the value, and what would
 * be right. Empty where no call has failed. It is valid until the next call of this thread that fails.
 */
const char *mb_last_error(void);

/**
 * The name of a status: "MB_OK", "MB_ERROR_INPUT", ...
 */
const char *mb_status_name(int status);

/**
 * The version of the library: "0.1.0".
 */
const char *mb_version(void);

/**
 * The accelerations `a` [n][3] that `n` bodies at `x` [n][3] with masses `m` [n] cause at each other, with G = `g`
 * and the softening length `eps`, Plummer's if the settings name no other. In f64 unless the settings name another
 * precision. `settings` may be null.
 */
enum mb_status mb_accelerations(const struct mb_settings *settings,
                                int64_t n,
                                const double *x,
                                const double *m,
                                double g,
                                double eps,
                                double *a);

/**
 * mb_accelerations of arrays of float, in f32 unless the settings name another precision.
 */
enum mb_status mb_accelerations_f32(const struct mb_settings *settings,
                                    int64_t n,
                                    const float *x,
                                    const float *m,
                                    double g,
                                    double eps,
                                    float *a);

/**
 * The potentials `phi` [n] that all other bodies cause at each, negative; otherwise as mb_accelerations.
 */
enum mb_status mb_potential(const struct mb_settings *settings,
                            int64_t n,
                            const double *x,
                            const double *m,
                            double g,
                            double eps,
                            double *phi);

/**
 * mb_potential of arrays of float, in f32 unless the settings name another precision.
 */
enum mb_status mb_potential_f32(const struct mb_settings *settings,
                                int64_t n,
                                const float *x,
                                const float *m,
                                double g,
                                double eps,
                                float *phi);

/**
 * Accelerations `a` [n][3], potentials `phi` [n] and time derivatives of accelerations `jerk` [n][3], in one
 * evaluation; null for those that are not needed. `v` [n][3] are velocities, which only the jerk needs, else null;
 * `eps_each` [n] are softening lengths of the bodies' own, used in place of `eps`, or null.
 */
enum mb_status mb_forces(const struct mb_settings *settings,
                         int64_t n,
                         const double *x,
                         const double *v,
                         const double *m,
                         const double *eps_each,
                         double g,
                         double eps,
                         double *a,
                         double *phi,
                         double *jerk);

/**
 * mb_forces of arrays of float, in f32 unless the settings name another precision.
 */
enum mb_status mb_forces_f32(const struct mb_settings *settings,
                             int64_t n,
                             const float *x,
                             const float *v,
                             const float *m,
                             const float *eps_each,
                             double g,
                             double eps,
                             float *a,
                             float *phi,
                             float *jerk);

/**
 * The accelerations `a` [ni][3] that `nj` bodies at `xj` [nj][3] with masses `mj` [nj] cause at the places `xi`
 * [ni][3]. A body at such a place adds nothing to it. Otherwise as mb_accelerations.
 */
enum mb_status mb_accelerations_at(const struct mb_settings *settings,
                                   int64_t ni,
                                   const double *xi,
                                   int64_t nj,
                                   const double *xj,
                                   const double *mj,
                                   double g,
                                   double eps,
                                   double *a);

/**
 * mb_accelerations_at of arrays of float, in f32 unless the settings name another precision.
 */
enum mb_status mb_accelerations_at_f32(const struct mb_settings *settings,
                                       int64_t ni,
                                       const float *xi,
                                       int64_t nj,
                                       const float *xj,
                                       const float *mj,
                                       double g,
                                       double eps,
                                       float *a);

/**
 * What a law makes of `n` bodies of one set: `f` [n][fdim] from `x` [n][dim]. `law` is a text in the language of
 * docs/laws.md, the name of a built-in law, or the name of a file with such a text; the numbers of a body are those of its
 * `body` line, in order, and `fdim` those of its results. `par` [npar] are the numbers of its parameters; with npar = 0
 * they are those of the setting `par`, or the law's own. In f64 unless the settings name another precision.
 */
enum mb_status mb_evaluate(const struct mb_settings *settings,
                           const char *law,
                           int64_t n,
                           int dim,
                           const double *x,
                           int64_t npar,
                           const double *par,
                           int fdim,
                           double *f);

/**
 * mb_evaluate of arrays of float, in f32 unless the settings name another precision.
 */
enum mb_status mb_evaluate_f32(const struct mb_settings *settings,
                               const char *law,
                               int64_t n,
                               int dim,
                               const float *x,
                               int64_t npar,
                               const float *par,
                               int fdim,
                               float *f);

/**
 * What a law makes of `nj` bodies `xj` [nj][jdim] acting on `ni` bodies `xi` [ni][idim]: `f` [ni][fdim]. Where
 * `same` is not 0, body k of one side is body k of the other, with other numbers, and the law decides what it does to
 * itself. Otherwise as mb_evaluate.
 */
enum mb_status mb_evaluate_on(const struct mb_settings *settings,
                              const char *law,
                              int64_t ni,
                              int idim,
                              const double *xi,
                              int64_t nj,
                              int jdim,
                              const double *xj,
                              int same,
                              int64_t npar,
                              const double *par,
                              int fdim,
                              double *f);

/**
 * mb_evaluate_on of arrays of float, in f32 unless the settings name another precision.
 */
enum mb_status mb_evaluate_on_f32(const struct mb_settings *settings,
                                  const char *law,
                                  int64_t ni,
                                  int idim,
                                  const float *xi,
                                  int64_t nj,
                                  int jdim,
                                  const float *xj,
                                  int same,
                                  int64_t npar,
                                  const float *par,
                                  int fdim,
                                  float *f);

/**
 * Makes settings without any value. To be freed with mb_settings_free.
 */
enum mb_status mb_settings_new(struct mb_settings **settings);

/**
 * Gives the setting called `name` a value as text: mb_settings_set(s, "precision", "f32"), (s, "t-end", "10 Myr"). Names are
 * those of docs/settings.md, `_` may stand for `-`; parameters of initial conditions have names of their own, as "w0".
 * A setting that may be given several times (par, field) gets one value more with each call.
 */
enum mb_status mb_settings_set(struct mb_settings *settings,
                               const char *name,
                               const char *value);

/**
 * The same with a number.
 */
enum mb_status mb_settings_set_number(struct mb_settings *settings, const char *name, double value);

/**
 * Gives the settings that are not given yet the values of a TOML file, as each run writes one beside its output.
 */
enum mb_status mb_settings_read(struct mb_settings *settings, const char *path);

/**
 * Writes the value of a setting as text to a buffer of `size` bytes; an empty text where it is not given.
 */
enum mb_status mb_settings_get(const struct mb_settings *settings, const char *name, char *value, size_t size);

/**
 * Frees settings; nothing for null.
 */
void mb_settings_free(struct mb_settings *settings);

/**
 * Keeps `n` bodies: places `x` [n][3], velocities `v` [n][3] or null for bodies at rest, masses `m` [n]. `units` is
 * the name of a system of units, as "msun-pc-kms", or null for G = 1. Settings that are not given are chosen for the bodies,
 * as by the command, when they are first needed. To be freed with mb_simulation_free.
 */
enum mb_status mb_simulation_new(const struct mb_settings *settings,
                                 const char *units,
                                 int64_t n,
                                 const double *x,
                                 const double *v,
                                 const double *m,
                                 struct mb_simulation **simulation);

/**
 * Begins the run that settings describe, without writing a file: bodies from the settings `ic`, `n`, `seed` and the
 * parameters of initial conditions, or from `file`, or, of a run that was stopped, from `resume`.
 */
enum mb_status mb_simulation_start(const struct mb_settings *settings, struct mb_simulation **simulation);

/**
 * Keeps the bodies of a snapshot file, in any format, as those that a new run begins with.
 */
enum mb_status mb_simulation_load(const struct mb_settings *settings,
                                  const char *path,
                                  struct mb_simulation **simulation);

/**
 * Goes on with the run that a file has kept, of mb_simulation_save or of the command: with the same bits as without the
 * pause. Settings that are given take the place of the run's own.
 */
enum mb_status mb_simulation_resume(const struct mb_settings *settings,
                                    const char *path,
                                    struct mb_simulation **simulation);

/**
 * Writes the bodies to a file, in the format of its extension; of a run also all that mb_simulation_resume needs.
 */
enum mb_status mb_simulation_save(struct mb_simulation *simulation, const char *path);

/**
 * Puts other bodies in place of those that are kept, as mb_simulation_new takes them; a new run begins with them, at the
 * present time.
 */
enum mb_status mb_simulation_set_bodies(struct mb_simulation *simulation,
                                        int64_t n,
                                        const double *x,
                                        const double *v,
                                        const double *m);

/**
 * Sets a column of the bodies: x, y, z, vx, vy, vz, mass, eps, or any other name, as "q", which laws read. A new run begins
 * with the bodies, at the present time.
 */
enum mb_status mb_simulation_set_column(struct mb_simulation *simulation,
                                        const char *name,
                                        int64_t n,
                                        const double *values);

/**
 * Reads a column of the bodies by its name.
 */
enum mb_status mb_simulation_column(struct mb_simulation *simulation, const char *name, int64_t n, double *values);

/**
 * Writes how many bodies there are.
 */
enum mb_status mb_simulation_count(struct mb_simulation *simulation, int64_t *n);

/**
 * Writes the time.
 */
enum mb_status mb_simulation_time(struct mb_simulation *simulation, double *time);

/**
 * Writes places `x` [n][3], velocities `v` [n][3] and masses `m` [n] of all bodies; null for those that are not
 * needed. `n` must be the number of bodies.
 */
enum mb_status mb_simulation_bodies(struct mb_simulation *simulation, int64_t n, double *x, double *v, double *m);

/**
 * Writes the accelerations `a` [n][3] of all bodies at the present time, by their forces on each other and by external
 * fields. `n` must be the number of bodies.
 */
enum mb_status mb_simulation_accelerations(struct mb_simulation *simulation, int64_t n, double *a);

/**
 * Writes the accelerations `a` [n][3] of the bodies of the indices `targets` [n], from 0, in this order. The cost is
 * that of these; sums may be rounded differently than among all.
 */
enum mb_status mb_simulation_accelerations_on(struct mb_simulation *simulation,
                                              int64_t n,
                                              const int64_t *targets,
                                              double *a);

/**
 * Makes steps of the setting dt, at most to the setting t-end, and writes how many it were to `made`, which may be null.
 * A run that fails stands at its last good step.
 */
enum mb_status mb_simulation_step(struct mb_simulation *simulation,
                                  int64_t steps,
                                  int64_t *made);

/**
 * Advances to a time, which is met exactly, by a shorter last step where the setting dt does not divide the time between.
 */
enum mb_status mb_simulation_advance(struct mb_simulation *simulation,
                                     double until);

/**
 * Writes the kinetic and the potential energy and the energy error (E - E0) / |E0| since the run began, at the cost of a
 * force evaluation; null for those that are not needed. The error is NaN where the forces conserve no energy.
 */
enum mb_status mb_simulation_energy(struct mb_simulation *simulation,
                                    double *kinetic,
                                    double *potential,
                                    double *error);

/**
 * Writes the value of a setting as text to a buffer of `size` bytes: as it was given or, once a run has begun, as it was
 * chosen; an empty text where it has no value.
 */
enum mb_status mb_simulation_setting(struct mb_simulation *simulation,
                                     const char *name,
                                     char *value,
                                     size_t size);

/**
 * Frees a simulation; nothing for null.
 */
void mb_simulation_free(struct mb_simulation *simulation);

/**
 * Makes the whole run that settings describe, as `manybody run` does, with its snapshots, audits and checks, and writes the
 * name of the file with the last state to a buffer of `size` bytes, which may be null.
 */
enum mb_status mb_run(const struct mb_settings *settings,
                      char *file,
                      size_t size);

/**
 * mb_simulation_set_bodies of arrays in the memory of a GPU, whose numbers are copied, and which may be another GPU than
 * the one that computes. `stream` is the CUDA stream, a cudaStream_t or CUstream, on which the arrays are being written:
 * what is on it is done first, and NULL is the default stream.
 */
enum mb_status mb_simulation_set_bodies_device(struct mb_simulation *simulation,
                                               void *stream,
                                               int64_t n,
                                               const double *x,
                                               const double *v,
                                               const double *m);

/**
 * mb_simulation_bodies to arrays in the memory of a GPU, which are complete when the call returns; `stream` as of
 * mb_simulation_set_bodies_device.
 */
enum mb_status mb_simulation_bodies_device(struct mb_simulation *simulation,
                                           void *stream,
                                           int64_t n,
                                           double *x,
                                           double *v,
                                           double *m);

/**
 * mb_simulation_accelerations to an array in the memory of a GPU, as mb_simulation_bodies_device.
 */
enum mb_status mb_simulation_accelerations_device(struct mb_simulation *simulation, void *stream, int64_t n, double *a);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MANYBODY_H */
