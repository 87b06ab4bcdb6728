package cmdline

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"example.com/livery/cli/term"
)

// LongDuration reads a duration that may also be given in days, such as 400d.
func LongDuration(flag, text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n uint64
		n, err = strconv.ParseUint(days, 10, 16)
		d = time.Duration(n) * 24 * time.Hour
	}
	if err != nil || d < 0 {
		return 0, term.UsageError("Write 90m, 24h or 30d, for example.", "--%s %q is not a valid duration", flag, cmp.Or(text, "''"))
	}
	return d, nil
}
