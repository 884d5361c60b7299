package ensemble

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Results calls f with the points of a job that are finished, in order, whether or not the job is.
// They can be read any number of times, until the job is forgotten.
func (c *Conn) Results(ctx context.Context, id string, f func(PointResult) error) error {
	if err := c.ensure(ctx); err != nil {
		return err
	}
	if _, _, err := c.status(ctx, id); err != nil {
		return err
	}
	stream, err := c.js.Stream(ctx, journalName(id))
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil // cancelled: there are none
	}
	if err != nil {
		return err
	}
	consumer, err := stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{FilterSubjects: []string{jobPoints(id)},
		InactiveThreshold: time.Minute})
	if err != nil {
		return fmt.Errorf("ensemble: reading the results of job %s: %w", id, err)
	}
	info, err := consumer.Info(ctx)
	if err != nil {
		return err
	}
	messages, err := consumer.Messages(jetstream.PullMaxMessages(64))
	if err != nil {
		return err
	}
	defer messages.Stop()
	var parts bytes.Buffer
	for left := info.NumPending; left > 0; left-- {
		msg, err := messages.Next(jetstream.NextContext(ctx))
		if err != nil {
			return fmt.Errorf("ensemble: reading the results of job %s: %w", id, err)
		}
		numbers, err := subjectNumbers(msg.Subject(), 3)
		if err != nil {
			return err
		}
		if parts.Write(msg.Data()); numbers[1] < numbers[2]-1 {
			continue
		}
		p, err := decodePoint(parts.Bytes())
		if err != nil {
			return fmt.Errorf("ensemble: point %d of job %s cannot be read: %w", numbers[0], id, err)
		}
		parts.Reset()
		if err := f(p); err != nil {
			return err
		}
	}
	return nil
}
