package allocation

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/almanac-sim/almanac/internal/format"
)

// RoundsCSV writes a line for each round that was kept.
func RoundsCSV(w io.Writer, rows []Row) error {
	if _, err := io.WriteString(w, "round,arrived,thrown,accepted,served,pool,wait_sum,wait_max\n"); err != nil {
		return err
	}
	var b []byte
	for _, r := range rows {
		b = strconv.AppendInt(b[:0], int64(r.Number), 10)
		for _, x := range []int{r.Arrived, r.Thrown, r.Accepted, r.Served, r.Pool, r.WaitSum, r.WaitMax} {
			b = strconv.AppendInt(append(b, ','), int64(x), 10)
		}
		if _, err := w.Write(append(b, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// WaitsCSV writes a line for each waiting time; the limit is empty where there is none.
func WaitsCSV(w io.Writer, waits []int, limit []float64) error {
	out := csv.NewWriter(w)
	lines := [][]string{{"wait", "balls", "share", "limit"}}
	for wait, share := range Shares(waits) {
		expected := ""
		if wait < len(limit) {
			expected = format.Number(limit[wait])
		}
		lines = append(lines, []string{strconv.Itoa(wait), strconv.Itoa(waits[wait]), format.Number(share), expected})
	}
	return out.WriteAll(lines)
}
