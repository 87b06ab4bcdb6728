// Package lint prints the faults of token documents, with places and advice.
package lint

import "example.com/livery/client"

// Fault is one thing that the served files leave out.
type Fault struct {
	client.Diagnostic
	Location string `json:"where,omitempty"` // file and line; empty if it comes from no file
	Value    string `json:"value,omitempty"` // the value that does not fit, as JSON and cut short; empty if the message is not about one
	Next     string `json:"next"`            // what to do
}
