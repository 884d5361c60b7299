package page_test

import (
	"fmt"
	"io"
	"net/http/httptest"
	"regexp"

	"github.com/almanac-sim/almanac/examples"
	"github.com/almanac-sim/almanac/page"
)

// A server is a handler, which the command serves on a listener.
func ExampleServer() {
	s, err := page.New(page.Config{Files: examples.Files(), About: "the examples", Dir: "examples"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	server := httptest.NewServer(s)
	defer server.Close()
	answer, err := server.Client().Get(server.URL + "/models/sir.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	fmt.Println(answer.Status, err, regexp.MustCompile("<title>.*</title>").FindString(string(text)))
	// Output: 200 OK <nil> <title>sir.yaml · Almanac</title>
}
