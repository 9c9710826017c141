package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

const mergePatch = "application/merge-patch+json"

// collection is the path of all objects of the kind.
func (o options) collection() string {
	return fmt.Sprintf("%s/api/v1/namespaces/%s/%s", o.server, o.namespace, o.kind)
}

// request makes the request with this number.
func (o options) request(number int) (*http.Request, error) {
	switch o.work {
	case "create":
		return o.with("POST", o.collection(), o.object(number), "application/json")
	case "get":
		name := fmt.Sprintf("/%s-%d", o.prefix, number%o.count)
		return o.with("GET", o.collection()+name, "", "")
	case "list":
		return o.with("GET", o.collection(), "", "")
	default:
		return o.statusPatch(number, fmt.Sprint(number))
	}
}

// statusPatch changes the message of one pod's status.
func (o options) statusPatch(number int, message string) (*http.Request, error) {
	name := fmt.Sprintf("/%s-%d/status", o.prefix, number%o.count)
	body := fmt.Sprintf(`{"status":{"phase":"Running","message":"%s"}}`, message)
	return o.with("PATCH", o.collection()+name, body, mergePatch)
}

func (o options) with(method, url, body, contentType string) (*http.Request, error) {
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+o.token)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "load/1")
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	return request, nil
}

// object is a pod or a config map, filled up to the wanted size.
func (o options) object(number int) string {
	name := fmt.Sprintf("%s-%d", o.prefix, number)
	if o.kind == "configmaps" {
		head := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"` + name + `"},"data":{"fill":"`
		return head + filling(o.size-len(head)-3) + `"}}`
	}
	head := `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"` + name + `","labels":{"app":"load","shard":"` +
		fmt.Sprint(number%100) + `"},"annotations":{"load.example.com/fill":"`
	tail := `"}},"spec":{"automountServiceAccountToken":false,"restartPolicy":"Never","containers":[{"name":"main",` +
		`"image":"registry.example.com/team/trainer:1.2.3","args":["--steps","1000"],"env":[{"name":"RANK","value":"0"},` +
		`{"name":"WORLD_SIZE","value":"8"}],"resources":{"requests":{"cpu":"1","memory":"1Gi"},"limits":{"cpu":"1","memory":"1Gi"}}}]}}`
	return head + filling(o.size-len(head)-len(tail)) + tail
}

func filling(length int) string {
	if length <= 0 {
		return ""
	}
	return strings.Repeat("x", length)
}

// do sends a request, reads the answer to its end and reports anything but success.
func do(client *http.Client, request *http.Request) error {
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode < 300 {
		_, err = io.Copy(io.Discard, response.Body)
		return err
	}
	text, _ := io.ReadAll(io.LimitReader(response.Body, 500))
	return fmt.Errorf("%s %s: %d %s", request.Method, request.URL.Path, response.StatusCode, text)
}
