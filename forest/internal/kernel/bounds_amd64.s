//go:build !noasm

#include "textflag.h"

// func boundsAVX2(least, greatest *float32, sums *float64, cells *float32, m int, rows *int32, n int)
TEXT ·boundsAVX2(SB), NOSPLIT, $0-56
	MOVQ least+0(FP), R8
	MOVQ greatest+8(FP), R9
	MOVQ sums+16(FP), R10
	MOVQ cells+24(FP), SI
	MOVQ m+32(FP), DX
	MOVQ rows+40(FP), BX
	MOVQ n+48(FP), CX
	VMOVUPS (R8), Y0
	VMOVUPS (R9), Y1
	VMOVUPD (R10), Y2
	VMOVUPD 32(R10), Y3

row:
	MOVLQSX (BX), AX
	IMULQ DX, AX
	LEAQ (SI)(AX*4), AX
	VMOVUPS (AX), Y4
	VCVTPS2PD (AX), Y5
	VCVTPS2PD 16(AX), Y6
	VMINPS Y4, Y0, Y0
	VMAXPS Y4, Y1, Y1
	VADDPD Y5, Y2, Y2
	VADDPD Y6, Y3, Y3
	ADDQ $4, BX
	DECQ CX
	JNE row
	VMOVUPS Y0, (R8)
	VMOVUPS Y1, (R9)
	VMOVUPD Y2, (R10)
	VMOVUPD Y3, 32(R10)
	VZEROUPPER
	RET
