package wire

import (
	"fmt"
	"strconv"
	"strings"
)

// Streams, stores and subjects on the server.
const (
	TasksStream  = "ALMANAC_TASKS"
	JobsBucket   = "ALMANAC_JOBS"
	ModelsBucket = "ALMANAC_MODELS"

	HeartbeatSubject = "almanac.worker" // heartbeats of workers
	PingSubject      = "almanac.call"   // coordinators ask for heartbeats
)

// JournalName is the name of the stream of a job's results.
func JournalName(job string) string { return "ALMANAC_R_" + job }

// TaskSubject is the subject of a task. It includes the version's tag, so that a worker is never
// given a task it would have to refuse.
func TaskSubject(tag, job string, k Key) string {
	return "almanac.task." + tag + "." + job + "." + strconv.Itoa(k.Point) + "." + strconv.Itoa(k.First)
}

// TagTasks matches all tasks of a version.
func TagTasks(tag string) string { return "almanac.task." + tag + ".>" }

// JobTasks matches all tasks of a job.
func JobTasks(job string) string { return "almanac.task.*." + job + ".>" }

// ResultSubject is the subject of a task's result.
func ResultSubject(job string, k Key) string {
	return "almanac.result." + job + "." + strconv.Itoa(k.Point) + "." + strconv.Itoa(k.First)
}

// JobResults matches all results of a job.
func JobResults(job string) string { return "almanac.result." + job + ".>" }

// PointSubject is the subject of a part of a point's summary.
func PointSubject(job string, point, part, parts int) string {
	return fmt.Sprintf("almanac.point.%s.%d.%d.%d", job, point, part, parts)
}

// JobPoints matches all summaries of a job.
func JobPoints(job string) string { return "almanac.point." + job + ".>" }

// TrySubject is where workers record that they run a task alone after others may have died of it.
func TrySubject(job string, k Key) string {
	return "almanac.try." + job + "." + strconv.Itoa(k.Point) + "." + strconv.Itoa(k.First)
}

// JobTries matches all these records of a job.
func JobTries(job string) string { return "almanac.try." + job + ".>" }

// SubjectNumbers parses the last n tokens of a subject, which must be numbers.
func SubjectNumbers(subject string, n int) ([]int, error) {
	tokens := strings.Split(subject, ".")
	if len(tokens) < n {
		return nil, fmt.Errorf("ensemble: unexpected subject %q", subject)
	}
	numbers := make([]int, n)
	for i, token := range tokens[len(tokens)-n:] {
		x, err := strconv.Atoi(token)
		if err != nil || x < 0 {
			return nil, fmt.Errorf("ensemble: unexpected subject %q", subject)
		}
		numbers[i] = x
	}
	return numbers, nil
}

// MaxDeliveries is where the server announces that a task will not be delivered again.
const MaxDeliveries = "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES." + TasksStream + ".>"
