package ensemble

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
)

// A hubLog passes on what the server has to say, at the level of debugging unless something is
// wrong.
type hubLog struct {
	log  *slog.Logger
	last *lastError
}

// A lastError remembers the last thing that went wrong, for the message if a server does not start.
type lastError struct {
	mu    sync.Mutex
	text  string
	fatal bool
}

func (e *lastError) set(text string, fatal bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.fatal { // what comes after follows from it
		e.text, e.fatal = text, fatal
	}
}

func (e *lastError) isFatal() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.fatal
}

func (e *lastError) get() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.text == "" {
		return "it was not ready in time"
	}
	return e.text
}

func (l hubLog) say(level slog.Level, format string, args []any) {
	if l.log != nil {
		l.log.Log(context.Background(), level, fmt.Sprintf(format, args...))
	}
}

// Warnf passes a warning on. What only says that this machine was busy or slow for some seconds is
// not one for who waits for a study: nothing is wrong with it.
func (l hubLog) Warnf(format string, args ...any) {
	level := slog.LevelWarn
	if strings.Contains(format, "took too long") || strings.Contains(format, "processing time") {
		level = slog.LevelDebug
	}
	l.say(level, format, args)
}

func (l hubLog) Errorf(format string, args ...any) {
	l.last.set(fmt.Sprintf(format, args...), false)
	l.say(slog.LevelError, format, args)
}

func (l hubLog) Fatalf(format string, args ...any) {
	l.last.set(fmt.Sprintf(format, args...), true)
	l.say(slog.LevelError, format, args)
}

func (l hubLog) Noticef(format string, args ...any) { l.say(slog.LevelDebug, format, args) }
func (l hubLog) Debugf(format string, args ...any)  { l.say(slog.LevelDebug, format, args) }
func (l hubLog) Tracef(format string, args ...any)  { l.say(slog.LevelDebug, format, args) }
