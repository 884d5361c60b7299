package runs

import "time"

// maxRenderedBytes is how many bytes of pictures are kept of a run.
const maxRenderedBytes = 1 << 20

// A Rendering is something that was drawn.
type Rendering struct {
	Value      any
	Bytes      int       // in bytes, about, with its key
	Version    int       // of which look at the work it is
	FreshUntil time.Time // until when it is good enough for work that has gone on since
}

// Cached is what was drawn by a key already, if it still shows what there is to see.
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

// Store keeps what was drawn of a look.
func (l *live) Store(key string, d Rendering) {
	l.sampling.Lock()
	defer l.sampling.Unlock()
	if d.Bytes += len(key); d.Bytes > maxRenderedBytes {
		return
	}
	l.renderedBytes -= l.renderings[key].Bytes
	delete(l.renderings, key)
	if l.renderings == nil || l.renderedBytes+d.Bytes > maxRenderedBytes { // it begins anew, since nobody knows which will be wanted again
		l.renderings, l.renderedBytes = map[string]Rendering{}, 0
	}
	l.renderings[key] = d
	l.renderedBytes += d.Bytes
}

// CacheSize returns how many renderings are cached, and how many bytes they take.
func (l *live) CacheSize() (n, bytes int) {
	l.sampling.Lock()
	defer l.sampling.Unlock()
	return len(l.renderings), l.renderedBytes
}
