! manybody from Fortran: the calls of manybody.h, which docs/c.md explains. Compile this file with your program.
!
! Arrays are x(3,n), v(3,n), m(n) of real(c_double), or of real(c_float) for f32; sizes are default integers. Functions
! return a status, MB_OK or an error, of which mb_last_error() is the message. mb_default stands for no settings.
module manybody
  use, intrinsic :: iso_c_binding
  implicit none
  private

  enum, bind(c)
    enumerator :: MB_OK = 0, MB_ERROR_ARGUMENT, MB_ERROR_INPUT, MB_ERROR_FILE, MB_ERROR_DEVICE, MB_ERROR_COMPUTATION
    enumerator :: MB_ERROR_MEMORY, MB_ERROR_BUSY, MB_ERROR_INTERNAL
  end enum
  public :: MB_OK, MB_ERROR_ARGUMENT, MB_ERROR_INPUT, MB_ERROR_FILE, MB_ERROR_DEVICE, MB_ERROR_COMPUTATION
  public :: MB_ERROR_MEMORY, MB_ERROR_BUSY, MB_ERROR_INTERNAL

  !> Settings, of mb_settings_new.
  type, public, bind(c) :: mb_settings
    private
    type(c_ptr) :: handle = c_null_ptr
  end type

  !> Bodies that the library keeps, of mb_simulation_new, _start, _load or _resume.
  type, public, bind(c) :: mb_simulation
    private
    type(c_ptr) :: handle = c_null_ptr
  end type

  !> No settings: those that the library has by default.
  type(mb_settings), parameter, public :: mb_default = mb_settings()

  public :: mb_last_error, mb_status_name, mb_version
  public :: mb_settings_new, mb_settings_set, mb_settings_read, mb_settings_get, mb_settings_free
  public :: mb_accelerations, mb_accelerations_at, mb_potential, mb_forces, mb_evaluate, mb_evaluate_on
  public :: mb_forces_device, mb_forces_device_f32, mb_evaluate_device, mb_evaluate_device_f32
  public :: mb_evaluate_on_device, mb_evaluate_on_device_f32
  public :: mb_simulation_set_bodies_device, mb_simulation_bodies_device, mb_simulation_accelerations_device
  public :: mb_simulation_new, mb_simulation_start, mb_simulation_load, mb_simulation_resume, mb_simulation_save
  public :: mb_simulation_set_bodies, mb_simulation_set_column, mb_simulation_column, mb_simulation_count
  public :: mb_simulation_time, mb_simulation_bodies, mb_simulation_accelerations, mb_simulation_step
  public :: mb_simulation_advance, mb_simulation_energy, mb_simulation_setting, mb_simulation_free, mb_run

  !> Sets a setting by name: to a text, a real or an integer.
  interface mb_settings_set
    module procedure set_text, set_real, set_integer
  end interface

  !> Accelerations a(3,n) of n bodies at x(3,n) with masses m(n) on each other.
  interface mb_accelerations
    module procedure accelerations_f64, accelerations_f32
  end interface

  !> Accelerations a(3,ni) that bodies at xj(3,nj) with masses mj(nj) cause at the places xi(3,ni).
  interface mb_accelerations_at
    module procedure accelerations_at_f64, accelerations_at_f32
  end interface

  !> Potentials phi(n) of n bodies at x(3,n) with masses m(n).
  interface mb_potential
    module procedure potential_f64, potential_f32
  end interface

  !> Accelerations, and where they are present potentials and jerks, of bodies with velocities.
  interface mb_forces
    module procedure forces_f64, forces_f32
  end interface

  !> What a law makes of bodies x(dim,n) of one set: f(fdim,n).
  interface mb_evaluate
    module procedure evaluate_f64, evaluate_f32
  end interface

  !> What a law makes of bodies xj(jdim,nj) acting on bodies xi(idim,ni): f(fdim,ni).
  interface mb_evaluate_on
    module procedure evaluate_on_f64, evaluate_on_f32
  end interface

  !> Accelerations of all bodies, a(3,n), or of the bodies of the indices targets(n), from 1.
  interface mb_simulation_accelerations
    module procedure accelerations_of_all, accelerations_of_some
  end interface

  ! Arrays in the memory of a GPU, by their addresses there (c_devloc of CUDA Fortran); par is in that of the CPU. The
  ! stream is one of CUDA, or c_null_ptr; texts end with c_null_char.
  interface
    function mb_forces_device(settings, stream, n, x, v, m, eps_each, g, eps, a, phi, jerk) &
        bind(c, name="mb_forces_device") result(status)
      import :: mb_settings, c_ptr, c_int, c_int64_t, c_double
      type(mb_settings), value :: settings
      type(c_ptr), value :: stream, x, v, m, eps_each, a, phi, jerk
      integer(c_int64_t), value :: n
      real(c_double), value :: g, eps
      integer(c_int) :: status
    end function
    function mb_simulation_set_bodies_device(simulation, stream, n, x, v, m) &
        bind(c, name="mb_simulation_set_bodies_device") result(status)
      import :: mb_simulation, c_ptr, c_int, c_int64_t
      type(mb_simulation), value :: simulation
      type(c_ptr), value :: stream, x, v, m
      integer(c_int64_t), value :: n
      integer(c_int) :: status
    end function
    function mb_simulation_bodies_device(simulation, stream, n, x, v, m) &
        bind(c, name="mb_simulation_bodies_device") result(status)
      import :: mb_simulation, c_ptr, c_int, c_int64_t
      type(mb_simulation), value :: simulation
      type(c_ptr), value :: stream, x, v, m
      integer(c_int64_t), value :: n
      integer(c_int) :: status
    end function
    function mb_simulation_accelerations_device(simulation, stream, n, a) &
        bind(c, name="mb_simulation_accelerations_device") result(status)
      import :: mb_simulation, c_ptr, c_int, c_int64_t
      type(mb_simulation), value :: simulation
      type(c_ptr), value :: stream, a
      integer(c_int64_t), value :: n
      integer(c_int) :: status
    end function
    function mb_evaluate_device(settings, stream, law, n, dim, x, npar, par, fdim, f) &
        bind(c, name="mb_evaluate_device") result(status)
      import :: mb_settings, c_ptr, c_char, c_int, c_int64_t
      type(mb_settings), value :: settings
      type(c_ptr), value :: stream, x, par, f
      character(kind=c_char), intent(in) :: law(*)
      integer(c_int64_t), value :: n, npar
      integer(c_int), value :: dim, fdim
      integer(c_int) :: status
    end function
    function mb_evaluate_on_device(settings, stream, law, ni, idim, xi, nj, jdim, xj, same, npar, par, fdim, f) &
        bind(c, name="mb_evaluate_on_device") result(status)
      import :: mb_settings, c_ptr, c_char, c_int, c_int64_t
      type(mb_settings), value :: settings
      type(c_ptr), value :: stream, xi, xj, par, f
      character(kind=c_char), intent(in) :: law(*)
      integer(c_int64_t), value :: ni, nj, npar
      integer(c_int), value :: idim, jdim, same, fdim
      integer(c_int) :: status
    end function
    function mb_forces_device_f32(settings, stream, n, x, v, m, eps_each, g, eps, a, phi, jerk) &
        bind(c, name="mb_forces_device_f32") result(status)
      import :: mb_settings, c_ptr, c_int, c_int64_t, c_double
      type(mb_settings), value :: settings
      type(c_ptr), value :: stream, x, v, m, eps_each, a, phi, jerk
      integer(c_int64_t), value :: n
      real(c_double), value :: g, eps
      integer(c_int) :: status
    end function
    function mb_evaluate_device_f32(settings, stream, law, n, dim, x, npar, par, fdim, f) &
        bind(c, name="mb_evaluate_device_f32") result(status)
      import :: mb_settings, c_ptr, c_char, c_int, c_int64_t
      type(mb_settings), value :: settings
      type(c_ptr), value :: stream, x, par, f
      character(kind=c_char), intent(in) :: law(*)
      integer(c_int64_t), value :: n, npar
      integer(c_int), value :: dim, fdim
      integer(c_int) :: status
    end function
    function mb_evaluate_on_device_f32(settings, stream, law, ni, idim, xi, nj, jdim, xj, same, npar, par, fdim, f) &
        bind(c, name="mb_evaluate_on_device_f32") result(status)
      import :: mb_settings, c_ptr, c_char, c_int, c_int64_t
      type(mb_settings), value :: settings
      type(c_ptr), value :: stream, xi, xj, par, f
      character(kind=c_char), intent(in) :: law(*)
      integer(c_int64_t), value :: ni, nj, npar
      integer(c_int), value :: idim, jdim, same, fdim
      integer(c_int) :: status
    end function
  end interface

  interface
    function c_last_error() bind(c, name="mb_last_error") result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function
    function c_status_name(status) bind(c, name="mb_status_name") result(text)
      import :: c_ptr, c_int
      integer(c_int), value :: status
      type(c_ptr) :: text
    end function
    function c_version() bind(c, name="mb_version") result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function
    function c_strlen(text) bind(c, name="strlen") result(length)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function

    !> Makes settings of which no value is given.
    function mb_settings_new(settings) bind(c) result(status)
      import :: mb_settings, c_int
      type(mb_settings), intent(out) :: settings
      integer(c_int) :: status
    end function
    function c_settings_set(settings, name, value) bind(c, name="mb_settings_set") result(status)
      import :: c_ptr, c_char, c_int
      type(c_ptr), value :: settings
      character(kind=c_char), intent(in) :: name(*), value(*)
      integer(c_int) :: status
    end function
    function c_settings_set_number(settings, name, value) bind(c, name="mb_settings_set_number") result(status)
      import :: c_ptr, c_char, c_int, c_double
      type(c_ptr), value :: settings
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), value :: value
      integer(c_int) :: status
    end function
    function c_settings_read(settings, path) bind(c, name="mb_settings_read") result(status)
      import :: c_ptr, c_char, c_int
      type(c_ptr), value :: settings
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int) :: status
    end function
    function c_settings_get(settings, name, value, size) bind(c, name="mb_settings_get") result(status)
      import :: c_ptr, c_char, c_int, c_size_t
      type(c_ptr), value :: settings
      character(kind=c_char), intent(in) :: name(*)
      character(kind=c_char), intent(out) :: value(*)
      integer(c_size_t), value :: size
      integer(c_int) :: status
    end function
    subroutine c_settings_free(settings) bind(c, name="mb_settings_free")
      import :: c_ptr
      type(c_ptr), value :: settings
    end subroutine

    function c_accelerations(settings, n, x, m, g, eps, a) bind(c, name="mb_accelerations") result(status)
      import :: c_ptr, c_int, c_int64_t, c_double
      type(c_ptr), value :: settings
      integer(c_int64_t), value :: n
      real(c_double), intent(in) :: x(3, *), m(*)
      real(c_double), value :: g, eps
      real(c_double), intent(inout) :: a(3, *)
      integer(c_int) :: status
    end function
    function c_accelerations_f32(settings, n, x, m, g, eps, a) bind(c, name="mb_accelerations_f32") result(status)
      import :: c_ptr, c_int, c_int64_t, c_double, c_float
      type(c_ptr), value :: settings
      integer(c_int64_t), value :: n
      real(c_float), intent(in) :: x(3, *), m(*)
      real(c_double), value :: g, eps
      real(c_float), intent(inout) :: a(3, *)
      integer(c_int) :: status
    end function
    function c_accelerations_at(settings, ni, xi, nj, xj, mj, g, eps, a) bind(c, name="mb_accelerations_at") &
        result(status)
      import :: c_ptr, c_int, c_int64_t, c_double
      type(c_ptr), value :: settings
      integer(c_int64_t), value :: ni, nj
      real(c_double), intent(in) :: xi(3, *), xj(3, *), mj(*)
      real(c_double), value :: g, eps
      real(c_double), intent(inout) :: a(3, *)
      integer(c_int) :: status
    end function
    function c_accelerations_at_f32(settings, ni, xi, nj, xj, mj, g, eps, a) bind(c, name="mb_accelerations_at_f32") &
        result(status)
      import :: c_ptr, c_int, c_int64_t, c_double, c_float
      type(c_ptr), value :: settings
      integer(c_int64_t), value :: ni, nj
      real(c_float), intent(in) :: xi(3, *), xj(3, *), mj(*)
      real(c_double), value :: g, eps
      real(c_float), intent(inout) :: a(3, *)
      integer(c_int) :: status
    end function
    function c_potential(settings, n, x, m, g, eps, phi) bind(c, name="mb_potential") result(status)
      import :: c_ptr, c_int, c_int64_t, c_double
      type(c_ptr), value :: settings
      integer(c_int64_t), value :: n
      real(c_double), intent(in) :: x(3, *), m(*)
      real(c_double), value :: g, eps
      real(c_double), intent(inout) :: phi(*)
      integer(c_int) :: status
    end function
    function c_potential_f32(settings, n, x, m, g, eps, phi) bind(c, name="mb_potential_f32") result(status)
      import :: c_ptr, c_int, c_int64_t, c_double, c_float
      type(c_ptr), value :: settings
      integer(c_int64_t), value :: n
      real(c_float), intent(in) :: x(3, *), m(*)
      real(c_double), value :: g, eps
      real(c_float), intent(inout) :: phi(*)
      integer(c_int) :: status
    end function
    function c_forces(settings, n, x, v, m, eps_each, g, eps, a, phi, jerk) bind(c, name="mb_forces") result(status)
      import :: c_ptr, c_int, c_int64_t, c_double
      type(c_ptr), value :: settings, x, v, m, eps_each, a, phi, jerk
      integer(c_int64_t), value :: n
      real(c_double), value :: g, eps
      integer(c_int) :: status
    end function
    function c_forces_f32(settings, n, x, v, m, eps_each, g, eps, a, phi, jerk) bind(c, name="mb_forces_f32") &
        result(status)
      import :: c_ptr, c_int, c_int64_t, c_double
      type(c_ptr), value :: settings, x, v, m, eps_each, a, phi, jerk
      integer(c_int64_t), value :: n
      real(c_double), value :: g, eps
      integer(c_int) :: status
    end function
    function c_evaluate(settings, law, n, dim, x, npar, par, fdim, f) bind(c, name="mb_evaluate") result(status)
      import :: c_ptr, c_char, c_int, c_int64_t, c_double
      type(c_ptr), value :: settings
      character(kind=c_char), intent(in) :: law(*)
      integer(c_int64_t), value :: n, npar
      integer(c_int), value :: dim, fdim
      real(c_double), intent(in) :: x(*), par(*)
      real(c_double), intent(inout) :: f(*)
      integer(c_int) :: status
    end function
    function c_evaluate_f32(settings, law, n, dim, x, npar, par, fdim, f) bind(c, name="mb_evaluate_f32") result(status)
      import :: c_ptr, c_char, c_int, c_int64_t, c_float
      type(c_ptr), value :: settings
      character(kind=c_char), intent(in) :: law(*)
      integer(c_int64_t), value :: n, npar
      integer(c_int), value :: dim, fdim
      real(c_float), intent(in) :: x(*), par(*)
      real(c_float), intent(inout) :: f(*)
      integer(c_int) :: status
    end function
    function c_evaluate_on(settings, law, ni, idim, xi, nj, jdim, xj, same, npar, par, fdim, f) &
        bind(c, name="mb_evaluate_on") result(status)
      import :: c_ptr, c_char, c_int, c_int64_t, c_double
      type(c_ptr), value :: settings
      character(kind=c_char), intent(in) :: law(*)
      integer(c_int64_t), value :: ni, nj, npar
      integer(c_int), value :: idim, jdim, same, fdim
      real(c_double), intent(in) :: xi(*), xj(*), par(*)
      real(c_double), intent(inout) :: f(*)
      integer(c_int) :: status
    end function
    function c_evaluate_on_f32(settings, law, ni, idim, xi, nj, jdim, xj, same, npar, par, fdim, f) &
        bind(c, name="mb_evaluate_on_f32") result(status)
      import :: c_ptr, c_char, c_int, c_int64_t, c_float
      type(c_ptr), value :: settings
      character(kind=c_char), intent(in) :: law(*)
      integer(c_int64_t), value :: ni, nj, npar
      integer(c_int), value :: idim, jdim, same, fdim
      real(c_float), intent(in) :: xi(*), xj(*), par(*)
      real(c_float), intent(inout) :: f(*)
      integer(c_int) :: status
    end function

    function c_simulation_new(settings, units, n, x, v, m, simulation) bind(c, name="mb_simulation_new") result(status)
      import :: c_ptr, c_char, c_int, c_int64_t, mb_simulation
      type(c_ptr), value :: settings, x, v, m
      character(kind=c_char), intent(in) :: units(*)
      integer(c_int64_t), value :: n
      type(mb_simulation), intent(out) :: simulation
      integer(c_int) :: status
    end function
    function c_simulation_start(settings, simulation) bind(c, name="mb_simulation_start") result(status)
      import :: c_ptr, c_int, mb_simulation
      type(c_ptr), value :: settings
      type(mb_simulation), intent(out) :: simulation
      integer(c_int) :: status
    end function
    function c_simulation_load(settings, path, simulation) bind(c, name="mb_simulation_load") result(status)
      import :: c_ptr, c_char, c_int, mb_simulation
      type(c_ptr), value :: settings
      character(kind=c_char), intent(in) :: path(*)
      type(mb_simulation), intent(out) :: simulation
      integer(c_int) :: status
    end function
    function c_simulation_resume(settings, path, simulation) bind(c, name="mb_simulation_resume") result(status)
      import :: c_ptr, c_char, c_int, mb_simulation
      type(c_ptr), value :: settings
      character(kind=c_char), intent(in) :: path(*)
      type(mb_simulation), intent(out) :: simulation
      integer(c_int) :: status
    end function
    function c_simulation_save(simulation, path) bind(c, name="mb_simulation_save") result(status)
      import :: c_ptr, c_char, c_int
      type(c_ptr), value :: simulation
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int) :: status
    end function
    function c_simulation_set_bodies(simulation, n, x, v, m) bind(c, name="mb_simulation_set_bodies") result(status)
      import :: c_ptr, c_int, c_int64_t
      type(c_ptr), value :: simulation, x, v, m
      integer(c_int64_t), value :: n
      integer(c_int) :: status
    end function
    function c_simulation_set_column(simulation, name, n, values) bind(c, name="mb_simulation_set_column") result(status)
      import :: c_ptr, c_char, c_int, c_int64_t, c_double
      type(c_ptr), value :: simulation
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: n
      real(c_double), intent(in) :: values(*)
      integer(c_int) :: status
    end function
    function c_simulation_column(simulation, name, n, values) bind(c, name="mb_simulation_column") result(status)
      import :: c_ptr, c_char, c_int, c_int64_t, c_double
      type(c_ptr), value :: simulation
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: n
      real(c_double), intent(inout) :: values(*)
      integer(c_int) :: status
    end function
    function c_simulation_count(simulation, n) bind(c, name="mb_simulation_count") result(status)
      import :: c_ptr, c_int, c_int64_t
      type(c_ptr), value :: simulation
      integer(c_int64_t), intent(inout) :: n
      integer(c_int) :: status
    end function
    function c_simulation_time(simulation, time) bind(c, name="mb_simulation_time") result(status)
      import :: c_ptr, c_int, c_double
      type(c_ptr), value :: simulation
      real(c_double), intent(inout) :: time
      integer(c_int) :: status
    end function
    function c_simulation_bodies(simulation, n, x, v, m) bind(c, name="mb_simulation_bodies") result(status)
      import :: c_ptr, c_int, c_int64_t
      type(c_ptr), value :: simulation, x, v, m
      integer(c_int64_t), value :: n
      integer(c_int) :: status
    end function
    function c_simulation_accelerations(simulation, n, a) bind(c, name="mb_simulation_accelerations") result(status)
      import :: c_ptr, c_int, c_int64_t, c_double
      type(c_ptr), value :: simulation
      integer(c_int64_t), value :: n
      real(c_double), intent(inout) :: a(3, *)
      integer(c_int) :: status
    end function
    function c_simulation_accelerations_on(simulation, n, targets, a) bind(c, name="mb_simulation_accelerations_on") &
        result(status)
      import :: c_ptr, c_int, c_int64_t, c_double
      type(c_ptr), value :: simulation
      integer(c_int64_t), value :: n
      integer(c_int64_t), intent(in) :: targets(*)
      real(c_double), intent(inout) :: a(3, *)
      integer(c_int) :: status
    end function
    function c_simulation_step(simulation, steps, made) bind(c, name="mb_simulation_step") result(status)
      import :: c_ptr, c_int, c_int64_t
      type(c_ptr), value :: simulation
      integer(c_int64_t), value :: steps
      integer(c_int64_t), intent(inout) :: made
      integer(c_int) :: status
    end function
    function c_simulation_advance(simulation, until) bind(c, name="mb_simulation_advance") result(status)
      import :: c_ptr, c_int, c_double
      type(c_ptr), value :: simulation
      real(c_double), value :: until
      integer(c_int) :: status
    end function
    function c_simulation_energy(simulation, kinetic, potential, error) bind(c, name="mb_simulation_energy") &
        result(status)
      import :: c_ptr, c_int, c_double
      type(c_ptr), value :: simulation
      real(c_double), intent(inout) :: kinetic, potential, error
      integer(c_int) :: status
    end function
    function c_simulation_setting(simulation, name, value, size) bind(c, name="mb_simulation_setting") result(status)
      import :: c_ptr, c_char, c_int, c_size_t
      type(c_ptr), value :: simulation
      character(kind=c_char), intent(in) :: name(*)
      character(kind=c_char), intent(out) :: value(*)
      integer(c_size_t), value :: size
      integer(c_int) :: status
    end function
    subroutine c_simulation_free(simulation) bind(c, name="mb_simulation_free")
      import :: c_ptr
      type(c_ptr), value :: simulation
    end subroutine
    function c_run(settings, file, size) bind(c, name="mb_run") result(status)
      import :: c_ptr, c_char, c_int, c_size_t
      type(c_ptr), value :: settings
      character(kind=c_char), intent(out) :: file(*)
      integer(c_size_t), value :: size
      integer(c_int) :: status
    end function
  end interface

