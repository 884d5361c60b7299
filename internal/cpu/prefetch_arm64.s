#include "textflag.h"

// func lines(p unsafe.Pointer, n int)
TEXT ·lines(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	MOVD n+8(FP), R1
next:
	SUBS $1, R1, R1
	BLT  done
	PRFM (R0), PLDL1KEEP
	ADD  $64, R0, R0
	B    next
done:
	RET

// func own(p unsafe.Pointer)
TEXT ·own(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	PRFM (R0), PSTL1KEEP
	RET

// func gather(array unsafe.Pointer, size uintptr, indexes unsafe.Pointer, stride uintptr, n int)
TEXT ·gather(SB), NOSPLIT, $0-40
	MOVD array+0(FP), R0
	MOVD size+8(FP), R1
	MOVD indexes+16(FP), R2
	MOVD stride+24(FP), R3
	MOVD n+32(FP), R4
next:
	SUBS $1, R4, R4
	BLT  done
	MOVWU (R2), R5
	MADD R1, R0, R5, R5
	PRFM (R5), PLDL1KEEP
	ADD  R3, R2, R2
	B    next
done:
	RET

// func gatherPaged(table unsafe.Pointer, bits uint, size uintptr, indexes unsafe.Pointer, stride uintptr, n int)
TEXT ·gatherPaged(SB), NOSPLIT, $0-48
	MOVD table+0(FP), R0
	MOVD bits+8(FP), R1
	MOVD size+16(FP), R2
	MOVD indexes+24(FP), R3
	MOVD stride+32(FP), R4
	MOVD n+40(FP), R5
	MOVD $1, R6
	LSL  R1, R6, R6
	SUB  $1, R6, R6       // what an index is within its page
	MOVD $24, R7          // a slice is three words, the first of which is where it is
next:
	SUBS $1, R5, R5
	BLT  done
	MOVWU (R3), R8
	LSR  R1, R8, R9       // its page
	MADD R7, R0, R9, R9
	MOVD (R9), R10
	AND  R6, R8, R8
	MADD R2, R10, R8, R8
	PRFM (R8), PLDL1KEEP
	ADD  R4, R3, R3
	B    next
done:
	RET
