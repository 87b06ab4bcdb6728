package theming

// Claim is what a writer believes of a draft: the `etag` of the query and the If-Match header. The
// zero Claim says "there was no draft when I read".
type Claim struct {
	ETag    string  // of the draft that was seen; empty means none was seen
	IfMatch *string // the header's etag without its quotes; nil means no header, "*" any draft
}

// Check compares the claim with the etag of the draft that is there, empty if there is none. It
// returns a payload refusal if query and header name different drafts, a conflict if the
// query is stale, and a conflict with Precondition if the header is.
func (c Claim) Check(current string) error {
	if err := c.check(); err != nil {
		return err
	}
	if c.IfMatch != nil && !matches(*c.IfMatch, current) {
		return &Error{Cause: Conflict, Precondition: true}
	}
	if c.ETag != current && (c.ETag != "" || c.IfMatch == nil) {
		return refuse(Conflict)
	}
	return nil
}

// check finds the fault that the claim has on its own, before any state is looked at.
func (c Claim) check() error {
	if c.ETag != "" && c.IfMatch != nil && *c.IfMatch != "*" && *c.IfMatch != c.ETag {
		return refuse(Payload, "etag: the query names one draft and If-Match another; send one of them, or the same value twice")
	}
	return nil
}

// matches reports whether an If-Match value names the current draft; if there is none nothing does.
func matches(ifMatch, current string) bool {
	return current != "" && (ifMatch == "*" || ifMatch == current)
}
