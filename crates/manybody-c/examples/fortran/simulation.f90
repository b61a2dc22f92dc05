! Fortran: bodies of one's own in a run, its energy, accelerations of some bodies, and a file to go on from.
program simulation
  use, intrinsic :: iso_c_binding
  use manybody
  implicit none
  real(c_double) :: x(3, 2), v(3, 2), m(2), a(3, 1), kinetic, potential, error, time
  type(mb_settings) :: settings
  type(mb_simulation) :: run
  character(32) :: dt
  integer :: made

  x = reshape([0.5d0, 0d0, 0d0, -0.5d0, 0d0, 0d0], [3, 2])
  v = reshape([0d0, 0.5d0, 0d0, 0d0, -0.5d0, 0d0], [3, 2])
  m = 0.5d0
  call check(mb_settings_new(settings))
  call check(mb_settings_set(settings, 'dt', '1/128'))
  call check(mb_settings_set(settings, 'eps', 0d0))
  call check(mb_settings_set(settings, 'integrator', 'yoshida4'))
  call check(mb_simulation_new(settings, 2, x, v, m, run))
  call check(mb_simulation_step(run, 128, made))
  call check(mb_simulation_energy(run, kinetic, potential, error))
  call check(mb_simulation_setting(run, 'dt', dt))
  print '(i4, 3a, f8.5, a, f8.5, a, l2)', made, ' steps of ', trim(dt), ': T =', kinetic, ', W =', potential, &
    ', energy error below 1e-9:', abs(error) < 1d-9
  call check(mb_simulation_save(run, 'binary.hdf5'))
  call mb_simulation_free(run)

  call check(mb_simulation_resume(mb_default, 'binary.hdf5', run))
  call check(mb_simulation_advance(run, 2d0))
  call check(mb_simulation_time(run, time))
  call check(mb_simulation_bodies(run, 2, x=x))
  call check(mb_simulation_accelerations(run, 1, [2], a))
  print '(a, f5.2, a, f8.5, a, f8.5)', 't =', time, ': distance', norm2(x(:, 2) - x(:, 1)), ', acceleration', norm2(a)
  call mb_simulation_free(run)
  call mb_settings_free(settings)

contains

  subroutine check(status)
    integer(c_int), intent(in) :: status
    if (status == MB_OK) return
    print '(3a)', mb_status_name(status), ': ', mb_last_error()
    stop 1
  end subroutine
end program
