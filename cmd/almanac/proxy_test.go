package main

import (
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptGet is get STATUS URL REGEXP: it asks until the answer is that, for two minutes at most.
func scriptGet(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: get STATUS URL REGEXP")
	}
	want, err := regexp.Compile("(?m)" + args[2])
	ts.Check(err)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Minute}
	for until := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		status, text := "", []byte{}
		res, err := client.Get(args[1])
		if err == nil {
			status = res.Status[:3]
			text, err = io.ReadAll(res.Body)
			res.Body.Close()
		}
		if err == nil && status == args[0] && want.Match(text) {
			return
		}
		if time.Now().After(until) {
			ts.Fatalf("%s: %s %v: %s", args[1], status, err, text)
		}
	}
}

// scriptEnvSubst is envsubst FILE: it puts the values of variables into a file.
func scriptEnvSubst(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: envsubst FILE")
	}
	file := ts.MkAbs(args[0])
	ts.Check(os.WriteFile(file, []byte(os.Expand(ts.ReadFile(args[0]), ts.Getenv)), 0o666))
}

// scriptSignal is signal NAME WORD: it sends a signal to the commands in the background that have the word in their arguments.
func scriptSignal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: signal NAME WORD")
	}
	signal, known := map[string]syscall.Signal{"HUP": syscall.SIGHUP, "TERM": syscall.SIGTERM}[args[0]]
	if !known {
		ts.Fatalf("there is no signal %s", args[0])
	}
	for _, c := range ts.BackgroundCmds() {
		if strings.Contains(strings.Join(c.Args, " "), args[1]) {
			ts.Check(c.Process.Signal(signal))
		}
	}
}
