// Package cmdline checks command lines and gives flags their values from variables and the configuration file.
package cmdline

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/livery/cli/term"
	"example.com/livery/internal/yamlfile"
)

// DefaultData is the data directory of livery dev.
const DefaultData = ".livery"

// VersionFlag is the flag of the program itself that prints which build it is.
const VersionFlag = "version"

// Variable returns the environment variable of a flag.
func Variable(flag string) string {
	return "LIVERY_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// hasVariable reports whether a flag can be given otherwise than on the command line. Those that print something else
// than the command does cannot: LIVERY_VERSION is the N of livery pull, and often that of an image.
func hasVariable(f *pflag.Flag) bool {
	return f.Name != "help" && (f.Name != VersionFlag || f.Value.Type() != "bool")
}

// eachFlag calls visit with the flags of cmd and of the commands below it.
func eachFlag(cmd *cobra.Command, visit func(*pflag.Flag)) {
	cmd.PersistentFlags().VisitAll(visit)
	cmd.LocalNonPersistentFlags().VisitAll(visit)
	for _, c := range cmd.Commands() {
		eachFlag(c, visit)
	}
}

// NameVariables ends the help of every flag with its environment variable.
func NameVariables(cmd *cobra.Command) {
	eachFlag(cmd, func(f *pflag.Flag) {
		if hasVariable(f) && !strings.Contains(f.Usage, "[$") {
			f.Usage += " [$" + Variable(f.Name) + "]"
		}
	})
}

// argumentsOnly marks a context whose command takes every setting from its arguments.
type argumentsOnly struct{}

// WithArgumentsOnly returns a context in which ApplySettings reads neither environment variables nor a --config file.
func WithArgumentsOnly(ctx context.Context) context.Context {
	return context.WithValue(ctx, argumentsOnly{}, true)
}

// ApplySettings gives every flag that was not on the command line the value of its environment variable, or else of its member
// in the --config file, and checks that the needed ones are there. It refuses a default data directory that holds symbolic
// links.
func ApplySettings(cmd *cobra.Command) error {
	if cmd.Context() != nil && cmd.Context().Value(argumentsOnly{}) != nil {
		return missingFlags(cmd)
	}
	config, err := readConfig(cmd)
	if err != nil {
		return err
	}
	var faults []error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if err := settleFlag(cmd.Flags(), f, config); err != nil {
			faults = append(faults, err)
		}
	})
	if len(faults) > 0 {
		return faults[0]
	}
	if data := cmd.Flags().Lookup("data"); data != nil {
		if err := refuseLinks(data.Value.String()); err != nil {
			return err
		}
	}
	return missingFlags(cmd)
}

func settleFlag(flags *pflag.FlagSet, f *pflag.Flag, config map[string]yamlfile.Texts) error {
	if f.Changed || !hasVariable(f) {
		return nil
	}
	if text, ok := os.LookupEnv(Variable(f.Name)); ok && text != "" {
		return set(flags, f, "the environment variable "+Variable(f.Name), text)
	}
	for _, text := range config[f.Name] {
		if err := set(flags, f, "the --config file", text); err != nil {
			return err
		}
	}
	return nil
}

func set(flags *pflag.FlagSet, f *pflag.Flag, where, text string) error {
	if err := flags.Set(f.Name, text); err != nil {
		if said, ok := errors.AsType[*term.Failure](err); ok {
			said.Sentence = where + ": " + said.Sentence
			return said
		}
		return term.UsageError(takes(f), "%s sets --%s to %q, which is not a valid value", where, f.Name, text)
	}
	if f.Annotations == nil {
		f.Annotations = map[string][]string{}
	}
	f.Annotations[SourceMark] = []string{where}
	return nil
}

// SourceMark names the source of the value of a flag that was not on the command line.
const SourceMark = "livery_source"

func readConfig(cmd *cobra.Command) (map[string]yamlfile.Texts, error) {
	path, err := cmd.Flags().GetString("config")
	if path == "" && err == nil {
		path, err = PathVariable(Variable("config"))
	}
	if err != nil || path == "" {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, term.Fail("Name a file that can be read, or leave --config out.", "the --config file cannot be read: %v", err)
	}
	config := map[string]yamlfile.Texts{}
	if err := yamlfile.Decode(path, data, &config); err != nil {
		return nil, err
	}
	return config, unknownMembers(cmd, path, config)
}

// PathVariable returns the absolute path in an environment variable, or nothing if the variable is not set. It refuses a relative
// path: a variable stays set while the user changes directories, and each of these could hold such a file.
func PathVariable(name string) (string, error) {
	path := os.Getenv(name)
	if path == "" || filepath.IsAbs(path) {
		return path, nil
	}
	return "", term.UsageError("Write its whole path.", "%s=%s is a relative path", name, path)
}

// unknownMembers refuses a config file with a member that no command of the program has a flag
// for. A member of another command is fine: one file serves all.
func unknownMembers(cmd *cobra.Command, path string, config map[string]yamlfile.Texts) error {
	known := map[string]bool{}
	eachFlag(cmd.Root(), func(f *pflag.Flag) { known[f.Name] = true })
	for name := range config {
		if known[name] {
			continue
		}
		next := "Its members are named like the flags, without the dashes."
		if near := term.Nearest(name, term.Keys(known)); near != "" {
			next = "Did you mean " + near + "?"
		}
		return term.Fail(next, "%s has a member %q, but no flag is called --%s", path, name, name)
	}
	return nil
}

const neededMark = "livery_needed"

// Require marks a flag that a command cannot do without, wherever its value comes from.
func Require(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		f := cmd.Flag(name)
		f.Usage += " (required)"
		if f.Annotations == nil {
			f.Annotations = map[string][]string{}
		}
		f.Annotations[neededMark] = []string{"true"}
	}
}

// missingFlags returns the fault of a command line that lacks flags that are needed, or nil.
func missingFlags(cmd *cobra.Command) error {
	var missing []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Annotations[neededMark] != nil && !f.Changed {
			missing = append(missing, "--"+f.Name)
		}
	})
	if len(missing) == 0 {
		return nil
	}
	return term.UsageError("See "+cmd.CommandPath()+" --help.", "%s needs %s", cmd.CommandPath(), strings.Join(missing, " and "))
}

// refuseLinks returns a failure if dir is the default data directory and it, or anything in it, is a symbolic link: a command
// must not open or write what a checkout links to.
func refuseLinks(dir string) error {
	if filepath.Clean(dir) != DefaultData {
		return nil
	}
	return filepath.WalkDir(DefaultData, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be listed cannot be followed
		}
		if entry.Type()&fs.ModeSymlink != 0 {
			return term.Fail("Remove it, or name the directory that it leads to with --data.", "%s is a symbolic link, and links are not followed in the default data directory", path)
		}
		return nil
	})
}
