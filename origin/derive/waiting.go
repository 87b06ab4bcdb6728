package derive

// Waiting returns how many Themes wait for overlays that are compiled ahead.
func (d *Deriver) Waiting() int {
	d.queue.mu.Lock()
	defer d.queue.mu.Unlock()
	return len(d.queue.waiting)
}
