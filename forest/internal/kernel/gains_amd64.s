//go:build !noasm

#include "textflag.h"

// BEGIN sets registers from arguments and sums to 0.
#define BEGIN \
	MOVQ gains+0(FP), DI; \
	VBROADCASTSD z+8(FP), Z20; \
	VBROADCASTSD rows+16(FP), Z21; \
	MOVQ runs+24(FP), SI; \
	MOVQ counts+32(FP), BX; \
	MOVQ n+40(FP), CX; \
	MOVQ inverse+48(FP), R8; \
	VPXORQ Z0, Z0, Z0; \
	VPXORQ Z1, Z1, Z1; \
	VPXORQ Z2, Z2, Z2; \
	VPXORQ Z3, Z3, Z3; \
	VPXORQ Z4, Z4, Z4

// ADD adds a run, of which the planes have Z5 rows on the right: its share of the class to
// Z0 and the share's square to Z1, those of the rows on the left to Z2 and Z3, the rows to Z4.
#define ADD \
	VCVTDQ2PD.BCST 4(SI), Z6; \
	MOVLQSX (SI), AX; \
	VBROADCASTSD (R8)(AX*8), Z7; \
	VADDPD Z5, Z4, Z4; \
	VSUBPD Z5, Z6, Z6; \
	VMULPD Z7, Z5, Z5; \
	VMULPD Z7, Z6, Z6; \
	VMULPD Z5, Z5, Z8; \
	VMULPD Z6, Z6, Z9; \
	VADDPD Z5, Z0, Z0; \
	VADDPD Z8, Z1, Z1; \
	VADDPD Z6, Z2, Z2; \
	VADDPD Z9, Z3, Z3; \
	ADDQ $8, SI

// GINI multiplies n by max(0, 1 - squares/sum²), for 1 in Z22 and 0 in Z23.
#define GINI(n, sum, squares) \
	VMULPD sum, sum, sum; \
	VDIVPD sum, squares, squares; \
	VSUBPD squares, Z22, squares; \
	VMAXPD Z23, squares, squares; \
	VMULPD squares, n, n

// END adds z less both sides' impurity to the gains of planes that have rows on both.
#define END \
	VBROADCASTSD one<>(SB), Z22; \
	VPXORQ Z23, Z23, Z23; \
	VCMPPD $4, Z23, Z4, K1; \
	VCMPPD $4, Z21, Z4, K1, K2; \
	VSUBPD Z4, Z21, Z5; \
	GINI(Z4, Z0, Z1); \
	GINI(Z5, Z2, Z3); \
	VADDPD Z4, Z5, Z5; \
	VSUBPD Z5, Z20, Z5; \
	VMOVUPD (DI), Z6; \
	VADDPD Z5, Z6, K2, Z6; \
	VMOVUPD Z6, (DI); \
	VZEROUPPER

DATA one<>+0(SB)/8, $0x3ff0000000000000
GLOBL one<>(SB), RODATA|NOPTR, $8

// func addNarrowGainsAVX512(gains *[8]float64, z, rows float64, runs *Run, counts *uint64, n int, inverse *float64)
TEXT ·addNarrowGainsAVX512(SB), NOSPLIT, $0-56
	BEGIN

run:
	VPMOVZXBQ (BX), Z5
	VCVTQQ2PD Z5, Z5
	ADD
	ADDQ $8, BX
	DECQ CX
	JNE run
	END
	RET

// func addWideGainsAVX512(gains *[8]float64, z, rows float64, runs *Run, counts *[8]int32, n int, inverse *float64)
TEXT ·addWideGainsAVX512(SB), NOSPLIT, $0-56
	BEGIN

run:
	VCVTDQ2PD (BX), Z5
	ADD
	ADDQ $32, BX
	DECQ CX
	JNE run
	END
	RET
