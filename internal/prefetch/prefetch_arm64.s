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
