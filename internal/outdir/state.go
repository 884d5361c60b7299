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

// StateName is the directory, within that of --out, in which a study keeps what it needs to go on
// after an interruption.
const StateName = ".state"

// A State is where a study keeps its state.
type State struct {
	Path   string
	Before Before // what was found there

	note stateNote
}

// Before is what a study finds when it begins.
type Before int

// What there may have been.
const (
	Nothing Before = iota
	Begun          // the same study, interrupted or failed
	Done           // the same study, done
)

// String is for people, with where it goes on.
func (s *State) String() string {
	switch s.Before {
	case Begun:
		return "going on with this study where it was, from " + s.Path
	case Done:
		return "this study was done before; its results are taken from " + s.Path
	}
	return ""
}

// A stateNote says what the state in a directory is of.
type stateNote struct {
	Key     string `json:"key"`
	Command string `json:"command"` // that gives it again
	Done    bool   `json:"done"`
	Failed  bool   `json:"failed,omitempty"` // it ended with an error of its own; the same command may still go on with it
}

// free reports whether another study may take the place of this one.
func (n stateNote) free() bool { return n.Key == "" || n.Done || n.Failed }

// OpenState finds the state of a study, which a key tells from all others, in the directory of
// --out. The state of another study that is done or has failed is removed. If the other study was
// interrupted, the error is [ErrInTheWay] and says which command goes on with it.
//
// The caller ends with [State.Finish], [State.Fail] or [State.Remove]; with none of them if the
// study was interrupted.
func OpenState(dir, key, command string) (*State, error) {
	s := &State{Path: filepath.Join(dir, StateName)}
	note, err := s.read(dir)
	switch {
	case err != nil:
		return nil, err
	case note.Key == "":
	case note.Key == key && note.Done:
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

// unfinishedStudy refuses a directory with a study of another command that is not done: what this
// command writes there would keep the study from being continued. One of the same command is for
// OpenState to decide, and so is what cannot be read.
func (o *Dir) unfinishedStudy() error {
	s := &State{Path: filepath.Join(o.dir, StateName)}
	note, err := s.read(o.dir)
	words, same := format.Words(note.Command), strings.Fields(o.command)
	// The first word is the program's file, whatever it is called.
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

// Finish notes that the study is done.
func (s *State) Finish() error {
	s.note.Done = true
	return s.write()
}

// Fail notes that the study ended with an error of its own: what it needs to try again is kept, but
// another study may take its place.
func (s *State) Fail() error {
	s.note.Failed = true
	return s.write()
}

// Remove removes the state of a study that can never be done.
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
	// At once or not at all.
	if err := os.WriteFile(s.file()+".new", append(data, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(s.file()+".new", s.file())
}
