// Package terminal draws small pictures of courses where a person looks: on a terminal, and nowhere
// else.
package terminal

import (
	"io"
	"os"

	"golang.org/x/term"
)

// A Screen is a terminal that is written to. There is none behind a pipe or a file.
type Screen struct {
	Columns int
	Colours bool // can be shown, and are wanted
}

// Of is the screen behind w; nil if it is none, or one that cannot show lines.
func Of(w io.Writer) *Screen {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		return nil
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil || columns <= 0 {
		columns = 80
	}
	return &Screen{Columns: columns, Colours: os.Getenv("NO_COLOR") == ""}
}
