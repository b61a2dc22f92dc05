! CUNBODY-1's call force for programs of Fortran, also of FORTRAN 77, computed by manybody: compile this file with your program.
! Units, layout, precision and errors are those of cunbody.h.
!
!     DOUBLE PRECISION XJ(3,NJ), MJ(NJ), XI(3,NI), EPS2, A(3,NI)
!     INTEGER NI, NJ
!     CALL FORCE(XJ, MJ, XI, EPS2, A, NI, NJ)
subroutine force(xj, mj, xi, eps2, a, ni, nj)
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  integer, intent(in) :: ni, nj
  double precision, intent(in) :: xj(3, *), mj(*), xi(3, *), eps2
  double precision, intent(inout) :: a(3, *)
  interface
    function mb_cunbody_force(xj, mj, xi, eps2, a, ni, nj) bind(c) result(status)
      import :: c_int, c_double
      real(c_double), intent(in) :: xj(3, *), mj(*), xi(3, *)
      real(c_double), value :: eps2
      real(c_double), intent(inout) :: a(3, *)
      integer(c_int), value :: ni, nj
      integer(c_int) :: status
    end function
    function mb_last_error() bind(c) result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function
    function strlen(text) bind(c) result(length)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
  end interface
  character(kind=c_char), pointer :: message(:)
  type(c_ptr) :: text
  if (mb_cunbody_force(xj, mj, xi, eps2, a, int(ni, c_int), int(nj, c_int)) == 0) return
  text = mb_last_error()
  call c_f_pointer(text, message, [strlen(text)])
  write (error_unit, '(*(a))') 'force: ', message
end subroutine

! CUNBODY-1's general call: what a pipeline description, or the file of that name, makes of bodies xj(jdim,nj) acting on bodies
! xi(idim,ni): f(fdim,ni).
subroutine cunbody_api(pipeline, idim, jdim, fdim, xj, xi, f, ni, nj)
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  character(*), intent(in) :: pipeline
  integer, intent(in) :: idim, jdim, fdim, ni, nj
  double precision, intent(in) :: xj(jdim, *), xi(idim, *)
  double precision, intent(inout) :: f(fdim, *)
  interface
    function mb_cunbody_api(pipeline, idim, jdim, fdim, xj, xi, f, ni, nj) bind(c) result(status)
      import :: c_int, c_double, c_char
      character(kind=c_char), intent(in) :: pipeline(*)
      integer(c_int), value :: idim, jdim, fdim, ni, nj
      real(c_double), intent(in) :: xj(*), xi(*)
      real(c_double), intent(inout) :: f(*)
      integer(c_int) :: status
    end function
    function mb_last_error() bind(c) result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function
    function strlen(text) bind(c) result(length)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
  end interface
  character(kind=c_char), pointer :: message(:)
  type(c_ptr) :: text
  if (mb_cunbody_api(trim(pipeline)//c_null_char, int(idim, c_int), int(jdim, c_int), int(fdim, c_int), xj, xi, f, &
                     int(ni, c_int), int(nj, c_int)) == 0) return
  text = mb_last_error()
  call c_f_pointer(text, message, [strlen(text)])
  write (error_unit, '(*(a))') 'cunbody_api: ', message
end subroutine
