//go:build !noasm

#include "textflag.h"

// Products and sums are rounded one by one, without fused multiplication, as those of
// sidesGo. The planes of a row lie in the lanes of one or two registers.

// ROW sets R to the first cell of row number i of those at BX, where DX is the bytes of a
// row and SI the cells.
#define ROW(i, R) \
	MOVLQSX (4*i)(BX), R; \
	IMULQ DX, R; \
	ADDQ SI, R

// EIGHT sets eight registers to the first cells of eight rows, one of them SI.
#define EIGHT \
	ROW(0, R8); \
	ROW(1, R9); \
	ROW(2, R10); \
	ROW(3, R11); \
	ROW(4, R12); \
	ROW(5, R13); \
	ROW(6, R15); \
	ROW(7, AX); \
	MOVQ AX, SI

// ZERO8 sets eight sums to 0.
#define ZERO8 \
	VXORPS X0, X0, X0; \
	VXORPS X1, X1, X1; \
	VXORPS X2, X2, X2; \
	VXORPS X3, X3, X3; \
	VXORPS X4, X4, X4; \
	VXORPS X5, X5, X5; \
	VXORPS X6, X6, X6; \
	VXORPS X7, X7, X7

// STORE4 stores the bytes of four rows, from number i on, at R.
#define STORE4(i, R) \
	MOVB R8, (i+0)(R); \
	MOVB R9, (i+1)(R); \
	MOVB R10, (i+2)(R); \
	MOVB R11, (i+3)(R)

// GREATER4 stores, from number i on, whether four rows' sums S exceed the thresholds in
// Z15, for 16 planes: eight at DI, eight at R12.
#define GREATER4(i, S0, S1, S2, S3) \
	VCMPPS $1, S0, Z15, K1; \
	VCMPPS $1, S1, Z15, K2; \
	VCMPPS $1, S2, Z15, K3; \
	VCMPPS $1, S3, Z15, K4; \
	KMOVW K1, R8; \
	KMOVW K2, R9; \
	KMOVW K3, R10; \
	KMOVW K4, R11; \
	STORE4(i, DI); \
	SHRL $8, R8; \
	SHRL $8, R9; \
	SHRL $8, R10; \
	SHRL $8, R11; \
	STORE4(i, R12)

// func sidesAVX512(dst *uint8, stride int, cells *float32, m int, rows *int32, n int, weights *float32, thresholds *[16]float32)
//
// Eight rows at a time.
TEXT ·sidesAVX512(SB), NOSPLIT, $0-64
	MOVQ m+24(FP), DX
	MOVQ rows+32(FP), BX
	MOVQ n+40(FP), CX
	MOVQ thresholds+56(FP), AX
	VMOVUPS (AX), Z15
	SHLQ $2, DX // bytes of a row

rows:
	MOVQ cells+16(FP), SI
	EIGHT
	ZERO8
	MOVQ weights+48(FP), DI
	XORQ AX, AX // bytes of the row done

features:
	VMOVUPS (DI), Z8
	VMULPS.BCST (R8)(AX*1), Z8, Z16
	VMULPS.BCST (R9)(AX*1), Z8, Z17
	VMULPS.BCST (R10)(AX*1), Z8, Z18
	VMULPS.BCST (R11)(AX*1), Z8, Z19
	VMULPS.BCST (R12)(AX*1), Z8, Z20
	VMULPS.BCST (R13)(AX*1), Z8, Z21
	VMULPS.BCST (R15)(AX*1), Z8, Z22
	VMULPS.BCST (SI)(AX*1), Z8, Z23
	VADDPS Z16, Z0, Z0
	VADDPS Z17, Z1, Z1
	VADDPS Z18, Z2, Z2
	VADDPS Z19, Z3, Z3
	VADDPS Z20, Z4, Z4
	VADDPS Z21, Z5, Z5
	VADDPS Z22, Z6, Z6
	VADDPS Z23, Z7, Z7
	ADDQ $64, DI
	ADDQ $4, AX
	CMPQ AX, DX
	JNE features

	MOVQ dst+0(FP), DI
	MOVQ stride+8(FP), R12
	ADDQ DI, R12
	GREATER4(0, Z0, Z1, Z2, Z3)
	GREATER4(4, Z4, Z5, Z6, Z7)
	ADDQ $8, DI
	MOVQ DI, dst+0(FP)
	ADDQ $32, BX
	SUBQ $8, CX
	JNE rows
	VZEROUPPER
	RET

// EXCEED4 stores at R whether four rows' sums S exceed the thresholds in Y15, from
// number i on. It overwrites S.
#define EXCEED4(i, R, S0, S1, S2, S3) \
	VCMPPS $1, S0, Y15, S0; \
	VCMPPS $1, S1, Y15, S1; \
	VCMPPS $1, S2, Y15, S2; \
	VCMPPS $1, S3, Y15, S3; \
	VMOVMSKPS S0, R8; \
	VMOVMSKPS S1, R9; \
	VMOVMSKPS S2, R10; \
	VMOVMSKPS S3, R11; \
	STORE4(i, R)

