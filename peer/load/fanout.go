package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// mark is how a watcher finds the moment of sending in an event: the writer puts it into the
// message of a pod's status.
var mark = []byte(`"message":"sent-`)

// drain is the moment that watchers get for the last events.
const drain = 500 * time.Millisecond

// fanOut writes from one connection and counts what many watchers receive. Latencies are those of
// the events, from before the write was sent until a watcher had the whole event.
func fanOut(client *http.Client, o options) (result, error) {
	version, err := currentVersion(client, o)
	if err != nil {
		return result{}, err
	}
	var group sync.WaitGroup
	tallies := make([]tally, o.watchers)
	bodies := make([]*http.Response, o.watchers)
	for index := range tallies {
		response, err := open(client, o, "?watch=true&resourceVersion="+version)
		if err != nil {
			return result{}, err
		}
		bodies[index] = response
		group.Add(1)
		go func(t *tally) {
			defer group.Done()
			receive(response, t)
		}(&tallies[index])
	}
	start := time.Now()
	writes, failures := write(client, o, start)
	took := time.Since(start)
	time.Sleep(drain)
	for _, response := range bodies {
		response.Body.Close()
	}
	group.Wait()
	out := summary(tallies, took)
	out.Delivered, out.Operations = out.Operations, writes
	out.Errors += failures
	return out, nil
}

func write(client *http.Client, o options, start time.Time) (writes, failures int) {
	deadline := start.Add(time.Duration(o.seconds * float64(time.Second)))
	for time.Now().Before(deadline) {
		request, err := o.statusPatch(writes, fmt.Sprintf("sent-%d", time.Now().UnixNano()))
		if err == nil {
			err = do(client, request)
		}
		if err != nil {
			failures++
			continue
		}
		writes++
	}
	return writes, failures
}

// currentVersion is the resource version to watch from.
func currentVersion(client *http.Client, o options) (string, error) {
	response, err := open(client, o, "?limit=1")
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	var list struct {
		Metadata struct {
			ResourceVersion string `json:"resourceVersion"`
		} `json:"metadata"`
	}
	err = json.NewDecoder(response.Body).Decode(&list)
	return list.Metadata.ResourceVersion, err
}

func open(client *http.Client, o options, query string) (*http.Response, error) {
	request, err := o.with("GET", o.collection()+query, "", "")
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
	if err == nil && response.StatusCode != 200 {
		response.Body.Close()
		err = fmt.Errorf("GET %s: %s", query, response.Status)
	}
	return response, err
}

func receive(response *http.Response, t *tally) {
	reader := bufio.NewReaderSize(response.Body, 1<<16)
	for {
		line, err := reader.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil {
			return
		}
		begin := bytes.Index(line, mark)
		if begin < 0 {
			continue
		}
		digits := line[begin+len(mark):]
		end := bytes.IndexByte(digits, '"')
		sent, err := strconv.ParseInt(string(digits[:max(end, 0)]), 10, 64)
		if err == nil {
			t.add(time.Since(time.Unix(0, sent)), nil)
		}
	}
}
