package spray_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/almanac-sim/almanac/spray"
)

// Four goroutines share the work, roughly in order.
func ExampleList() {
	l := spray.New[float64, string](spray.Concurrency(4))
	for i := range 1000 {
		l.Insert(float64(i), fmt.Sprint("job ", i))
	}
	var done atomic.Int32
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				_, _, ok := l.Spray() // one of the first
				if !ok {
					return // there was nothing left
				}
				done.Add(1)
			}
		})
	}
	wg.Wait()
	fmt.Println(done.Load(), "jobs done,", l.Len(), "left")
	// Output:
	// 1000 jobs done, 0 left
}

// Elements of equal keys keep their order, and DeleteMin is exact.
func ExampleList_DeleteMin() {
	l := spray.New[int, string]()
	l.Insert(2, "b")
	l.Insert(1, "a")
	l.Insert(2, "c")
	for range 3 {
		key, value, _ := l.DeleteMin()
		fmt.Println(key, value)
	}
	// Output:
	// 1 a
	// 2 b
	// 2 c
}

// A handle removes the element that it was given for, and no other.
func ExampleHandle() {
	l := spray.New[int, string]()
	h := l.Insert(1, "lunch")
	fmt.Println(l.Delete(h), l.Delete(h))
	// Output:
	// true false
}

// How far the walks of the report go, for eight processes.
func ExampleWalk() {
	fmt.Printf("%+v, reach %d\n", spray.PerfectSpray(8), spray.PerfectSpray(8).Reach())
	fmt.Printf("%+v, reach %d\n", spray.BasicSpray(8, 1), spray.BasicSpray(8, 1).Reach())
	fmt.Println("padding", spray.FullSpray(8, 1).Padding)
	// Output:
	// {Heights:[3 2 1] Least:1 Most:3 Final:0 Padding:0 Exact:0}, reach 21
	// {Heights:[3 2 1] Least:1 Most:27 Final:0 Padding:0 Exact:0}, reach 189
	// padding 72
}

func ExampleList_Stats() {
	l := spray.New[int, int](spray.Concurrency(2))
	for i := range 100 {
		l.Insert(i, i)
	}
	for range 50 {
		l.Spray()
	}
	s := l.Stats()
	fmt.Println(s.Sprays+s.Exact >= 50, l.Len())
	// Output:
	// true 50
}

// A list for 16 goroutines that walks as the report's BasicSpray does.
func ExampleOption() {
	l := spray.New[int, string](spray.Spraying(spray.BasicSpray(16, 1)), spray.Seed(7))
	l.Insert(1, "one")
	_, value, ok := l.Spray()
	fmt.Println(value, ok)
	// Output:
	// one true
}

// What a list of two goroutines has done: every fourth removal takes the first element, the others
// spray.
func ExampleStats() {
	l := spray.New[int, string](spray.Concurrency(2))
	for i := range 100 {
		l.Insert(i, "")
	}
	for range 40 {
		l.Spray()
	}
	var s spray.Stats = l.Stats()
	fmt.Println(s.Exact, "of 40 took the first;", s.Collisions, "collisions")
	// Output: 10 of 40 took the first; 0 collisions
}

// About half of the elements are as high as 1, a quarter as 2, and so on.
func ExampleList_Heights() {
	l := spray.New[int, string]()
	for i := range 1000 {
		l.Insert(i, "")
	}
	count := map[int]int{}
	for _, h := range l.Heights() {
		count[h]++
	}
	fmt.Println(count[1], count[2], count[3])
	// Output: 500 229 142
}

// A goroutine waits for what another inserts, until all work is done.
func ExampleBlocking() {
	l := spray.NewBlocking[int, string]()
	go func() {
		for i, word := range []string{"one", "two", "three"} {
			_, _ = l.Insert(i, word)
		}
		l.Close()
	}()
	letters := 0
	for {
		_, word, err := l.Spray(context.Background())
		if err != nil {
			fmt.Println(err)
			break
		}
		letters += len(word)
		l.Done()
	}
	fmt.Println(letters, "letters")
	// Output:
	// spray: all work is done
	// 11 letters
}
