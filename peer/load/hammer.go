package main

import (
	"net/http"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// tally is what one connection saw.
type tally struct {
	latencies []time.Duration
	errors    int
	first     error
}

func (t *tally) add(took time.Duration, err error) {
	if err == nil {
		t.latencies = append(t.latencies, took)
		return
	}
	t.errors++
	if t.first == nil {
		t.first = err
	}
}

// hammer sends requests from all connections, each as fast as its answers come, until the time is
// over or, for creation, until all objects exist.
func hammer(client *http.Client, o options) result {
	var next atomic.Int64
	var group sync.WaitGroup
	tallies := make([]tally, o.connections)
	start := time.Now()
	deadline := start.Add(time.Duration(o.seconds * float64(time.Second)))
	for connection := range tallies {
		group.Add(1)
		go func(t *tally) {
			defer group.Done()
			for {
				number := int(next.Add(1)) - 1
				if o.work == "create" && o.count > 0 && number >= o.count {
					return
				}
				begin := time.Now()
				if o.seconds > 0 && begin.After(deadline) {
					return
				}
				request, err := o.request(number)
				if err == nil {
					err = do(client, request)
				}
				t.add(time.Since(begin), err)
			}
		}(&tallies[connection])
	}
	group.Wait()
	return summary(tallies, time.Since(start))
}

func summary(tallies []tally, took time.Duration) result {
	out := result{Seconds: took.Seconds()}
	var all []time.Duration
	for _, t := range tallies {
		all = append(all, t.latencies...)
		out.Errors += t.errors
		if t.first != nil && out.FirstError == "" {
			out.FirstError = t.first.Error()
		}
	}
	out.Operations = len(all)
	out.P50Millis, out.P99Millis = percentile(all, 0.50), percentile(all, 0.99)
	return out
}

func percentile(all []time.Duration, share float64) float64 {
	if len(all) == 0 {
		return 0
	}
	sort.Slice(all, func(a, b int) bool { return all[a] < all[b] })
	index := min(int(share*float64(len(all))), len(all)-1)
	return float64(all[index].Microseconds()) / 1000
}
