package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/livery/cli/cmdline"
	"example.com/livery/origin/operator"
)

// flagsOf returns what the flags of a command are for one command line, without running it.
func flagsOf(t *testing.T, args ...string) (map[string]string, error) {
	t.Helper()
	a := testApp(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{})
	root := a.root()
	command, _, err := root.Find(args)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{}
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		cmd.Flags().VisitAll(func(f *pflag.Flag) { values[f.Name] = f.Value.String() })
		return nil
	}
	root.SetArgs(args)
	return values, root.Execute()
}

func TestAFlagWinsOverTheVariableOverTheFile(t *testing.T) {
	config := filepath.Join(t.TempDir(), "livery.yaml")
	text := "env: fromFile\ntheme: fromFile\nvariant: fromFile\nintegration: [react/mui, vue/vuetify]\ncreate: true\nlisten: 127.0.0.1:0\n"
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("LIVERY_CONFIG", config)
	t.Setenv("LIVERY_THEME", "fromVariable")
	t.Setenv("LIVERY_VARIANT", "fromVariable")
	got, err := flagsOf(t, "push", "f.json", "--variant", "fromFlag")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"env": "fromFile", "theme": "fromVariable", "variant": "fromFlag", "integration": "[react/mui,vue/vuetify]", "create": "true", "replace": "false",
	}
	for name, value := range want {
		if got[name] != value {
			t.Errorf("--%s is %q, want %q", name, got[name], value)
		}
	}
}

func TestANeededFlagMayComeFromAnywhere(t *testing.T) {
	if _, err := flagsOf(t, "publish"); err == nil || !strings.Contains(err.Error(), "--theme") {
		t.Errorf("publish without a Theme = %v, want a complaint about --theme", err)
	}
	t.Setenv("LIVERY_THEME", "acme")
	if _, err := flagsOf(t, "publish"); err != nil {
		t.Errorf("publish with LIVERY_THEME = %v", err)
	}
}

func TestConfigFilesAreStrict(t *testing.T) {
	cases := []struct{ rule, text, want string }{
		{"a member without a flag suggests the nearest", "them: x\n", "no flag is called --them"},
		{"broken YAML has its line", "env: a\n  theme: b\n", "c.yaml:2:3: "},
		{"a value that the flag cannot have", "create: perhaps\n", `"perhaps"`},
	}
	for _, c := range cases {
		config := filepath.Join(t.TempDir(), "c.yaml")
		if err := os.WriteFile(config, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := flagsOf(t, "push", "f", "--theme", "t", "--config", config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.rule, err, c.want)
		}
	}
}

// Settings name the value and the source of every flag. They hold no secret.
func TestSettings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "livery.yaml")
	if err := os.WriteFile(file, []byte("cdn-url: https://file.example\npublic-url: https://file.example\ndata: file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("LIVERY_CDN_URL", "https://variable.example")
	t.Setenv("LIVERY_DATA", "variable")
	root := testApp(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{}).root()
	command := commandAt(t, root, "origin")
	var got []operator.Setting
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		got = cmdline.Settings(cmd)
		return nil
	}
	root.SetArgs([]string{"origin", "--data", "flag", "--store", "postgres://livery:secret@db/livery", "--config", file})
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []operator.Setting{
		{Name: "data", Value: "flag", Source: "the command line"},
		{Name: "cdn-url", Value: "https://variable.example", Source: "the environment variable LIVERY_CDN_URL"},
		{Name: "public-url", Value: "https://file.example", Source: "the --config file"},
		{Name: "listen", Value: "127.0.0.1:8080", Source: "default"},
		{Name: "store", Value: "postgres://livery@db:5432/livery", Source: "the command line"},
	} {
		if !slices.Contains(got, want) {
			t.Errorf("the settings lack %+v: %+v", want, got)
		}
	}
}
