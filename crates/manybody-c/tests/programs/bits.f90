! As bits.c: bits FILE PRECISION SOLVER EPS OUT.
program bits
  use, intrinsic :: iso_c_binding
  use manybody
  implicit none
  character(1024) :: words(5)
  type(mb_simulation) :: file
  type(mb_settings) :: settings
  real(c_double), allocatable :: x(:, :), v(:, :), m(:), a(:, :), phi(:)
  real(c_double) :: eps
  integer :: k, n, out

  do k = 1, 5
    call get_command_argument(k, words(k))
  end do
  read (words(4), *) eps
  call check(mb_simulation_load(mb_default, words(1), file))
  call check(mb_simulation_count(file, n))
  allocate (x(3, n), v(3, n), m(n), a(3, n), phi(n))
  call check(mb_simulation_bodies(file, n, x, v, m))
  call mb_simulation_free(file)
  call check(mb_settings_new(settings))
  call check(mb_settings_set(settings, 'device', 'cpu'))
  call check(mb_settings_set(settings, 'precision', trim(words(2))))
  call check(mb_settings_set(settings, 'solver', trim(words(3))))
  call check(mb_forces(settings, n, x, v, m, 1d0, eps, a, phi))
  call mb_settings_free(settings)
  open (newunit=out, file=trim(words(5)), access='stream', form='unformatted', status='replace')
  write (out) a, phi
  close (out)
  deallocate (x, v, m, a, phi) ! a program keeps them to its end, which AddressSanitizer takes for a leak

contains

  subroutine check(status)
    integer(c_int), intent(in) :: status
    if (status == MB_OK) return
    print '(a)', mb_last_error()
    stop 1
  end subroutine
end program