// func sidesAVX2(dst *uint8, stride int, cells *float32, m int, rows *int32, n int, weights *float32, thresholds *[16]float32)
//
// Four rows at a time, each in two registers.
TEXT ·sidesAVX2(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ cells+16(FP), SI
	MOVQ m+24(FP), DX
	MOVQ rows+32(FP), BX
	MOVQ n+40(FP), CX
	SHLQ $2, DX // bytes of a row

rows:
	ROW(0, R8)
	ROW(1, R9)
	ROW(2, R10)
	ROW(3, R11)
	ZERO8
	MOVQ weights+48(FP), R12
	XORQ AX, AX // bytes of the row done

features:
	VMOVUPS (R12), Y8
	VMOVUPS 32(R12), Y9
	VBROADCASTSS (R8)(AX*1), Y10
	VBROADCASTSS (R9)(AX*1), Y12
	VMULPS Y9, Y10, Y11
	VMULPS Y8, Y10, Y10
	VMULPS Y9, Y12, Y13
	VMULPS Y8, Y12, Y12
	VADDPS Y10, Y0, Y0
	VADDPS Y11, Y4, Y4
	VADDPS Y12, Y1, Y1
	VADDPS Y13, Y5, Y5
	VBROADCASTSS (R10)(AX*1), Y10
	VBROADCASTSS (R11)(AX*1), Y12
	VMULPS Y9, Y10, Y11
	VMULPS Y8, Y10, Y10
	VMULPS Y9, Y12, Y13
	VMULPS Y8, Y12, Y12
	VADDPS Y10, Y2, Y2
	VADDPS Y11, Y6, Y6
	VADDPS Y12, Y3, Y3
	VADDPS Y13, Y7, Y7
	ADDQ $64, R12
	ADDQ $4, AX
	CMPQ AX, DX
	JNE features

	MOVQ thresholds+56(FP), AX
	MOVQ stride+8(FP), R12
	ADDQ DI, R12
	VMOVUPS (AX), Y15
	EXCEED4(0, DI, Y0, Y1, Y2, Y3)
	VMOVUPS 32(AX), Y15
	EXCEED4(0, R12, Y4, Y5, Y6, Y7)
	ADDQ $4, DI
	ADDQ $16, BX
	SUBQ $4, CX
	JNE rows
	VZEROUPPER
	RET

// func sides8AVX2(dst *uint8, cells *float32, m int, rows *int32, n int, weights *float32, thresholds *[16]float32)
//
// Eight rows at a time.
TEXT ·sides8AVX2(SB), NOSPLIT, $0-56
	MOVQ m+16(FP), DX
	MOVQ rows+24(FP), BX
	MOVQ n+32(FP), CX
	MOVQ thresholds+48(FP), AX
	VMOVUPS (AX), Y15
	SHLQ $2, DX // bytes of a row

rows:
	MOVQ cells+8(FP), SI
	EIGHT
	ZERO8
	MOVQ weights+40(FP), DI
	XORQ AX, AX // bytes of the row done

features:
	VMOVUPS (DI), Y8
	VBROADCASTSS (R8)(AX*1), Y9
	VBROADCASTSS (R9)(AX*1), Y10
	VBROADCASTSS (R10)(AX*1), Y11
	VBROADCASTSS (R11)(AX*1), Y12
	VMULPS Y8, Y9, Y9
	VMULPS Y8, Y10, Y10
	VMULPS Y8, Y11, Y11
	VMULPS Y8, Y12, Y12
	VADDPS Y9, Y0, Y0
	VADDPS Y10, Y1, Y1
	VADDPS Y11, Y2, Y2
	VADDPS Y12, Y3, Y3
	VBROADCASTSS (R12)(AX*1), Y9
	VBROADCASTSS (R13)(AX*1), Y10
	VBROADCASTSS (R15)(AX*1), Y11
	VBROADCASTSS (SI)(AX*1), Y12
	VMULPS Y8, Y9, Y9
	VMULPS Y8, Y10, Y10
	VMULPS Y8, Y11, Y11
	VMULPS Y8, Y12, Y12
	VADDPS Y9, Y4, Y4
	VADDPS Y10, Y5, Y5
	VADDPS Y11, Y6, Y6
	VADDPS Y12, Y7, Y7
	ADDQ $64, DI
	ADDQ $4, AX
	CMPQ AX, DX
	JNE features

	MOVQ dst+0(FP), DI
	EXCEED4(0, DI, Y0, Y1, Y2, Y3)
	EXCEED4(4, DI, Y4, Y5, Y6, Y7)
	ADDQ $8, DI
	MOVQ DI, dst+0(FP)
	ADDQ $32, BX
	SUBQ $8, CX
	JNE rows
	VZEROUPPER
	RET

// func prefetch(cells *float32, m int, rows *int32, n int)
//
// Asks for the cells of n ≥ 1 rows, every 64 bytes and the last.
TEXT ·prefetch(SB), NOSPLIT, $0-32
	MOVQ cells+0(FP), SI
	MOVQ m+8(FP), DX
	MOVQ rows+16(FP), BX
	MOVQ n+24(FP), CX
	SHLQ $2, DX // bytes of a row

rows:
	ROW(0, R8)
	LEAQ -4(R8)(DX*1), R9

lines:
	PREFETCHT0 (R8)
	ADDQ $64, R8
	CMPQ R8, R9
	JB lines
	PREFETCHT0 (R9)
	ADDQ $4, BX
	DECQ CX
	JNE rows
	RET
