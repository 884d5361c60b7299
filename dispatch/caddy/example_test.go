package caddyqueue_test

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	caddyqueue "github.com/almanac-sim/almanac/dispatch/caddy"
)

// A block of a Caddyfile, and the same as JSON.
func ExampleHandler() {
	const block = `queue localhost:9001 localhost:9002 {
		capacity 2
		max_wait 5s
		header_up Host example.com
	}`
	var h caddyqueue.Handler
	if err := h.UnmarshalCaddyfile(caddyfile.NewTestDispenser(block)); err != nil {
		fmt.Println(err)
		return
	}
	text, err := json.Marshal(h)
	if err != nil {
		fmt.Println(err)
		return
	}
	var indented bytes.Buffer
	json.Indent(&indented, text, "", "  ")
	fmt.Println(&indented)
	// Output:
	// {
	//   "capacity": 2,
	//   "max_wait": "5s",
	//   "reverse_proxy": {
	//     "upstreams": [
	//       {
	//         "dial": "localhost:9001"
	//       },
	//       {
	//         "dial": "localhost:9002"
	//       }
	//     ],
	//     "headers": {
	//       "request": {
	//         "set": {
	//           "Host": [
	//             "example.com"
	//           ]
	//         }
	//       }
	//     }
	//   }
	// }
}
