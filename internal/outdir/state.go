package outdir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
)

// StateName is the subdirectory in which a study keeps its state, to be resumed after an
// interruption.
const StateName = ".state"

// A State is the directory with the state of a study.
type State struct {
	Path   string
	Before Before // what was found there

	note stateNote
}

// Before is what OpenState found.
type Before int

const (
	Nothing Before = iota
	Begun          // the same study, interrupted or failed
	Done           // the same study, done
)

// String describes the state and its directory for people.
func (s *State) String() string {
	switch s.Before {
	case Begun:
		return "going on with this study where it was, from " + s.Path
	case Done:
		return "this study was done before; its results are taken from " + s.Path
	}
	return ""
}

// A stateNote identifies the study of a state.
type stateNote struct {
	Key     string `json:"key"`
	Command string `json:"command"` // that resumes it
	Done    bool   `json:"done"`
	Failed  bool   `json:"failed,omitempty"` // it ended with an error; the same command may still resume it
}

// free reports whether another study may replace this one.
func (n stateNote) free() bool { return n.Key == "" || n.Done || n.Failed }

// OpenState finds the state of a study, identified by a key, in the directory of --out. It removes
// the state of another study that is done or has failed. If the other study was interrupted, the
// error is [ErrInTheWay] and names the command that resumes it.
//
// The caller ends with [State.Finish], [State.Fail] or [State.Remove], or with none of them if the
// study was interrupted.
func OpenState(dir, key, command string) (*State, error) {
	s := &State{Path: filepath.Join(dir, StateName)}
	note, err := s.read(dir)
	switch {
	case err != nil:
		return nil, err
	case note.Key == "":
	case note.Key == key && note.Done && note.Command == command:
		s.Before = Done
	case note.Key == key:
		s.Before = Begun
	case !note.free():
		return nil, notDone(dir, note, s)
	default:
		if err := os.RemoveAll(s.Path); err != nil {
			return nil, err
		}
	}
	s.note = stateNote{Key: key, Command: command, Done: s.Before == Done}
	if s.note != note {
		return s, s.write()
	}
	return s, nil
}

// unfinishedStudy refuses a directory with an unfinished study of another command, which could not
// be resumed after this command. OpenState decides about studies of the same command and unreadable
// states.
func (o *Dir) unfinishedStudy() error {
	s := &State{Path: filepath.Join(o.dir, StateName)}
	note, err := s.read(o.dir)
	words, same := format.Words(note.Command), strings.Fields(o.command)
	// The first word is the path of the program.
	if err != nil || note.free() || len(words) > len(same) && slices.Equal(words[1:len(same)+1], same) {
		return nil
	}
	return notDone(o.dir, note, s)
}

func notDone(dir string, note stateNote, s *State) error {
	return inTheWay{fmt.Sprintf("--out %s: there is a study that is not done, of another command or of another build "+
		"of this program:\n  %s\n"+
		"Give that command to go on with it; or remove %s, or name another directory", dir, note.Command, s.Path)}
}

// Finish marks the study as done.
func (s *State) Finish() error {
	s.note.Done = true
	return s.write()
}

// Fail marks the study as failed: it can be resumed, but another study may replace it.
func (s *State) Fail() error {
	s.note.Failed = true
	return s.write()
}

// Remove removes the state of a study that can never finish.
func (s *State) Remove() error { return os.RemoveAll(s.Path) }

func (s *State) file() string { return filepath.Join(s.Path, "study.json") }

func (s *State) read(dir string) (note stateNote, err error) {
	data, err := os.ReadFile(s.file())
	if errors.Is(err, fs.ErrNotExist) {
		if entries, err := os.ReadDir(s.Path); err == nil && len(entries) > 0 {
			return note, inTheWay{fmt.Sprintf("--out %s: there is a %s that is not from a study; remove it, or name another "+
				"directory", dir, StateName)}
		}
		return note, nil
	}
	if err != nil {
		return note, err
	}
	if err := json.Unmarshal(data, &note); err != nil || note.Key == "" {
		return note, inTheWay{fmt.Sprintf("%s cannot be read; remove %s, or name another directory", s.file(), s.Path)}
	}
	return note, nil
}

func (s *State) write() error {
	if err := os.MkdirAll(s.Path, 0o700); err != nil {
		return err
	}
	data, err := json.Marshal(s.note)
	if err != nil {
		return err
	}
	// Atomically.
	if err := os.WriteFile(s.file()+".new", append(data, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(s.file()+".new", s.file())
}
