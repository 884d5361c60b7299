package page

import "sync"

// A shelf keeps the last few things that were made, for those who ask for the same again: the figures of a page come one by one.
type shelf struct {
	mu   sync.Mutex
	keys []string // the last one that was asked for at the end
	kept map[string]View
}

// mostShelved is how many are kept.
const mostShelved = 6

// get is what goes by a key, or else what make makes.
func (s *shelf) get(key string, make func() (View, error)) (View, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v, ok := s.kept[key]; ok {
		s.used(key)
		return v, nil
	}
	v, err := make()
	if err != nil {
		return v, err
	}
	if s.kept == nil {
		s.kept = map[string]View{}
	}
	s.kept[key] = v
	s.used(key)
	if len(s.keys) > mostShelved {
		delete(s.kept, s.keys[0])
		s.keys = s.keys[1:]
	}
	return v, nil
}

// used puts a key at the end.
func (s *shelf) used(key string) {
	for i, k := range s.keys {
		if k == key {
			s.keys = append(s.keys[:i:i], s.keys[i+1:]...)
			break
		}
	}
	s.keys = append(s.keys, key)
}
