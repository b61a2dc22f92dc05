C     FORTRAN 77: the calls of CUNBODY-1 and of GRAPE-6, as programs of
C     their time make them.
      PROGRAM F77
      INTEGER N, I, K, ID, IERR, NGOOD
      PARAMETER (N = 100)
      DOUBLE PRECISION X(3,N), V(3,N), M(N), A(3,N), EPS2, T
      DOUBLE PRECISION ACC(3,N), JRK(3,N), POT(N), H2(N), ZERO(3)
      INTEGER INDX(N), NEAR(N)
      INTEGER G6CALC_LASTHALF2
      EXTERNAL G6CALC_LASTHALF2
      DATA ZERO /0D0, 0D0, 0D0/
      EPS2 = 0.01D0
      T = 0D0
      ID = 0
      DO 10 I = 1, N
         M(I) = 1D0 / N
         H2(I) = 0.04D0
         INDX(I) = I
         DO 10 K = 1, 3
            X(K,I) = SIN(DBLE(17 * I + 29 * K))
            V(K,I) = 0D0
 10   CONTINUE

      CALL FORCE(X, M, X, EPS2, A, N, N)

      CALL G6_OPEN(ID)
      CALL G6_SET_TI(ID, T)
      DO 20 I = 1, N
         CALL G6_SET_J_PARTICLE(ID, I - 1, INDX(I), T, T, M(I), ZERO,
     &        ZERO, ZERO, V(1,I), X(1,I))
 20   CONTINUE
      CALL G6CALC_FIRSTHALF(ID, N, N, INDX, X, V, A, A, POT, EPS2, H2)
      IERR = G6CALC_LASTHALF2(ID, N, N, INDX, X, V, EPS2, H2, ACC,
     &     JRK, POT, NEAR)
      CALL G6_CLOSE(ID)

      NGOOD = 0
      DO 30 I = 1, N
         DO 30 K = 1, 3
            IF (ABS(A(K,I) - ACC(K,I)) .LT. 1D-12) NGOOD = NGOOD + 1
 30   CONTINUE
      IF (IERR .EQ. 0 .AND. NGOOD .EQ. 3 * N) THEN
         WRITE (*,*) 'both libraries agree'
      ELSE
         WRITE (*,*) 'only', NGOOD, ' numbers agree'
         STOP 1
      END IF
      END
