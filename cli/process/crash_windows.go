package process

// keepMemoryPrivate does nothing: Windows writes no memory of a process unless it was set up to.
func keepMemoryPrivate() {}
