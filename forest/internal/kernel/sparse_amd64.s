//go:build !noasm

#include "textflag.h"

// func addSparse4SSE2(sums *[4]float32, w *float32, a, b, c, d *Cell, n int)
TEXT ·addSparse4SSE2(SB), NOSPLIT, $0-56
	MOVQ sums+0(FP), DI
	MOVQ w+8(FP), SI
	MOVQ a+16(FP), R8
	MOVQ b+24(FP), R9
	MOVQ c+32(FP), R10
	MOVQ d+40(FP), R11
	MOVQ n+48(FP), CX
	MOVSS 0(DI), X0
	MOVSS 4(DI), X1
	MOVSS 8(DI), X2
	MOVSS 12(DI), X3
	XORQ AX, AX

cells:
	MOVL (R8)(AX*8), BX
	MOVL (R9)(AX*8), DX
	MOVL (R10)(AX*8), R12
	MOVL (R11)(AX*8), R13
	MOVSS (SI)(BX*4), X4
	MOVSS (SI)(DX*4), X5
	MOVSS (SI)(R12*4), X6
	MOVSS (SI)(R13*4), X7
	MULSS 4(R8)(AX*8), X4
	MULSS 4(R9)(AX*8), X5
	MULSS 4(R10)(AX*8), X6
	MULSS 4(R11)(AX*8), X7
	ADDSS X4, X0
	ADDSS X5, X1
	ADDSS X6, X2
	ADDSS X7, X3
	INCQ AX
	CMPQ AX, CX
	JNE cells

	MOVSS X0, 0(DI)
	MOVSS X1, 4(DI)
	MOVSS X2, 8(DI)
	MOVSS X3, 12(DI)
	RET

// func prefetchCells(c *Cell, n int)
TEXT ·prefetchCells(SB), NOSPLIT, $0-16
	MOVQ c+0(FP), SI
	MOVQ n+8(FP), CX

lines:
	PREFETCHT0 (SI)
	ADDQ $64, SI
	SUBQ $8, CX
	JGT lines
	RET