contains

  !> A text with the zero that ends it in C; blanks at its end are left out.
  pure function c_text(text) result(with_zero)
    character(*), intent(in) :: text
    character(len_trim(text) + 1, kind=c_char) :: with_zero
    with_zero = trim(text)//c_null_char
  end function

  !> A text of C.
  function f_text(at) result(text)
    type(c_ptr), intent(in) :: at
    character(:), allocatable :: text
    character(kind=c_char), pointer :: characters(:)
    integer :: k, length
    length = int(c_strlen(at))
    call c_f_pointer(at, characters, [length])
    allocate (character(length) :: text)
    do k = 1, length
      text(k:k) = characters(k)
    end do
  end function

  !> What was wrong with the last call of this thread that failed.
  function mb_last_error() result(text)
    character(:), allocatable :: text
    text = f_text(c_last_error())
  end function

  !> The name of a status: "MB_OK", "MB_ERROR_INPUT", ...
  function mb_status_name(status) result(text)
    integer(c_int), intent(in) :: status
    character(:), allocatable :: text
    text = f_text(c_status_name(status))
  end function

  !> The version of the library.
  function mb_version() result(text)
    character(:), allocatable :: text
    text = f_text(c_version())
  end function

  function set_text(settings, name, value) result(status)
    type(mb_settings), intent(in) :: settings
    character(*), intent(in) :: name, value
    integer(c_int) :: status
    status = c_settings_set(settings%handle, c_text(name), c_text(value))
  end function

  function set_real(settings, name, value) result(status)
    type(mb_settings), intent(in) :: settings
    character(*), intent(in) :: name
    real(c_double), intent(in) :: value
    integer(c_int) :: status
    status = c_settings_set_number(settings%handle, c_text(name), value)
  end function

  function set_integer(settings, name, value) result(status)
    type(mb_settings), intent(in) :: settings
    character(*), intent(in) :: name
    integer, intent(in) :: value
    integer(c_int) :: status
    status = c_settings_set_number(settings%handle, c_text(name), real(value, c_double))
  end function

  !> Gives the settings that are not given the values of a TOML file.
  function mb_settings_read(settings, path) result(status)
    type(mb_settings), intent(in) :: settings
    character(*), intent(in) :: path
    integer(c_int) :: status
    status = c_settings_read(settings%handle, c_text(path))
  end function

  !> The value of a setting as text, with blanks after it.
  function mb_settings_get(settings, name, value) result(status)
    type(mb_settings), intent(in) :: settings
    character(*), intent(in) :: name
    character(*), intent(out) :: value
    integer(c_int) :: status
    character(kind=c_char) :: buffer(len(value) + 1)
    status = c_settings_get(settings%handle, c_text(name), buffer, int(size(buffer), c_size_t))
    call take(buffer, status, value)
  end function

  !> A text that a call has written.
  subroutine take(buffer, status, value)
    character(kind=c_char), intent(in) :: buffer(:)
    integer(c_int), intent(in) :: status
    character(*), intent(out) :: value
    integer :: k
    value = ''
    if (status /= MB_OK) return
    do k = 1, len(value)
      if (buffer(k) == c_null_char) return
      value(k:k) = buffer(k)
    end do
  end subroutine

  !> Frees settings.
  subroutine mb_settings_free(settings)
    type(mb_settings), intent(inout) :: settings
    call c_settings_free(settings%handle)
    settings%handle = c_null_ptr
  end subroutine

  function accelerations_f64(settings, n, x, m, g, eps, a) result(status)
    type(mb_settings), intent(in) :: settings
    integer, intent(in) :: n
    real(c_double), intent(in) :: x(3, *), m(*), g, eps
    real(c_double), intent(inout) :: a(3, *)
    integer(c_int) :: status
    status = c_accelerations(settings%handle, int(n, c_int64_t), x, m, g, eps, a)
  end function

  function accelerations_f32(settings, n, x, m, g, eps, a) result(status)
    type(mb_settings), intent(in) :: settings
    integer, intent(in) :: n
    real(c_float), intent(in) :: x(3, *), m(*)
    real(c_double), intent(in) :: g, eps
    real(c_float), intent(inout) :: a(3, *)
    integer(c_int) :: status
    status = c_accelerations_f32(settings%handle, int(n, c_int64_t), x, m, g, eps, a)
  end function

  function accelerations_at_f64(settings, ni, xi, nj, xj, mj, g, eps, a) result(status)
    type(mb_settings), intent(in) :: settings
    integer, intent(in) :: ni, nj
    real(c_double), intent(in) :: xi(3, *), xj(3, *), mj(*), g, eps
    real(c_double), intent(inout) :: a(3, *)
    integer(c_int) :: status
    status = c_accelerations_at(settings%handle, int(ni, c_int64_t), xi, int(nj, c_int64_t), xj, mj, g, eps, a)
  end function

  function accelerations_at_f32(settings, ni, xi, nj, xj, mj, g, eps, a) result(status)
    type(mb_settings), intent(in) :: settings
    integer, intent(in) :: ni, nj
    real(c_float), intent(in) :: xi(3, *), xj(3, *), mj(*)
    real(c_double), intent(in) :: g, eps
    real(c_float), intent(inout) :: a(3, *)
    integer(c_int) :: status
    status = c_accelerations_at_f32(settings%handle, int(ni, c_int64_t), xi, int(nj, c_int64_t), xj, mj, g, eps, a)
  end function

  function potential_f64(settings, n, x, m, g, eps, phi) result(status)
    type(mb_settings), intent(in) :: settings
    integer, intent(in) :: n
    real(c_double), intent(in) :: x(3, *), m(*), g, eps
    real(c_double), intent(inout) :: phi(*)
    integer(c_int) :: status
    status = c_potential(settings%handle, int(n, c_int64_t), x, m, g, eps, phi)
  end function

  function potential_f32(settings, n, x, m, g, eps, phi) result(status)
    type(mb_settings), intent(in) :: settings
    integer, intent(in) :: n
    real(c_float), intent(in) :: x(3, *), m(*)
    real(c_double), intent(in) :: g, eps
    real(c_float), intent(inout) :: phi(*)
    integer(c_int) :: status
    status = c_potential_f32(settings%handle, int(n, c_int64_t), x, m, g, eps, phi)
  end function

  function forces_f64(settings, n, x, v, m, g, eps, a, phi, jerk, eps_each) result(status)
    type(mb_settings), intent(in) :: settings
    integer, intent(in) :: n
    real(c_double), intent(in), target :: x(3, *), v(3, *), m(*)
    real(c_double), intent(in) :: g, eps
    real(c_double), intent(inout), target :: a(3, *)
    real(c_double), intent(inout), target, optional :: phi(*), jerk(3, *)
    real(c_double), intent(in), target, optional :: eps_each(*)
    integer(c_int) :: status
    type(c_ptr) :: at_phi, at_jerk, at_eps
    at_phi = c_null_ptr
    at_jerk = c_null_ptr
    at_eps = c_null_ptr
    if (present(phi)) at_phi = c_loc(phi)
    if (present(jerk)) at_jerk = c_loc(jerk)
    if (present(eps_each)) at_eps = c_loc(eps_each)
    status = c_forces(settings%handle, int(n, c_int64_t), c_loc(x), c_loc(v), c_loc(m), at_eps, g, eps, c_loc(a), &
                      at_phi, at_jerk)
  end function

  function forces_f32(settings, n, x, v, m, g, eps, a, phi, jerk, eps_each) result(status)
    type(mb_settings), intent(in) :: settings
    integer, intent(in) :: n
    real(c_float), intent(in), target :: x(3, *), v(3, *), m(*)
    real(c_double), intent(in) :: g, eps
    real(c_float), intent(inout), target :: a(3, *)
    real(c_float), intent(inout), target, optional :: phi(*), jerk(3, *)
    real(c_float), intent(in), target, optional :: eps_each(*)
    integer(c_int) :: status
    type(c_ptr) :: at_phi, at_jerk, at_eps
    at_phi = c_null_ptr
    at_jerk = c_null_ptr
    at_eps = c_null_ptr
    if (present(phi)) at_phi = c_loc(phi)
    if (present(jerk)) at_jerk = c_loc(jerk)
    if (present(eps_each)) at_eps = c_loc(eps_each)
    status = c_forces_f32(settings%handle, int(n, c_int64_t), c_loc(x), c_loc(v), c_loc(m), at_eps, g, eps, c_loc(a), &
                          at_phi, at_jerk)
  end function

  function evaluate_f64(settings, law, n, dim, x, fdim, f, par) result(status)
    type(mb_settings), intent(in) :: settings
    character(*), intent(in) :: law
    integer, intent(in) :: n, dim, fdim
    real(c_double), intent(in) :: x(*)
    real(c_double), intent(inout) :: f(*)
    real(c_double), intent(in), optional :: par(:)
    integer(c_int) :: status
    real(c_double), allocatable :: given(:)
    allocate (given(0))
    if (present(par)) given = par
    status = c_evaluate(settings%handle, c_text(law), int(n, c_int64_t), int(dim, c_int), x, &
                        size(given, kind=c_int64_t), given, int(fdim, c_int), f)
  end function

  function evaluate_f32(settings, law, n, dim, x, fdim, f, par) result(status)
    type(mb_settings), intent(in) :: settings
    character(*), intent(in) :: law
    integer, intent(in) :: n, dim, fdim
    real(c_float), intent(in) :: x(*)
    real(c_float), intent(inout) :: f(*)
    real(c_float), intent(in), optional :: par(:)
    integer(c_int) :: status
    real(c_float), allocatable :: given(:)
    allocate (given(0))
    if (present(par)) given = par
    status = c_evaluate_f32(settings%handle, c_text(law), int(n, c_int64_t), int(dim, c_int), x, &
                            size(given, kind=c_int64_t), given, int(fdim, c_int), f)
  end function

  function evaluate_on_f64(settings, law, ni, idim, xi, nj, jdim, xj, fdim, f, par, same) result(status)
    type(mb_settings), intent(in) :: settings
    character(*), intent(in) :: law
    integer, intent(in) :: ni, idim, nj, jdim, fdim
    real(c_double), intent(in) :: xi(*), xj(*)
    real(c_double), intent(inout) :: f(*)
    real(c_double), intent(in), optional :: par(:)
    logical, intent(in), optional :: same
    integer(c_int) :: status, is_same
    real(c_double), allocatable :: given(:)
    allocate (given(0))
    if (present(par)) given = par
    is_same = 0
    if (present(same)) is_same = merge(1_c_int, 0_c_int, same)
    status = c_evaluate_on(settings%handle, c_text(law), int(ni, c_int64_t), int(idim, c_int), xi, int(nj, c_int64_t), &
                           int(jdim, c_int), xj, is_same, size(given, kind=c_int64_t), given, int(fdim, c_int), f)
  end function

  function evaluate_on_f32(settings, law, ni, idim, xi, nj, jdim, xj, fdim, f, par, same) result(status)
    type(mb_settings), intent(in) :: settings
    character(*), intent(in) :: law
    integer, intent(in) :: ni, idim, nj, jdim, fdim
    real(c_float), intent(in) :: xi(*), xj(*)
    real(c_float), intent(inout) :: f(*)
    real(c_float), intent(in), optional :: par(:)
    logical, intent(in), optional :: same
    integer(c_int) :: status, is_same
    real(c_float), allocatable :: given(:)
    allocate (given(0))
    if (present(par)) given = par
    is_same = 0
    if (present(same)) is_same = merge(1_c_int, 0_c_int, same)
    status = c_evaluate_on_f32(settings%handle, c_text(law), int(ni, c_int64_t), int(idim, c_int), xi, &
                               int(nj, c_int64_t), int(jdim, c_int), xj, is_same, size(given, kind=c_int64_t), given, &
                               int(fdim, c_int), f)
  end function

  !> Keeps n bodies at x(3,n) with velocities v(3,n) and masses m(n). units is the name of a system of units; G = 1 without.
  function mb_simulation_new(settings, n, x, v, m, simulation, units) result(status)
    type(mb_settings), intent(in) :: settings
    integer, intent(in) :: n
    real(c_double), intent(in), target :: x(3, *), v(3, *), m(*)
    type(mb_simulation), intent(out) :: simulation
    character(*), intent(in), optional :: units
    integer(c_int) :: status
    character(:), allocatable :: named
    named = 'g1'
    if (present(units)) named = units
    status = c_simulation_new(settings%handle, c_text(named), int(n, c_int64_t), c_loc(x), c_loc(v), c_loc(m), simulation)
  end function

  !> Begins the run that settings describe.
  function mb_simulation_start(settings, simulation) result(status)
    type(mb_settings), intent(in) :: settings
    type(mb_simulation), intent(out) :: simulation
    integer(c_int) :: status
    status = c_simulation_start(settings%handle, simulation)
  end function

  !> Keeps the bodies of a snapshot file.
  function mb_simulation_load(settings, path, simulation) result(status)
    type(mb_settings), intent(in) :: settings
    character(*), intent(in) :: path
    type(mb_simulation), intent(out) :: simulation
    integer(c_int) :: status
    status = c_simulation_load(settings%handle, c_text(path), simulation)
  end function

  !> Goes on with the run that a file has kept.
  function mb_simulation_resume(settings, path, simulation) result(status)
    type(mb_settings), intent(in) :: settings
    character(*), intent(in) :: path
    type(mb_simulation), intent(out) :: simulation
    integer(c_int) :: status
    status = c_simulation_resume(settings%handle, c_text(path), simulation)
  end function

  !> Writes the bodies, and what a run needs to go on, to a file.
  function mb_simulation_save(simulation, path) result(status)
    type(mb_simulation), intent(in) :: simulation
    character(*), intent(in) :: path
    integer(c_int) :: status
    status = c_simulation_save(simulation%handle, c_text(path))
  end function

  !> Puts other bodies in place of those that are kept.
  function mb_simulation_set_bodies(simulation, n, x, v, m) result(status)
    type(mb_simulation), intent(in) :: simulation
    integer, intent(in) :: n
    real(c_double), intent(in), target :: x(3, *), v(3, *), m(*)
    integer(c_int) :: status
    status = c_simulation_set_bodies(simulation%handle, int(n, c_int64_t), c_loc(x), c_loc(v), c_loc(m))
  end function

  !> Sets a column of the bodies.
  function mb_simulation_set_column(simulation, name, n, values) result(status)
    type(mb_simulation), intent(in) :: simulation
    character(*), intent(in) :: name
    integer, intent(in) :: n
    real(c_double), intent(in) :: values(*)
    integer(c_int) :: status
    status = c_simulation_set_column(simulation%handle, c_text(name), int(n, c_int64_t), values)
  end function

  !> Reads a column of the bodies.
  function mb_simulation_column(simulation, name, n, values) result(status)
    type(mb_simulation), intent(in) :: simulation
    character(*), intent(in) :: name
    integer, intent(in) :: n
    real(c_double), intent(inout) :: values(*)
    integer(c_int) :: status
    status = c_simulation_column(simulation%handle, c_text(name), int(n, c_int64_t), values)
  end function

  !> How many bodies there are.
  function mb_simulation_count(simulation, n) result(status)
    type(mb_simulation), intent(in) :: simulation
    integer, intent(out) :: n
    integer(c_int) :: status
    integer(c_int64_t) :: found
    found = 0
    status = c_simulation_count(simulation%handle, found)
    n = int(found)
  end function

  !> The time.
  function mb_simulation_time(simulation, time) result(status)
    type(mb_simulation), intent(in) :: simulation
    real(c_double), intent(inout) :: time
    integer(c_int) :: status
    status = c_simulation_time(simulation%handle, time)
  end function

  !> Places x(3,n), velocities v(3,n) and masses m(n), where they are present.
  function mb_simulation_bodies(simulation, n, x, v, m) result(status)
    type(mb_simulation), intent(in) :: simulation
    integer, intent(in) :: n
    real(c_double), intent(inout), target, optional :: x(3, *), v(3, *), m(*)
    integer(c_int) :: status
    type(c_ptr) :: at_x, at_v, at_m
    at_x = c_null_ptr
    at_v = c_null_ptr
    at_m = c_null_ptr
    if (present(x)) at_x = c_loc(x)
    if (present(v)) at_v = c_loc(v)
    if (present(m)) at_m = c_loc(m)
    status = c_simulation_bodies(simulation%handle, int(n, c_int64_t), at_x, at_v, at_m)
  end function

  function accelerations_of_all(simulation, n, a) result(status)
    type(mb_simulation), intent(in) :: simulation
    integer, intent(in) :: n
    real(c_double), intent(inout) :: a(3, *)
    integer(c_int) :: status
    status = c_simulation_accelerations(simulation%handle, int(n, c_int64_t), a)
  end function

  function accelerations_of_some(simulation, n, targets, a) result(status)
    type(mb_simulation), intent(in) :: simulation
    integer, intent(in) :: n
    integer, intent(in) :: targets(n)
    real(c_double), intent(inout) :: a(3, *)
    integer(c_int) :: status
    status = c_simulation_accelerations_on(simulation%handle, int(n, c_int64_t), int(targets, c_int64_t) - 1, a)
  end function

  !> Makes steps, at most to the setting t-end; made is how many.
  function mb_simulation_step(simulation, steps, made) result(status)
    type(mb_simulation), intent(in) :: simulation
    integer, intent(in) :: steps
    integer, intent(out), optional :: made
    integer(c_int) :: status
    integer(c_int64_t) :: found
    found = 0
    status = c_simulation_step(simulation%handle, int(steps, c_int64_t), found)
    if (present(made)) made = int(found)
  end function

  !> Advances to a time, which is met exactly.
  function mb_simulation_advance(simulation, until) result(status)
    type(mb_simulation), intent(in) :: simulation
    real(c_double), intent(in) :: until
    integer(c_int) :: status
    status = c_simulation_advance(simulation%handle, until)
  end function

  !> Kinetic and potential energy, and the energy error (E - E0) / |E0|.
  function mb_simulation_energy(simulation, kinetic, potential, error) result(status)
    type(mb_simulation), intent(in) :: simulation
    real(c_double), intent(inout) :: kinetic, potential, error
    integer(c_int) :: status
    status = c_simulation_energy(simulation%handle, kinetic, potential, error)
  end function

  !> The value of a setting as text, as it was given or chosen.
  function mb_simulation_setting(simulation, name, value) result(status)
    type(mb_simulation), intent(in) :: simulation
    character(*), intent(in) :: name
    character(*), intent(out) :: value
    integer(c_int) :: status
    character(kind=c_char) :: buffer(len(value) + 1)
    status = c_simulation_setting(simulation%handle, c_text(name), buffer, int(size(buffer), c_size_t))
    call take(buffer, status, value)
  end function

  !> Frees a simulation.
  subroutine mb_simulation_free(simulation)
    type(mb_simulation), intent(inout) :: simulation
    call c_simulation_free(simulation%handle)
    simulation%handle = c_null_ptr
  end subroutine

  !> Makes the whole run that settings describe; file is the name of the file with the last state.
  function mb_run(settings, file) result(status)
    type(mb_settings), intent(in) :: settings
    character(*), intent(out) :: file
    integer(c_int) :: status
    character(kind=c_char) :: buffer(len(file) + 1)
    status = c_run(settings%handle, buffer, int(size(buffer), c_size_t))
    call take(buffer, status, file)
  end function

end module
