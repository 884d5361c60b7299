#include "textflag.h"

// func lines(p unsafe.Pointer, n int)
TEXT ·lines(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), AX
	MOVQ n+8(FP), CX
next:
	SUBQ $1, CX
	JLT  done
	PREFETCHT0 (AX)
	ADDQ $64, AX
	JMP  next
done:
	RET

// func gather(array unsafe.Pointer, size uintptr, indexes unsafe.Pointer, stride uintptr, n int)
TEXT ·gather(SB), NOSPLIT, $0-40
	MOVQ array+0(FP), AX
	MOVQ size+8(FP), BX
	MOVQ indexes+16(FP), SI
	MOVQ stride+24(FP), DX
	MOVQ n+32(FP), CX
next:
	SUBQ $1, CX
	JLT  done
	MOVL (SI), DI
	IMULQ BX, DI
	PREFETCHT0 (AX)(DI*1)
	ADDQ DX, SI
	JMP  next
done:
	RET
