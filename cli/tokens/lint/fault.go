// Package lint prints the faults of token documents, with places and advice.
package lint

import "example.com/livery/client"

// Fault is one thing that the served files leave out.
type Fault struct {
	client.Diagnostic
	Location string `json:"where,omitempty"` // file and line; empty if it comes from no file
	Next     string `json:"next"`            // what to do
}
