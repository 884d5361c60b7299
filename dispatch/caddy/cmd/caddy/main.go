// Command caddy is Caddy with its standard modules and the handler queue.
package main

import (
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	_ "github.com/caddyserver/caddy/v2/modules/standard"

	_ "github.com/almanac-sim/almanac/dispatch/caddy"
)

func main() { caddycmd.Main() }
