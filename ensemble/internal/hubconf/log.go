package hubconf

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
)

// A Logger passes on the server's log, at debug level unless something is wrong.
type Logger struct {
	Log  *slog.Logger
	Last *LastError
}

// A LastError keeps the last error, for the message if a server does not start.
type LastError struct {
	mu    sync.Mutex
	text  string
	fatal bool
}

func (e *LastError) set(text string, fatal bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.fatal { // later errors are consequences
		e.text, e.fatal = text, fatal
	}
}

func (e *LastError) IsFatal() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.fatal
}

func (e *LastError) Get() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.text == "" {
		return "it was not ready in time"
	}
	return e.text
}

func (l Logger) say(level slog.Level, format string, args []any) {
	if l.Log != nil {
		l.Log.Log(context.Background(), level, fmt.Sprintf(format, args...))
	}
}

// Warnf passes on a warning. That the machine was slow for some seconds is only a debug message.
func (l Logger) Warnf(format string, args ...any) {
	level := slog.LevelWarn
	if strings.Contains(format, "took too long") || strings.Contains(format, "processing time") {
		level = slog.LevelDebug
	}
	l.say(level, format, args)
}

func (l Logger) Errorf(format string, args ...any) {
	l.Last.set(fmt.Sprintf(format, args...), false)
	l.say(slog.LevelError, format, args)
}

func (l Logger) Fatalf(format string, args ...any) {
	l.Last.set(fmt.Sprintf(format, args...), true)
	l.say(slog.LevelError, format, args)
}

func (l Logger) Noticef(format string, args ...any) { l.say(slog.LevelDebug, format, args) }
func (l Logger) Debugf(format string, args ...any)  { l.say(slog.LevelDebug, format, args) }
func (l Logger) Tracef(format string, args ...any)  { l.say(slog.LevelDebug, format, args) }
