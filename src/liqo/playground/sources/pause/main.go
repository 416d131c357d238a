// Command pause holds a pod's namespaces: it sleeps, buries orphans, and leaves when asked to.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGCHLD)
	for received := range signals {
		if received != syscall.SIGCHLD {
			return
		}
		bury()
	}
}

// bury waits for every child that has ended: several deaths may arrive as one signal.
// Children appear where containers share the pod's process namespace and leave orphans.
func bury() {
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || pid <= 0 {
			return
		}
	}
}
