package runs

import "time"

// maxRenderedBytes bounds the cache of renderings of a run.
const maxRenderedBytes = 1 << 20

// A Rendering is a rendered page or file.
type Rendering struct {
	Value      any
	Bytes      int       // estimate, including the key
	Version    int       // of the sample it shows
	FreshUntil time.Time // it is good enough until then, though the run has gone on
}

// Cached returns the rendering of a key, if it is current or still fresh.
func (l *live) Cached(key string) (any, bool) {
	l.sampling.Lock()
	defer l.sampling.Unlock()
	l.sampleLocked()
	d, ok := l.renderings[key]
	if !ok || d.Version != l.version && (l.final || !time.Now().Before(d.FreshUntil)) {
		return nil, false
	}
	return d.Value, true
}

// Store adds a rendering to the cache.
func (l *live) Store(key string, d Rendering) {
	l.sampling.Lock()
	defer l.sampling.Unlock()
	if d.Bytes += len(key); d.Bytes > maxRenderedBytes {
		return
	}
	l.renderedBytes -= l.renderings[key].Bytes
	delete(l.renderings, key)
	// nothing is known about future requests, so all are dropped
	if l.renderings == nil || l.renderedBytes+d.Bytes > maxRenderedBytes {
		l.renderings, l.renderedBytes = map[string]Rendering{}, 0
	}
	l.renderings[key] = d
	l.renderedBytes += d.Bytes
}

// CacheSize returns the number of cached renderings and their bytes.
func (l *live) CacheSize() (n, bytes int) {
	l.sampling.Lock()
	defer l.sampling.Unlock()
	return len(l.renderings), l.renderedBytes
}
