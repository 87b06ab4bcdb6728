// Package share divides what an origin has, among Teams first and then among the callers of each Team, so that no Team can
// take what the others need. A Budget is for what is refused when it runs out, such as memory; Turns are for what can wait,
// such as processor time.
package share

// Caller is whom a request counts for. The zero Caller is nobody in particular.
type Caller struct{ Team, Subject string }
