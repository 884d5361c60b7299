package ensemble

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"runtime"
	"sync"

	"github.com/nats-io/nuid"
)

// EngineVersion is changed whenever tasks or results change their form, or the same job would be merged differently.
const EngineVersion = "1"

// version is what a job's tasks and results carry, and what a worker must have, to the letter, to take the job. The architecture is part
// of it: where the processor fuses x*y+z (arm64 and others do, amd64 does not), Go programs may round differently.
func (k Kind) version() string {
	if k.Version == "" {
		k.Version = programVersion()
	}
	return "engine " + EngineVersion + ", " + k.Name + " " + k.Version + ", " + runtime.GOARCH
}

// versionTag is a version as a token of a subject, and part of a consumer's name.
func versionTag(version string) string {
	sum := sha256.Sum256([]byte(version))
	return hex.EncodeToString(sum[:8])
}

// programVersion is a hash of the program that runs: two programs of the same version are the same.
var programVersion = sync.OnceValue(func() string {
	sum := sha256.New()
	name, err := os.Executable()
	if err == nil {
		var file *os.File
		if file, err = os.Open(name); err == nil {
			defer file.Close()
			_, err = io.Copy(sum, file)
		}
	}
	if err != nil {
		return "unknown-" + nuid.Next() // equal to no other
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
})

// ProgramVersion is a hash of the program that runs, for kinds whose version it is to be a part of: two programs that have the same are the
// same.
func ProgramVersion() string { return programVersion() }
