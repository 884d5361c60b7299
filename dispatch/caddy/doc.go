// Package caddyqueue is a module of the web server Caddy: the handler queue, which is Caddy's
// reverse_proxy with at most c requests at a backend and all others in one queue, oldest first.
//
//	example.com {
//		queue {
//			to localhost:9001 localhost:9002 localhost:9003
//			capacity 2
//			max_queue 1000
//			max_wait 5s
//		}
//	}
//
// The queue, the choice of backends, their health and the metrics are those of package
// dispatchhttp. Connections, TLS, HTTP/2 and 3, WebSocket, streaming and the parsing of what
// clients and backends send are Caddy's.
//
// It is a Go module of its own, so that users of the other packages do not download Caddy.
// docs/guide/dispatch.md is the guide, and docs/decisions/0025-caddy-module.md says why it is built
// in this way.
//
// # Files
//
//   - handler.go: Handler, its configuration and ServeHTTP
//   - caddyfile.go: Handler in a Caddyfile
//   - oldname.go: Handler by the name capped
//   - attempt.go: one request: its slot, the choice of its backend, and what became of its attempts
//   - queue.go: the queues, which outlive a reload
//   - health.go: health checks, with the options of reverse_proxy
//   - upstream.go: the backends as reverse_proxy has them, so that Caddy knows which are ejected
//   - admin.go: the queues in the admin API
//   - cmd/caddy: Caddy with this module
package caddyqueue
