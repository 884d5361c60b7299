package ensemble

import (
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/nats-io/nuid"
)

// EngineVersion is changed whenever tasks or results change their form, or the same job would be
// merged differently.
const EngineVersion = "1"

// version is what a job's tasks and results carry, and what a worker must have, to the letter, to
// take the job. Unless the kind is portable, the arithmetic of the machine is part of it.
func (k Kind) version() string {
	if k.Version == "" {
		k.Version = programVersion()
	}
	version := "engine " + EngineVersion + ", " + k.Name + " " + k.Version
	if !k.Portable {
		version += ", " + arithmetic()
	}
	return version
}

// versionTag is a version as a token of a subject, and part of a consumer's name.
func versionTag(version string) string {
	sum := sha256.Sum256([]byte(version))
	return hex.EncodeToString(sum[:8])
}

// programVersion is a hash of the program that runs: two programs of the same version were built
// from the same.
var programVersion = sync.OnceValue(func() string {
	if name, err := os.Executable(); err == nil {
		if file, err := os.Open(name); err == nil {
			defer file.Close()
			if version, err := versionOf(file); err == nil {
				return version
			}
		}
	}
	return "unknown-" + nuid.Next() // equal to no other
})

// versionOf is a hash of a program: of the identity that the go command has put into it and of its
// size, which anything that is added to it or stripped from it changes; or of all its bytes, which
// takes 40 ms for those with a hub in them.
func versionOf(program io.ReadSeeker) (string, error) {
	size, err := program.Seek(0, io.SeekEnd)
	if err != nil {
		return "", err
	}
	if _, err := program.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	sum := sha256.New()
	if at, ok := program.(io.ReaderAt); ok {
		if id := buildID(at); id != "" {
			fmt.Fprint(sum, id, " ", size)
			return hex.EncodeToString(sum.Sum(nil)[:8]), nil
		}
	}
	if _, err := io.Copy(sum, program); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil
}

// buildID is the identity of a program, if there is one to be found, as in the files of Linux and
// most others: what the go command writes, which is hashes of what the program was built from. What
// somebody has put there instead tells no programs apart.
func buildID(program io.ReaderAt) string {
	file, err := elf.NewFile(program)
	if err != nil {
		return ""
	}
	section := file.Section(".note.go.buildid")
	if section == nil || section.Size > 1000 {
		return ""
	}
	note, err := section.Data() // the lengths of a name and of the rest, a number, "Go" and the rest
	if err != nil || len(note) < 16 {
		return ""
	}
	n := file.ByteOrder.Uint32(note[4:])
	if int64(n) > int64(len(note)-16) {
		return ""
	}
	id := string(note[16 : 16+n])
	hashes := strings.Split(id, "/")
	if len(hashes) != 4 || slices.ContainsFunc(hashes, func(h string) bool { return len(h) != 20 }) {
		return ""
	}
	return id
}

// ProgramVersion is a hash of the program that runs, for kinds whose version it is to be a part of:
// two programs that have the same were built from the same.
func ProgramVersion() string { return programVersion() }
