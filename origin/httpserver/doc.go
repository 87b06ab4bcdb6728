// Package httpserver runs the origin's HTTP servers: it bounds their connections, refuses ambiguous requests, calls a
// handler as soon as the head of a request is read, and reads the body within a budget of memory if the handler asks for
// it. Its own refusals have the error shape of the public API.
package httpserver
