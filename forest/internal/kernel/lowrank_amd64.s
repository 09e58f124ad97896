//go:build !noasm

#include "textflag.h"

// func combineAVX2(sums *[4][4]float64, z *[4]float64, m int, a, b, c, d *float32)
//
// The four rows of data are in the four lanes, the four rows of factors in four registers.
// Products and sums are rounded one by one, without fused multiplication, as those of
// combineGo.
TEXT ·combineAVX2(SB), NOSPLIT, $0-56
	MOVQ sums+0(FP), DI
	MOVQ z+8(FP), SI
	MOVQ m+16(FP), CX
	MOVQ a+24(FP), R8
	MOVQ b+32(FP), R9
	MOVQ c+40(FP), R10
	MOVQ d+48(FP), R11
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	XORQ AX, AX // cells done

cells:
	VMOVUPD (SI), Y8
	VBROADCASTSS (R8)(AX*4), X4
	VBROADCASTSS (R9)(AX*4), X5
	VBROADCASTSS (R10)(AX*4), X6
	VBROADCASTSS (R11)(AX*4), X7
	VCVTPS2PD X4, Y4
	VCVTPS2PD X5, Y5
	VCVTPS2PD X6, Y6
	VCVTPS2PD X7, Y7
	VMULPD Y8, Y4, Y4
	VMULPD Y8, Y5, Y5
	VMULPD Y8, Y6, Y6
	VMULPD Y8, Y7, Y7
	VADDPD Y4, Y0, Y0
	VADDPD Y5, Y1, Y1
	VADDPD Y6, Y2, Y2
	VADDPD Y7, Y3, Y3
	ADDQ $32, SI
	INCQ AX
	CMPQ AX, CX
	JNE cells

	VMOVUPD Y0, 0(DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 64(DI)
	VMOVUPD Y3, 96(DI)
	VZEROUPPER
	RET
