// A receiver of OTLP over HTTP that reads with the collector's own packages, and tells what it got: a JSON line in, a
// JSON line out.
package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"sync"

	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

type span struct {
	Name       string         `json:"name"`
	Trace      string         `json:"trace"`
	ID         string         `json:"id"`
	Parent     string         `json:"parent"`
	Attributes map[string]any `json:"attributes"`
}

// What was received so far, and what could not be read.
type seen struct {
	sync.Mutex
	Spans    []span   `json:"spans"`
	Metrics  []string `json:"metrics"`
	Services []string `json:"services"`
	Broken   []string `json:"broken"`
}

func (s *seen) traces(body []byte) error {
	request := ptraceotlp.NewExportRequest()
	if err := request.UnmarshalJSON(body); err != nil {
		return err
	}
	for _, resource := range request.Traces().ResourceSpans().All() {
		if service, ok := resource.Resource().Attributes().Get("service.name"); ok {
			s.Services = append(s.Services, service.Str())
		}
		for _, scope := range resource.ScopeSpans().All() {
			for _, one := range scope.Spans().All() {
				s.Spans = append(s.Spans, span{
					one.Name(), one.TraceID().String(), one.SpanID().String(), one.ParentSpanID().String(), one.Attributes().AsRaw(),
				})
			}
		}
	}
	return nil
}

func (s *seen) metrics(body []byte) error {
	request := pmetricotlp.NewExportRequest()
	if err := request.UnmarshalJSON(body); err != nil {
		return err
	}
	for _, resource := range request.Metrics().ResourceMetrics().All() {
		for _, scope := range resource.ScopeMetrics().All() {
			for _, one := range scope.Metrics().All() {
				s.Metrics = append(s.Metrics, one.Name())
			}
		}
	}
	return nil
}

func (s *seen) take(read func([]byte) error) http.HandlerFunc {
	return func(answer http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		s.Lock()
		defer s.Unlock()
		if err := read(body); err != nil {
			s.Broken = append(s.Broken, err.Error())
		}
		answer.Header().Set("Content-Type", "application/json")
		_, _ = answer.Write([]byte("{}"))
	}
}

func main() {
	got := &seen{}
	http.HandleFunc("POST /v1/traces", got.take(got.traces))
	http.HandleFunc("POST /v1/metrics", got.take(got.metrics))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() { _ = http.Serve(listener, nil) }()
	say := json.NewEncoder(os.Stdout)
	_ = say.Encode(map[string]any{"ready": true})
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var asked struct{ Flow string }
		_ = json.Unmarshal(lines.Bytes(), &asked)
		if asked.Flow == "address" {
			_ = say.Encode(map[string]any{"url": "http://" + listener.Addr().String()})
			continue
		}
		got.Lock()
		_ = say.Encode(got)
		got.Unlock()
	}
}
