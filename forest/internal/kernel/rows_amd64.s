//go:build !noasm

#include "textflag.h"

// TOTAL adds the lanes of a register: (0 + 2) + (1 + 3).
#define TOTAL(Y, X, to) \
	VEXTRACTF128 $1, Y, X8; \
	VADDPD X8, X, X; \
	VUNPCKHPD X, X, X8; \
	VADDSD X8, X, X; \
	VMOVSD X, to

// func dot4AVX2(sums *[4]float64, w, a, b, c, d *float64, n int)
//
// Products and sums are rounded one by one, without fused multiplication, as those of dot4Go.
TEXT ·dot4AVX2(SB), NOSPLIT, $0-56
	MOVQ sums+0(FP), DI
	MOVQ w+8(FP), SI
	MOVQ a+16(FP), R8
	MOVQ b+24(FP), R9
	MOVQ c+32(FP), R10
	MOVQ d+40(FP), R11
	MOVQ n+48(FP), CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	XORQ AX, AX

dot:
	VMOVUPD (SI)(AX*8), Y8
	VMULPD (R8)(AX*8), Y8, Y4
	VMULPD (R9)(AX*8), Y8, Y5
	VMULPD (R10)(AX*8), Y8, Y6
	VMULPD (R11)(AX*8), Y8, Y7
	VADDPD Y4, Y0, Y0
	VADDPD Y5, Y1, Y1
	VADDPD Y6, Y2, Y2
	VADDPD Y7, Y3, Y3
	ADDQ $4, AX
	CMPQ AX, CX
	JNE dot

	TOTAL(Y0, X0, 0(DI))
	TOTAL(Y1, X1, 8(DI))
	TOTAL(Y2, X2, 16(DI))
	TOTAL(Y3, X3, 24(DI))
	VZEROUPPER
	RET

// func addRows4AVX2(sum, a, b, c, d *float64, n int, factors *[4]float64)
TEXT ·addRows4AVX2(SB), NOSPLIT, $0-56
	MOVQ sum+0(FP), DI
	MOVQ a+8(FP), R8
	MOVQ b+16(FP), R9
	MOVQ c+24(FP), R10
	MOVQ d+32(FP), R11
	MOVQ n+40(FP), CX
	MOVQ factors+48(FP), DX
	VBROADCASTSD 0(DX), Y0
	VBROADCASTSD 8(DX), Y1
	VBROADCASTSD 16(DX), Y2
	VBROADCASTSD 24(DX), Y3
	XORQ AX, AX

add:
	VMULPD (R8)(AX*8), Y0, Y4
	VMULPD (R9)(AX*8), Y1, Y5
	VMULPD (R10)(AX*8), Y2, Y6
	VMULPD (R11)(AX*8), Y3, Y7
	VADDPD Y5, Y4, Y4
	VADDPD Y7, Y6, Y6
	VADDPD Y6, Y4, Y4
	VADDPD (DI)(AX*8), Y4, Y4
	VMOVUPD Y4, (DI)(AX*8)
	ADDQ $4, AX
	CMPQ AX, CX
	JNE add
	VZEROUPPER
	RET
