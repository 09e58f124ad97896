//go:build !noasm

#include "textflag.h"

// func extremesAVX2(values *float32, n int) (least, greatest float32)
//
// The last eight values come first. The others follow in groups of eight, the last of which may
// have some of them again.
TEXT ·extremesAVX2(SB), NOSPLIT, $0-24
	MOVQ values+0(FP), SI
	MOVQ n+8(FP), CX
	LEAQ -32(SI)(CX*4), DX
	VMOVUPS (DX), Y0
	VMOVAPS Y0, Y1

eight:
	CMPQ SI, DX
	JAE lanes
	VMOVUPS (SI), Y2
	VMINPS Y2, Y0, Y0
	VMAXPS Y2, Y1, Y1
	ADDQ $32, SI
	JMP eight

lanes:
	VEXTRACTF128 $1, Y0, X2
	VEXTRACTF128 $1, Y1, X3
	VMINPS X2, X0, X0
	VMAXPS X3, X1, X1
	VPERMILPS $0x4e, X0, X2
	VPERMILPS $0x4e, X1, X3
	VMINPS X2, X0, X0
	VMAXPS X3, X1, X1
	VPERMILPS $0xb1, X0, X2
	VPERMILPS $0xb1, X1, X3
	VMINPS X2, X0, X0
	VMAXPS X3, X1, X1
	VMOVSS X0, least+16(FP)
	VMOVSS X1, greatest+20(FP)
	VZEROUPPER
	RET
