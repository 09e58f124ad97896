//go:build !noasm

#include "textflag.h"

// func addSquares4AVX2(sum *float64, p int, x *float64, stride int, factors *[4]float64)
//
// Products and sums are rounded one by one, without fused multiplication, as those of addSquares4Go.
TEXT ·addSquares4AVX2(SB), NOSPLIT, $0-40
	MOVQ sum+0(FP), DI
	MOVQ p+8(FP), CX
	MOVQ x+16(FP), R8
	MOVQ stride+24(FP), BX
	MOVQ factors+32(FP), DX
	LEAQ (R8)(BX*8), R9
	LEAQ (R9)(BX*8), R10
	LEAQ (R10)(BX*8), R11
	VBROADCASTSD 0(DX), Y0
	VBROADCASTSD 8(DX), Y1
	VBROADCASTSD 16(DX), Y2
	VBROADCASTSD 24(DX), Y3
	LEAQ 3(CX), R13
	ANDQ $-4, R13
	SHLQ $3, R13 // bytes of a row of the matrix
	XORQ R12, R12 // i

row:
	VBROADCASTSD (R8)(R12*8), Y4
	VBROADCASTSD (R9)(R12*8), Y5
	VBROADCASTSD (R10)(R12*8), Y6
	VBROADCASTSD (R11)(R12*8), Y7
	VMULPD Y0, Y4, Y4
	VMULPD Y1, Y5, Y5
	VMULPD Y2, Y6, Y6
	VMULPD Y3, Y7, Y7
	XORQ AX, AX // j

cells:
	VMULPD (R8)(AX*8), Y4, Y8
	VMULPD (R9)(AX*8), Y5, Y9
	VMULPD (R10)(AX*8), Y6, Y10
	VMULPD (R11)(AX*8), Y7, Y11
	VADDPD Y9, Y8, Y8
	VADDPD Y11, Y10, Y10
	VADDPD Y10, Y8, Y8
	VADDPD (DI)(AX*8), Y8, Y8
	VMOVUPD Y8, (DI)(AX*8)
	ADDQ $4, AX
	CMPQ AX, R12
	JLE cells

	ADDQ R13, DI
	INCQ R12
	CMPQ R12, CX
	JNE row
	VZEROUPPER
	RET

// ADDUP writes (0 + 2) + (1 + 3), of the lanes of a register.
#define ADDUP(Y, X, to) \
	VEXTRACTF128 $1, Y, X8; \
	VADDPD X8, X, X; \
	VUNPCKHPD X, X, X8; \
	VADDSD X8, X, X; \
	VMOVSD X, to

// func quadraticsAVX2(t *float64, n int, q, w *float64, p int, x *float64)
TEXT ·quadraticsAVX2(SB), NOSPLIT, $0-48
	MOVQ t+0(FP), DI
	MOVQ n+8(FP), DX
	MOVQ q+16(FP), BX
	MOVQ w+24(FP), R15
	MOVQ p+32(FP), CX
	MOVQ x+40(FP), R8
	LEAQ 3(CX), R13
	ANDQ $-4, R13
	SHLQ $3, R13 // bytes of a row of the matrix

rows:
	LEAQ (R8)(CX*8), R9
	LEAQ (R9)(CX*8), R10
	LEAQ (R10)(CX*8), R11
	MOVQ BX, SI
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	XORQ R12, R12 // i

outer:
	VMOVSD (R15)(R12*8), X4
	VMOVAPD Y4, Y5
	VMOVAPD Y4, Y6
	VMOVAPD Y4, Y7
	XORQ AX, AX // j

inner:
	VMOVUPD (SI)(AX*8), Y8
	VMULPD (R8)(AX*8), Y8, Y9
	VMULPD (R9)(AX*8), Y8, Y10
	VMULPD (R10)(AX*8), Y8, Y11
	VMULPD (R11)(AX*8), Y8, Y12
	VADDPD Y9, Y4, Y4
	VADDPD Y10, Y5, Y5
	VADDPD Y11, Y6, Y6
	VADDPD Y12, Y7, Y7
	ADDQ $4, AX
	CMPQ AX, R12
	JLE inner

	VBROADCASTSD (R8)(R12*8), Y9
	VBROADCASTSD (R9)(R12*8), Y10
	VBROADCASTSD (R10)(R12*8), Y11
	VBROADCASTSD (R11)(R12*8), Y12
	VMULPD Y9, Y4, Y4
	VMULPD Y10, Y5, Y5
	VMULPD Y11, Y6, Y6
	VMULPD Y12, Y7, Y7
	VADDPD Y4, Y0, Y0
	VADDPD Y5, Y1, Y1
	VADDPD Y6, Y2, Y2
	VADDPD Y7, Y3, Y3
	ADDQ R13, SI
	INCQ R12
	CMPQ R12, CX
	JNE outer

	ADDUP(Y0, X0, 0(DI))
	ADDUP(Y1, X1, 8(DI))
	ADDUP(Y2, X2, 16(DI))
	ADDUP(Y3, X3, 24(DI))
	LEAQ (R11)(CX*8), R8
	ADDQ $32, DI
	SUBQ $4, DX
	JNE rows
	VZEROUPPER
	RET
