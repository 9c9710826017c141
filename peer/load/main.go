// Command load drives one API server over HTTPS and prints what it measured as one JSON object.
//
// It is the load generator of `make bench-apiserver`: the same program, written against neither
// server, for kube-apiserver and for Argosy. It shares the cores with the server, so it does as
// little as it can: bodies are built by byte replacement, answers are read and dropped, and every
// connection is one goroutine with HTTP/1.1 keep-alive.
//
// Work: create, get, status (merge patch of pods/status), list, watch (one writer, many watchers).
package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"time"
)

// options say where to send what, how often and from how many connections.
type options struct {
	server, caFile, token, namespace   string
	work, kind, prefix                 string
	connections, watchers, size, count int
	seconds                            float64
}

// result is what the benchmark reads.
type result struct {
	Operations int     `json:"operations"`
	Errors     int     `json:"errors"`
	FirstError string  `json:"first_error,omitempty"`
	Seconds    float64 `json:"seconds"`
	P50Millis  float64 `json:"p50_ms"`
	P99Millis  float64 `json:"p99_ms"`
	Delivered  int     `json:"delivered,omitempty"`
}

func main() {
	var o options
	flag.StringVar(&o.server, "server", "", "URL of the API server")
	flag.StringVar(&o.caFile, "ca", "", "file with its certificate authority")
	flag.StringVar(&o.token, "token", "", "bearer token")
	flag.StringVar(&o.namespace, "namespace", "bench", "namespace of all objects")
	flag.StringVar(&o.work, "work", "create", "create, get, status, list or watch")
	flag.StringVar(&o.kind, "kind", "pods", "pods or configmaps")
	flag.StringVar(&o.prefix, "prefix", "x", "names are PREFIX-NUMBER")
	flag.IntVar(&o.connections, "connections", 16, "concurrent connections")
	flag.IntVar(&o.watchers, "watchers", 50, "watching connections")
	flag.IntVar(&o.size, "size", 2048, "bytes of an object's JSON")
	flag.IntVar(&o.count, "count", 0, "objects: how many to create, or how many exist")
	flag.Float64Var(&o.seconds, "seconds", 5, "how long to run; 0: until count is reached")
	flag.Parse()
	client, err := newClient(o)
	if err != nil {
		fail(err)
	}
	outcome, err := run(client, o)
	if err != nil {
		fail(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(outcome); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "load:", err)
	os.Exit(1)
}

func newClient(o options) (*http.Client, error) {
	pem, err := os.ReadFile(o.caFile)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("no certificate in %s", o.caFile)
	}
	idle := o.connections + o.watchers + 1
	transport := &http.Transport{
		TLSClientConfig:     &tls.Config{RootCAs: roots},
		TLSNextProto:        map[string]func(string, *tls.Conn) http.RoundTripper{}, // HTTP/1.1
		MaxIdleConns:        idle,
		MaxIdleConnsPerHost: idle,
		DisableCompression:  true,
		IdleConnTimeout:     time.Minute,
	}
	return &http.Client{Transport: transport}, nil
}

func run(client *http.Client, o options) (result, error) {
	switch o.work {
	case "create", "get", "status", "list":
		return hammer(client, o), nil
	case "watch":
		return fanOut(client, o)
	}
	return result{}, fmt.Errorf("unknown work %q", o.work)
}
