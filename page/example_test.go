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

// A server that listens on more than loopback needs a token.
func ExampleConfig() {
	c := page.Config{
		Files: examples.Files(), About: "the examples", Dir: "examples",
		Token: page.NewToken(), Anywhere: true, Names: []string{"models.example"},
	}
	s, err := page.New(c)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	response := httptest.NewRecorder()
	s.ServeHTTP(response, httptest.NewRequest("GET", "http://models.example/", nil))
	fmt.Println("without the token:", response.Code)
	// Output: without the token: 401
}

func ExampleLimits() {
	limits := page.DefaultLimits()
	limits.Replicas = 100
	s, err := page.New(page.Config{Files: examples.Files(), Limits: limits})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	fmt.Println("at most", limits.Running, "runs at once, of", limits.Replicas, "replicas")
	// Output: at most 2 runs at once, of 100 replicas
}
