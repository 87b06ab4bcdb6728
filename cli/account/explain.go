package account

import (
	"errors"
	"fmt"

	"example.com/livery/cli/term"
	"example.com/livery/client"
)

// NoteGrant remembers the Environment that a command works on: its role explains a refusal.
func (a *Session) NoteGrant(env client.Environment) { a.granted = env }

// explainRole says which role a refusal met, if the command had looked up its Environment.
func (a *Session) explainRole(f *term.Failure) *term.Failure {
	if !errors.Is(f.Cause, client.ErrForbidden) || a.granted.Slug == "" {
		return f
	}
	said := *f
	said.Sentence = fmt.Sprintf("the role %s on Environment %s does not allow this", a.granted.Role, a.granted.Slug)
	return &said
}
