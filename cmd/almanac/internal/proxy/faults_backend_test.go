package proxy

func beBackend(address string) {}
