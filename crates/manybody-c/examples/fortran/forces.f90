! Fortran: forces of arrays in both precisions, a law as text, and the message of an error.
program forces
  use, intrinsic :: iso_c_binding
  use manybody
  implicit none
  real(c_double) :: x(3, 3), m(3), a(3, 3), phi(3)
  real(c_float) :: single(3, 3)
  type(mb_settings) :: settings
  integer :: i

  x = reshape([1d0, 0d0, 0d0, -1d0, 0d0, 0d0, 0d0, 2d0, 0d0], [3, 3])
  m = [1d0, 1d0, 0.5d0]
  call check(mb_accelerations(mb_default, 3, x, m, 1d0, 0.01d0, a))
  call check(mb_potential(mb_default, 3, x, m, 1d0, 0.01d0, phi))
  do i = 1, 3
    print '(a, 3f10.6, a, f10.6)', 'a =', a(:, i), '  phi =', phi(i)
  end do
  call check(mb_accelerations(mb_default, 3, real(x, c_float), real(m, c_float), 1d0, 0.01d0, single))
  print '(a, l2)', 'f32 agrees to 1e-6:', all(abs(single - a) < 1e-6)

  call check(mb_settings_new(settings))
  call check(mb_settings_set(settings, 'threads', 1))
  call check(mb_settings_set(settings, 'par', 'k=2'))
  call check(mb_evaluate(settings, 'body x[3], q; param k = 1; sum s = k * j.q; self exclude', 1, 4, [x(:, 1), 5d0], 1, phi))
  call mb_settings_free(settings)

  x(2, 3) = ieee_nan()
  if (mb_accelerations(mb_default, 3, x, m, 1d0, 0.01d0, a) /= MB_ERROR_INPUT) stop 1
  print '(a)', mb_last_error()

contains

  subroutine check(status)
    integer(c_int), intent(in) :: status
    if (status == MB_OK) return
    print '(3a)', mb_status_name(status), ': ', mb_last_error()
    stop 1
  end subroutine

  function ieee_nan() result(nan)
    use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_quiet_nan
    real(c_double) :: nan
    nan = ieee_value(nan, ieee_quiet_nan)
  end function
end program
