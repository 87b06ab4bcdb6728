package cmdline

import (
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/livery/cli/term"
)

// RefuseRepeats makes every flag that takes one value refuse a second one that differs, in cmd and in the commands
// below it. A flag that takes a list may be repeated.
func RefuseRepeats(cmd *cobra.Command) {
	wrap := func(f *pflag.Flag) {
		if _, isList := f.Value.(pflag.SliceValue); !isList {
			f.Value = &singleValue{Value: f.Value, flag: f.Name}
		}
	}
	cmd.PersistentFlags().VisitAll(wrap)
	cmd.LocalNonPersistentFlags().VisitAll(wrap)
	for _, c := range cmd.Commands() {
		RefuseRepeats(c)
	}
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
