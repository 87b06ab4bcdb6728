package changeset

// Text returns a text, or "none" for nil.
func Text(s *string) string {
	if s == nil {
		return "none"
	}
	return *s
}
