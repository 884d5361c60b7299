package reproduce

import (
	"strconv"
	"strings"
)

// Superscript writes a number that is not negative above the line, as in 2¹⁵.
func Superscript(n int) string {
	var raised strings.Builder
	for _, d := range strconv.Itoa(n) {
		raised.WriteRune([]rune("⁰¹²³⁴⁵⁶⁷⁸⁹")[d-'0'])
	}
	return raised.String()
}
