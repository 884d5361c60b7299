package population

import (
	"os"
	"testing"
)

// modelFrom compiles a text.
func modelFrom(t testing.TB, source string, asked ...Change) *Model {
	t.Helper()
	m, err := Compile("model.yaml", []byte(source), asked...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// testModel is the text of a model in testdata.
func testModel(name string) string {
	b, err := os.ReadFile("testdata/" + name + ".yaml")
	if err != nil {
		panic(err)
	}
	return string(b)
}
