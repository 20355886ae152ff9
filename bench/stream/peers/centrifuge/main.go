// A server of the centrifuge library, with history and recovery on: what is posted to /publish goes to the channel "run".
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/centrifugal/centrifuge"
)

const channel = "run"

// Whoever connects is let in; event streams are subscribed by the server, as they cannot ask.
func asAnybody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		credentials := &centrifuge.Credentials{UserID: "bench"}
		next.ServeHTTP(w, r.WithContext(centrifuge.SetCredentials(r.Context(), credentials)))
	})
}

func main() {
	node, err := centrifuge.New(centrifuge.Config{})
	if err != nil {
		log.Fatal(err)
	}
	node.OnConnecting(func(_ context.Context, event centrifuge.ConnectEvent) (centrifuge.ConnectReply, error) {
		if event.Transport.Name() == "websocket" {
			return centrifuge.ConnectReply{}, nil
		}
		options := centrifuge.SubscribeOptions{EnableRecovery: true}
		return centrifuge.ConnectReply{Subscriptions: map[string]centrifuge.SubscribeOptions{channel: options}}, nil
	})
	node.OnConnect(func(client *centrifuge.Client) {
		client.OnSubscribe(func(_ centrifuge.SubscribeEvent, answer centrifuge.SubscribeCallback) {
			answer(centrifuge.SubscribeReply{Options: centrifuge.SubscribeOptions{EnableRecovery: true}}, nil)
		})
	})
	if err := node.Run(); err != nil {
		log.Fatal(err)
	}
	anyOrigin := func(*http.Request) bool { return true }
	http.Handle("/websocket", asAnybody(centrifuge.NewWebsocketHandler(node, centrifuge.WebsocketConfig{CheckOrigin: anyOrigin})))
	http.Handle("/sse", asAnybody(centrifuge.NewSSEHandler(node, centrifuge.SSEConfig{})))
	http.HandleFunc("/publish", func(w http.ResponseWriter, r *http.Request) {
		var events []json.RawMessage
		if err := json.NewDecoder(r.Body).Decode(&events); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		for _, event := range events {
			if _, err := node.Publish(channel, event, centrifuge.WithHistory(300, 5*time.Minute)); err != nil {
				log.Println(err)
			}
		}
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}
