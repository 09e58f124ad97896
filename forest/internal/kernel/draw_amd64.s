//go:build !noasm

#include "textflag.h"

DATA splitmix<>+0(SB)/8, $0x9e3779b97f4a7c15
DATA splitmix<>+8(SB)/8, $0xbf58476d1ce4e5b9
DATA splitmix<>+16(SB)/8, $0x94d049bb133111eb
DATA splitmix<>+24(SB)/8, $0x3ca0000000000000 // 2^-53
GLOBL splitmix<>(SB), RODATA|NOPTR, $32

// XORSHIFT sets Z to Z ^ Z>>n.
#define XORSHIFT(n, Z) \
	VPSRLQ n, Z, Z9; \
	VPXORQ Z9, Z, Z

// func drawAVX512(weights *float32, at, squares *[8]float64, states *[8]uint64, m int, least, width, mean *float64, scale float64)
//
// The eight planes lie in the lanes of a register.
TEXT ·drawAVX512(SB), NOSPLIT, $0-72
	MOVQ weights+0(FP), DI
	MOVQ states+24(FP), AX
	MOVQ m+32(FP), CX
	MOVQ least+40(FP), R8
	MOVQ width+48(FP), R9
	MOVQ mean+56(FP), R10
	VMOVDQU64 (AX), Z0
	VPBROADCASTQ splitmix<>+0(SB), Z1
	VPBROADCASTQ splitmix<>+8(SB), Z2
	VPBROADCASTQ splitmix<>+16(SB), Z3
	VBROADCASTSD splitmix<>+24(SB), Z4
	VBROADCASTSD scale+64(FP), Z5
	VPXORQ Z6, Z6, Z6 // at
	VPXORQ Z7, Z7, Z7 // squares
	XORQ AX, AX

feature:
	// Uint64
	VPADDQ Z1, Z0, Z0
	VMOVDQA64 Z0, Z8
	XORSHIFT($30, Z8)
	VPMULLQ Z2, Z8, Z8
	XORSHIFT($27, Z8)
	VPMULLQ Z3, Z8, Z8
	XORSHIFT($31, Z8)

	// Float64
	VPSRLQ $11, Z8, Z8
	VCVTQQ2PD Z8, Z8
	VMULPD Z4, Z8, Z8

	VMULPD.BCST (R9)(AX*8), Z8, Z8
	VADDPD.BCST (R8)(AX*8), Z8, Z8
	VMULPD Z5, Z8, Z8
	VCVTPD2PS Z8, Y8
	VMOVUPS Y8, (DI)
	VCVTPS2PD Y8, Z8
	VMULPD.BCST (R10)(AX*8), Z8, Z9
	VMULPD Z8, Z8, Z10
	VADDPD Z9, Z6, Z6
	VADDPD Z10, Z7, Z7
	ADDQ $64, DI
	INCQ AX
	CMPQ AX, CX
	JNE feature

	MOVQ at+8(FP), AX
	VMOVUPD Z6, (AX)
	MOVQ squares+16(FP), AX
	VMOVUPD Z7, (AX)
	VZEROUPPER
	RET
