package cmdline

import (
	"strings"

	"example.com/livery/storage/postgres"
)

// IsStoreURL reports whether what names a store is the address of a PostgreSQL, and no directory.
func IsStoreURL(s string) bool {
	return strings.HasPrefix(s, "postgres://") || strings.HasPrefix(s, "postgresql://")
}

// StoreName names a store without any password.
func StoreName(s string) string {
	if IsStoreURL(s) {
		return postgres.Redact(s)
	}
	return s
}
