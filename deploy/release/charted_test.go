//go:build released

package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/sassoftware/go-rpmutils"
	"go.yaml.in/yaml/v3"
)

// helmVersion and validateVersion pin what is run from the module proxy.
const (
	helmVersion     = "helm.sh/helm/v3/cmd/helm@v3.22.0"
	validateVersion = "sigs.k8s.io/kubectl-validate@v0.0.4"
)

// objects returns the objects of a YAML text by kind and name.
func objects(t *testing.T, text string) map[string]any {
	t.Helper()
	all := map[string]any{}
	for decoder := yaml.NewDecoder(strings.NewReader(text)); ; {
		var o map[string]any
		if err := decoder.Decode(&o); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all[o["kind"].(string)+" "+o["metadata"].(map[string]any)["name"].(string)] = o
	}
}

// TestTheChartMakesWhatTheManifestsSay: the packed chart passes helm lint, its objects are those of
// deploy/kubernetes/livery.yaml, which pass the schemas of Kubernetes, and without the addresses it is refused.
func TestTheChartMakesWhatTheManifestsSay(t *testing.T) {
	bin := t.TempDir()
	install := exec.Command("go", "install", helmVersion)
	install.Env = append(os.Environ(), "GOBIN="+bin, "GOFLAGS=-trimpath")
	if said, err := install.CombinedOutput(); err != nil {
		t.Skipf("NOT PROVEN: helm could not be built: %s", said)
	}
	helm, chart := filepath.Join(bin, "helm"), filepath.Join(built.out, "livery-"+testVersion+".tgz")
	addresses := "publicURL=https://livery.example.com,cdnURL=https://cdn.example.com"
	run(t, "", helm, "lint", "--strict", chart, "--set", addresses)
	rendered := run(t, "", helm, "template", "livery", chart, "--kube-version", "1.29.0", "--set", addresses)
	if !strings.Contains(rendered, "image: livery:"+testVersion+"\n") {
		t.Errorf("the chart does not start the image of its version:\n%s", rendered)
	}
	got := objects(t, strings.ReplaceAll(strings.ReplaceAll(rendered, "livery:"+testVersion, "livery:latest"), "          imagePullPolicy: IfNotPresent\n", ""))
	want := objects(t, string(must(os.ReadFile(filepath.Join(built.root, "deploy", "kubernetes", "livery.yaml")))))
	if len(got) != len(want) {
		t.Errorf("the chart makes %d objects, the manifests are %d", len(got), len(want))
	}
	for name := range want {
		if !reflect.DeepEqual(got[name], want[name]) {
			t.Errorf("the chart makes %s\n%v, the manifests say\n%v", name, got[name], want[name])
		}
	}
	if said, err := exec.Command(helm, "template", "livery", chart, "--kube-version", "1.29.0").CombinedOutput(); err == nil || !strings.Contains(string(said), "publicURL is the address of the API") {
		t.Errorf("a chart without addresses: %v: %s", err, said)
	}
	manifests := filepath.Join(t.TempDir(), "rendered.yaml")
	if err := os.WriteFile(manifests, []byte(rendered), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "", "go", "run", validateVersion, manifests, "--version", "1.29")
}

// TestTheRedHatPackageIsUnpacked: its files are those of the package for Debian, and its scripts are in it, also where no rpm
// installs it.
func TestTheRedHatPackageIsUnpacked(t *testing.T) {
	f, err := os.Open(must(filepath.Glob(filepath.Join(built.out, "*.x86_64.rpm")))[0])
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	rpm := must(rpmutils.ReadRpm(f))
	dir := t.TempDir()
	if err := rpm.ExpandPayload(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"usr/bin/livery", "usr/lib/systemd/system/livery-origin.service", "usr/lib/systemd/system/livery-edge.service", "usr/lib/sysusers.d/livery.conf",
		"etc/livery/origin.env", "usr/share/man/man1/livery.1", "usr/share/zsh/site-functions/_livery",
	} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	wantMachine(t, target{"linux", "amd64"}, must(os.ReadFile(filepath.Join(dir, "usr/bin/livery"))))
	for _, tag := range []int{rpmutils.POSTIN, rpmutils.PREUN, rpmutils.POSTUN} {
		if script, err := rpm.Header.GetString(tag); err != nil || !strings.HasPrefix(script, "#!/bin/sh\n") {
			t.Errorf("the script %d = %q, %v", tag, script, err)
		}
	}
	if host, err := rpm.Header.GetString(rpmutils.BUILDHOST); err != nil || host != "localhost" {
		t.Errorf("the package names the machine %q that built it, %v", host, err)
	}
}
