package dispatchhttp

import (
	"net/http"
	"regexp"
	"strconv"
	"testing"
	"time"
)

var integer = regexp.MustCompile(`\A[0-9]{1,15}\z`)

// ParseStart accepts what strconv reads as digits, and nothing else; and with any header the age of
// a request is between 0 and the greatest age.
func FuzzStart(f *testing.F) {
	for _, s := range []string{"", "0", "1763287065123", "999999999999999", "1000000000000000", "-1", "+1", " 1", "1 ",
		"1.5", "0x10", "1_0", "١", "1\n", "00000000000000000001"} {
		f.Add(s)
	}
	now := time.UnixMilli(1_763_287_065_123)
	l := Limit(http.NotFoundHandler(), TrustStart(func(*http.Request) bool { return true }, time.Minute))
	f.Fuzz(func(t *testing.T, s string) {
		start, ok := ParseStart(s)
		if ok != integer.MatchString(s) {
			t.Fatalf("%q is a start: %v", s, ok)
		}
		if ok {
			ms, err := strconv.ParseInt(s, 10, 64)
			if err != nil || start.UnixMilli() != ms {
				t.Fatalf("%q is %v", s, start)
			}
			if again, ok := ParseStart(FormatStart(start)); !ok || !again.Equal(start) {
				t.Fatalf("%q comes back as %v", s, again)
			}
		}
		got := l.start(&http.Request{Header: http.Header{StartHeader: {s}}}, now)
		if age := now.Sub(got); age < 0 || age > time.Minute || !ok && age != 0 {
			t.Fatalf("%q is %v old", s, age)
		}
	})
}

func TestFormatStartOfAnyTime(t *testing.T) {
	for _, c := range []struct {
		t    time.Time
		want string
	}{{time.Time{}, "0"}, {time.UnixMilli(-1), "0"}, {time.UnixMilli(12), "12"},
		{time.UnixMilli(1 << 60), "999999999999999"}} {
		if got := FormatStart(c.t); got != c.want {
			t.Errorf("%v is %s", c.t, got)
		}
	}
}
