package cmdline

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/livery/cli/term"
	"example.com/livery/origin/operator"
	"example.com/livery/storage/postgres"
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

// Settings lists the flags of a server by name, without those that only concern its printing.
func Settings(of *cobra.Command) (all []operator.Setting) {
	of.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" || f.Name == "json" {
			return
		}
		s := operator.Setting{Name: f.Name, Value: StoreName(f.Value.String()), Source: "default"}
		switch from := f.Annotations[SourceMark]; {
		case len(from) > 0:
			s.Source = from[0]
		case f.Changed:
			s.Source = "the command line"
		}
		all = append(all, s)
	})
	return all
}

// RefuseRepeats makes every flag that takes one value refuse a second one that differs, in cmd and in the commands
// below it. A flag that takes a list may be repeated.
func RefuseRepeats(cmd *cobra.Command) {
	eachFlag(cmd, func(f *pflag.Flag) {
		if _, isList := f.Value.(pflag.SliceValue); !isList {
			f.Value = &singleValue{Value: f.Value, flag: f.Name}
		}
	})
}

// singleValue is the value of a flag that takes one value.
type singleValue struct {
	pflag.Value
	flag  string
	given bool
	text  string // as it was given
}

// Set returns a *failure that names both values if the flag has another value already.
func (v *singleValue) Set(text string) error {
	if !v.given || text == v.text {
		v.given, v.text = true, text
		return v.Value.Set(text)
	}
	values := strconv.Quote(v.text) + " and " + strconv.Quote(text)
	if v.flag == "token" {
		values = "two tokens"
	}
	return term.UsageError("Give --"+v.flag+" once: it takes one value.", "--%s is given twice: %s", v.flag, values)
}
