//go:build !noasm

#include "textflag.h"

// func sidesAVX2(dst *uint8, cells *float32, m int, rows *int32, n int, weights *float32, thresholds *[8]float32)
//
// Four rows at a time, the eight planes in the eight lanes. Products and sums are
// rounded one by one, without fused multiplication, as those of sides8.
TEXT ·sidesAVX2(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ cells+8(FP), SI
	MOVQ m+16(FP), DX
	MOVQ rows+24(FP), BX
	MOVQ n+32(FP), CX
	MOVQ thresholds+48(FP), AX
	VMOVUPS (AX), Y15
	SHLQ $2, DX // bytes of a row

rows:
	MOVLQSX 0(BX), R8
	MOVLQSX 4(BX), R9
	MOVLQSX 8(BX), R10
	MOVLQSX 12(BX), R11
	IMULQ DX, R8
	IMULQ DX, R9
	IMULQ DX, R10
	IMULQ DX, R11
	ADDQ SI, R8
	ADDQ SI, R9
	ADDQ SI, R10
	ADDQ SI, R11
	MOVQ weights+40(FP), R12
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	XORQ AX, AX // bytes of the row done

features:
	VMOVUPS (R12)(AX*8), Y8
	VBROADCASTSS (R8)(AX*1), Y4
	VBROADCASTSS (R9)(AX*1), Y5
	VBROADCASTSS (R10)(AX*1), Y6
	VBROADCASTSS (R11)(AX*1), Y7
	VMULPS Y8, Y4, Y4
	VMULPS Y8, Y5, Y5
	VMULPS Y8, Y6, Y6
	VMULPS Y8, Y7, Y7
	VADDPS Y4, Y0, Y0
	VADDPS Y5, Y1, Y1
	VADDPS Y6, Y2, Y2
	VADDPS Y7, Y3, Y3
	ADDQ $4, AX
	CMPQ AX, DX
	JNE features

	// Lane by lane, whether threshold < sum.
	VCMPPS $1, Y0, Y15, Y0
	VCMPPS $1, Y1, Y15, Y1
	VCMPPS $1, Y2, Y15, Y2
	VCMPPS $1, Y3, Y15, Y3
	VMOVMSKPS Y0, R8
	VMOVMSKPS Y1, R9
	VMOVMSKPS Y2, R10
	VMOVMSKPS Y3, R11
	MOVB R8, 0(DI)
	MOVB R9, 1(DI)
	MOVB R10, 2(DI)
	MOVB R11, 3(DI)
	ADDQ $4, DI
	ADDQ $16, BX
	SUBQ $4, CX
	JNE rows
	VZEROUPPER
	RET
