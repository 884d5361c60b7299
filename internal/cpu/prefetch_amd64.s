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

// func own(p unsafe.Pointer)
TEXT ·own(SB), NOSPLIT, $0-8
	MOVQ p+0(FP), AX
	BYTE $0x0F; BYTE $0x0D; BYTE $0x08 // PREFETCHW (AX), which Go's assembler does not know; where there is none, it does nothing
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

// func gatherPaged(table unsafe.Pointer, bits uint, size uintptr, indexes unsafe.Pointer, stride uintptr, n int)
TEXT ·gatherPaged(SB), NOSPLIT, $0-48
	MOVQ table+0(FP), AX
	MOVQ bits+8(FP), CX
	MOVQ size+16(FP), BX
	MOVQ indexes+24(FP), SI
	MOVQ stride+32(FP), DX
	MOVQ n+40(FP), R8
	MOVQ $1, R9
	SHLQ CX, R9
	DECQ R9               // what an index is within its page
next:
	SUBQ $1, R8
	JLT  done
	MOVL (SI), DI
	MOVQ DI, R10
	SHRQ CX, R10          // its page
	LEAQ (R10)(R10*2), R10
	MOVQ (AX)(R10*8), R11 // a slice is three words, the first of which is where it is
	ANDQ R9, DI
	IMULQ BX, DI
	PREFETCHT0 (R11)(DI*1)
	ADDQ DX, SI
	JMP  next
done:
	RET
