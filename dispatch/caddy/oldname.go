package caddyqueue

import (
	"sync"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// The handler was called capped, after the process that its rule is from. That name is still read.

func init() {
	caddy.RegisterModule(oldHandler{})
	httpcaddyfile.RegisterHandlerDirective("capped", parseOldCaddyfile)
	httpcaddyfile.RegisterDirectiveOrder("capped", httpcaddyfile.Before, "reverse_proxy")
}

// parseOldCaddyfile makes the handler with its new name.
func parseOldCaddyfile(helper httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	warnOldName()
	return parseCaddyfile(helper)
}

// oldHandler is Handler in JSON with the old name.
type oldHandler struct{ Handler }

// CaddyModule returns the information about the module.
func (oldHandler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.capped", New: func() caddy.Module { return new(oldHandler) }}
}

// Provision is that of Handler.
func (h *oldHandler) Provision(ctx caddy.Context) error {
	warnOldName()
	return h.Handler.Provision(ctx)
}

// warnOldName logs a warning, once.
var warnOldName = sync.OnceFunc(logOldName)

func logOldName() {
	caddy.Log().Named("http.handlers.queue").Warn("the handler capped is called queue now, and its subdirective queue " +
		"is called max_queue: please change the configuration; the old names are still read")
}
