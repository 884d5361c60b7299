package live

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// closed has connections ask for something small, each again as soon as it has been answered, for a time and at least once, and returns how many answers there were.
// It speaks as much HTTP as that takes: the generator should not be what is measured.
func closed(ctx context.Context, address string, connections int, last time.Duration) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, last+patience)
	defer cancel()
	end := time.Now().Add(last)
	var answers atomic.Int64
	var mu sync.Mutex
	var errs []error
	var all sync.WaitGroup
	for range connections {
		all.Go(func() {
			n, err := ask(ctx, address, end)
			answers.Add(int64(n))
			if err != nil {
				mu.Lock()
				errs = append(errs, err)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return int(answers.Load()), errors.Join(errs...)
}

// ask is one connection.
func ask(ctx context.Context, address string, end time.Time) (answers int, err error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	request := fmt.Appendf(nil, "GET /small HTTP/1.1\r\nHost: %s\r\nUser-Agent: almanac\r\nAccept: */*\r\n\r\n", address)
	r := bufio.NewReader(conn)
	for answers == 0 || time.Now().Before(end) {
		if _, err := conn.Write(request); err != nil {
			return answers, err
		}
		if err := readAnswer(r); err != nil {
			return answers, err
		}
		answers++
	}
	return answers, nil
}

var lengthHeader = []byte("content-length:")

// readAnswer reads an answer with status 200 and a length.
func readAnswer(r *bufio.Reader) error {
	line, err := r.ReadSlice('\n')
	if err != nil {
		return err
	}
	if status := bytes.Fields(line); len(status) < 2 || string(status[1]) != "200" {
		return fmt.Errorf("the answer is %q", bytes.TrimSpace(line))
	}
	length := -1
	for {
		if line, err = r.ReadSlice('\n'); err != nil {
			return err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		if len(line) > len(lengthHeader) && bytes.EqualFold(line[:len(lengthHeader)], lengthHeader) {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(line[len(lengthHeader):]))); err != nil {
				return err
			}
		}
	}
	if length < 0 {
		return errors.New("the answer has no length")
	}
	_, err = r.Discard(length)
	return err
}
