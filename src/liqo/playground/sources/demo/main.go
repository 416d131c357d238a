// Command demo is an HTTP server that says on which cluster, node and pod it runs.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// Place is where this server runs, as the pod's environment tells it (through the downward API).
type Place struct {
	Cluster   string `json:"cluster"`
	Node      string `json:"node"`
	Namespace string `json:"namespace"`
	Pod       string `json:"pod"`
	IP        string `json:"ip"`
}

func here() Place {
	hostname, _ := os.Hostname() // a pod's host name is its name
	return Place{
		Cluster:   environment("CLUSTER_NAME", "unknown"),
		Node:      environment("NODE_NAME", "unknown"),
		Namespace: environment("POD_NAMESPACE", "unknown"),
		Pod:       environment("POD_NAME", hostname),
		IP:        environment("POD_IP", "unknown"),
	}
}

func environment(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func (place Place) String() string {
	return fmt.Sprintf("Hello from pod %s/%s (%s) on node %s of cluster %s\n",
		place.Namespace, place.Pod, place.IP, place.Node, place.Cluster)
}

func (place Place) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	log.Printf("%s %s from %s", request.Method, request.URL.Path, request.RemoteAddr)
	if request.URL.Path == "/json" || strings.Contains(request.Header.Get("Accept"), "application/json") {
		response.Header().Set("Content-Type", "application/json")
		json.NewEncoder(response).Encode(place)
		return
	}
	fmt.Fprint(response, place)
}

func healthy(response http.ResponseWriter, _ *http.Request) { fmt.Fprintln(response, "ok") }

func main() {
	log.SetOutput(os.Stdout)
	place := here()
	routes := http.NewServeMux()
	routes.Handle("/", place)
	routes.HandleFunc("/healthz", healthy) // not logged: a probe asks every few seconds
	server := &http.Server{
		Addr:              ":" + environment("PORT", "8080"),
		Handler:           routes,
		ReadHeaderTimeout: 10 * time.Second,
	}
	asked, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	drained := make(chan struct{})
	go func() {
		<-asked.Done()
		deadline, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		server.Shutdown(deadline)
		close(drained)
	}()
	log.Printf("listening on %s as %s", server.Addr, strings.TrimSpace(place.String()))
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-drained // the requests in flight have their answers
}
