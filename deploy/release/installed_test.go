//go:build released

package main

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// needRoot skips a test that enters another root.
func needRoot(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		t.Skip("NOT PROVEN: entering another root needs Linux and root")
	}
}

// place copies a program of this machine, and the libraries that it needs, to the same paths below root.
func place(t *testing.T, root string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := name
		if !filepath.IsAbs(path) {
			path = tool(t, name)
		}
		libraries, _ := exec.Command("ldd", path).Output() // fails for a static program
		files := []string{path}
		for word := range strings.FieldsSeq(string(libraries)) {
			if strings.HasPrefix(word, "/") {
				files = append(files, word)
			}
		}
		for _, f := range files {
			to := filepath.Join(root, f)
			content, err := os.ReadFile(f)
			if err := errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, content, 0o755)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// cleanRoot returns a root with a shell and what the package's scripts call, and no user but root.
func cleanRoot(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range []string{"bin", "sbin", "lib", "lib64"} {
		to := filepath.Join("usr", name)
		if err := errors.Join(os.MkdirAll(filepath.Join(root, to), 0o755), os.Symlink(to, filepath.Join(root, name))); err != nil {
			t.Fatal(err)
		}
	}
	place(t, root, "sh", "install", "getent", "useradd")
	for name, content := range map[string]string{
		"etc/passwd": "root:x:0:0:root:/root:/bin/sh\n", "etc/group": "root:x:0:\n", "etc/shadow": "root:*:1::::::\n", "etc/gshadow": "root:*::\n",
		"etc/nsswitch.conf": "passwd: files\ngroup: files\nshadow: files\n", "etc/login.defs": "", "dev/null": "",
		"var/lib/dpkg/status": "", "var/lib/dpkg/updates/.keep": "", "var/lib/dpkg/info/.keep": "", "var/log/.keep": "",
	} {
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	// useradd and getent read users through this library, which they load by its name.
	if nss, _ := filepath.Glob("/lib/*/libnss_files.so.2"); len(nss) > 0 {
		place(t, root, nss[0])
	}
	return root
}

// in returns a command in another root, as a user of it; 0 is root.
func in(root string, user uint32, name string, args ...string) *exec.Cmd {
	return &exec.Cmd{
		Path: name, Args: append([]string{name}, args...), Dir: "/", Env: []string{"PATH=/usr/bin:/bin:/usr/sbin:/sbin"},
		SysProcAttr: &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: user, Gid: user}},
	}
}

// later returns the package of one format for this machine under a later version.
func later(t *testing.T, format string) string {
	t.Helper()
	next, here := built, target{runtime.GOOS, runtime.GOARCH}
	next.version, next.work, next.out = "0.9.10", t.TempDir(), t.TempDir()
	for name, content := range contents(t, filepath.Join(built.out, built.stem(here)+".tar.gz")) {
		to := filepath.Join(next.work, "manual", name)
		switch name {
		case "livery":
			to = next.program(here)
		case "LICENSES.txt":
			to = filepath.Join(next.work, name)
		case notesName:
			to = filepath.Join(next.out, name)
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, content, 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(next.stage(), next.writePackage(here, format)); err != nil {
		t.Fatal(err)
	}
	return must(filepath.Glob(filepath.Join(next.out, "*."+format)))[0]
}

// installed is a package that was installed, and how its manager does what comes after.
type installed struct {
	root, version    string        // version: what of says after the upgrade
	completion, kept string        // the file for zsh, and where a removal leaves settings that were changed
	of               func() string // the version that the manager says
	upgrade, remove  func()
}

// check fails if program, units, user or folders of the package are missing, the origin does not start as that user,
// settings that were changed do not survive an upgrade and a removal, or a removal takes the data.
func (p installed) check(t *testing.T) {
	t.Helper()
	for name, mode := range map[string]os.FileMode{
		"usr/bin/livery": 0o755, "usr/lib/systemd/system/livery-origin.service": 0o644, "usr/lib/systemd/system/livery-edge.service": 0o644,
		"usr/lib/sysusers.d/livery.conf": 0o644, "usr/lib/tmpfiles.d/livery.conf": 0o644, "etc/livery": 0o750 | os.ModeDir, "etc/livery/origin.env": 0o640,
		"var/lib/livery": 0o700 | os.ModeDir, "usr/share/man/man1/livery.1": 0o644, "usr/share/bash-completion/completions/livery": 0o644,
		"usr/share/doc/livery/copyright": 0o644, p.completion: 0o644,
	} {
		if info, err := os.Stat(filepath.Join(p.root, name)); err != nil || info.Mode() != mode {
			t.Errorf("%s after the installation: %v, %v, want the mode %v", name, info, err, mode)
		}
	}
	unit := string(must(os.ReadFile(filepath.Join(p.root, "usr/lib/systemd/system/livery-origin.service"))))
	if !strings.Contains(unit, "ExecStart=/usr/bin/livery origin") || strings.Contains(unit, "/usr/local/") {
		t.Errorf("the packaged unit starts another program:\n%s", unit)
	}
	wantVersion(t, string(must(in(p.root, 0, "/usr/bin/livery", "version", "--json").Output())))
	user := must(os.Stat(filepath.Join(p.root, "var/lib/livery"))).Sys().(*syscall.Stat_t).Uid
	if user == 0 || !strings.Contains(string(must(os.ReadFile(filepath.Join(p.root, "etc/passwd")))), "livery:x:") {
		t.Errorf("the data belong to the user %d", user)
	}
	start(t, p.root, in(p.root, user, "/usr/bin/livery"), "/var/lib/livery")

	settings := filepath.Join(p.root, "etc/livery/origin.env")
	if err := os.WriteFile(settings, []byte("LIVERY_PUBLIC_URL=https://mine.example\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	p.upgrade()
	if got := p.of(); got != p.version {
		t.Errorf("the version after an upgrade is %s, want %s", got, p.version)
	}
	mine := func(file, when string) {
		if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "mine.example") {
			t.Errorf("the settings after %s = %s, %v", when, text, err)
		}
	}
	mine(settings, "an upgrade")
	start(t, p.root, in(p.root, user, "/usr/bin/livery"), "/var/lib/livery")
	p.remove()
	mine(filepath.Join(p.root, p.kept), "a removal")
	for _, name := range []string{"usr/bin/livery", "usr/share/doc/livery"} {
		if _, err := os.Stat(filepath.Join(p.root, name)); !os.IsNotExist(err) {
			t.Errorf("%s after a removal: %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(p.root, "var/lib/livery", "livery.marker")); err != nil {
		t.Errorf("the data after a removal: %v", err)
	}
}

// TestTheDebianPackageIsInstalled by dpkg in a clean root, upgraded, removed and purged.
func TestTheDebianPackageIsInstalled(t *testing.T) {
	needRoot(t)
	root, program := cleanRoot(t), tool(t, "dpkg")
	matches, err := filepath.Glob(filepath.Join(built.out, "*_"+runtime.GOARCH+".deb"))
	if err != nil || len(matches) != 1 {
		t.Fatal(matches, err)
	}
	dpkg := func(args ...string) { run(t, "", program, append([]string{"--root=" + root}, args...)...) }
	dpkg("--install", matches[0])
	installed{
		root: root, version: "0.9.10", completion: "usr/share/zsh/vendor-completions/_livery", kept: "etc/livery/origin.env",
		of: func() string {
			return run(t, "", tool(t, "dpkg-query"), "--admindir="+filepath.Join(root, "var/lib/dpkg"), "-f", "${Version}", "-W", "livery")
		},
		upgrade: func() { dpkg("--force-confold", "--install", later(t, "deb")) },
		remove:  func() { dpkg("--remove", "livery") },
	}.check(t)
	dpkg("--purge", "livery")
	if _, err := os.Stat(filepath.Join(root, "etc/livery/origin.env")); !os.IsNotExist(err) {
		t.Errorf("the settings after a purge: %v", err)
	}
	if _, err := os.Stat(filepath.Join(root, "var/lib/livery", "livery.marker")); err != nil {
		t.Errorf("the data after a purge: %v", err)
	}
}

// TestTheRedHatPackageIsInstalled by rpm in a clean root, verified, upgraded and erased.
func TestTheRedHatPackageIsInstalled(t *testing.T) {
	needRoot(t)
	root, program := cleanRoot(t), tool(t, "rpm")
	matches, err := filepath.Glob(filepath.Join(built.out, "*."+map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]+".rpm"))
	if err != nil || len(matches) != 1 {
		t.Fatal(matches, err)
	}
	rpm := func(args ...string) string {
		return run(t, "", program, append([]string{"--root=" + root, "--dbpath=/var/lib/rpm"}, args...)...)
	}
	rpm("--initdb")
	rpm("--install", matches[0])
	if said := rpm("--verify", "livery"); said != "" {
		t.Errorf("rpm finds other files than it installed: %s", said)
	}
	installed{
		root: root, version: "0.9.10-1", completion: "usr/share/zsh/site-functions/_livery", kept: "etc/livery/origin.env.rpmsave",
		of:      func() string { return rpm("--query", "--queryformat", "%{VERSION}-%{RELEASE}", "livery") },
		upgrade: func() { rpm("--upgrade", later(t, "rpm")) },
		remove:  func() { rpm("--erase", "livery") },
	}.check(t)
}

// TestTheFormulaInstallsThePrograms of every system that Homebrew runs on, from their archives and by its own words;
// that of this machine passes the test of the formula. Homebrew itself is not run.
func TestTheFormulaInstallsThePrograms(t *testing.T) {
	ruby := tool(t, "ruby")
	for _, on := range targets {
		if on.os == "windows" {
			continue
		}
		prefix, here := t.TempDir(), on.os == runtime.GOOS && on.arch == runtime.GOARCH
		args := []string{
			"testdata/brew.rb", filepath.Join(built.out, "livery.rb"), map[string]string{"darwin": "macos", "linux": "linux"}[on.os],
			map[string]string{"amd64": "intel", "arm64": "arm"}[on.arch], built.out, prefix,
		}
		if here {
			args = append(args, "test")
		}
		run(t, "", ruby, args...)
		wantMachine(t, on, must(os.ReadFile(filepath.Join(prefix, "bin", "livery"))))
		for name, want := range map[string]string{
			"share/man/man1/livery-push.1": ".TH", "etc/bash_completion.d/livery": "complete", "share/zsh/site-functions/_livery": "#compdef livery",
			"share/fish/vendor_completions.d/livery.fish": "complete -c livery",
		} {
			if text, err := os.ReadFile(filepath.Join(prefix, name)); err != nil || !strings.Contains(string(text), want) {
				t.Errorf("%v: %s has no %q, %v", on, name, want, err)
			}
		}
		if here {
			wantVersion(t, run(t, "", filepath.Join(prefix, "bin", "livery"), "version", "--json"))
		}
	}
}

// start starts an origin with its data in a folder of its root, waits until it is ready, ends it, and leaves a file
// beside its data.
func start(t *testing.T, root string, cmd *exec.Cmd, data string) {
	t.Helper()
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.Args = append(cmd.Args, "origin", "--data", data, "--listen", "127.0.0.1:0", "--feed-listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	file := filepath.Join(root, data, "origin.json")
	for deadline := time.Now().Add(time.Minute); !ready(file); time.Sleep(50 * time.Millisecond) {
		select {
		case err := <-ended:
			t.Fatalf("the origin ended: %v\n%s", err, said.String())
		default:
		}
		if time.Now().After(deadline) {
			_ = cmd.Process.Kill()
			<-ended
			t.Fatalf("the origin is not ready after a minute:\n%s", said.String())
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("the origin ended with %v\n%s", err, said.String())
	}
	if err := os.WriteFile(filepath.Join(root, data, "livery.marker"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// ready reports whether the server that wrote a file of addresses answers that it is.
func ready(file string) bool {
	var at struct{ OpsURL string }
	text, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(text, &at) != nil {
		return false
	}
	answer, err := http.Get(at.OpsURL + "/readyz")
	if err != nil {
		return false
	}
	_ = answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

// TestTheImageIsUnpackedAndStarted: the layout in the one file is valid, says what the Dockerfile says, and the image for
// this processor runs as its user.
func TestTheImageIsUnpackedAndStarted(t *testing.T) {
	dir := t.TempDir()
	run(t, dir, tool(t, "tar"), "-xf", filepath.Join(built.out, "livery_"+testVersion+"_image.tar"))
	outer := must(layout.ImageIndexFromPath(dir))
	index := must(outer.ImageIndex(must(outer.IndexManifest()).Manifests[0].Digest))
	if err := validate.Index(index); err != nil {
		t.Fatal(err)
	}
	manifests := must(index.IndexManifest()).Manifests
	at := slices.IndexFunc(manifests, func(d v1.Descriptor) bool { return d.Platform.Architecture == runtime.GOARCH })
	if len(manifests) != 2 || at < 0 {
		t.Fatalf("the image is of %+v", manifests)
	}
	image := must(index.Image(manifests[at].Digest))
	config := must(image.ConfigFile()).Config
	dockerfile := string(must(os.ReadFile(filepath.Join(built.root, "deploy", "Dockerfile"))))
	for _, want := range []string{
		"\nUSER " + config.User + "\n", "\nWORKDIR " + config.WorkingDir + "\n", "\nENV " + config.Env[0] + "\n", "\nENTRYPOINT [\"" + config.Entrypoint[0] + "\"]",
		"\nVOLUME /data\n", "\nEXPOSE 8080 8081 8082 8090 8092\n",
	} {
		if !strings.Contains(dockerfile, want) {
			t.Errorf("the Dockerfile does not say %q, as the image does", want)
		}
	}
	if len(config.ExposedPorts) != 5 || len(config.Volumes) != 1 {
		t.Errorf("the image is configured as %+v", config)
	}
	needRoot(t)
	root := unpacked(t, image)
	said, err := in(root, user, "/livery", "version", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	wantVersion(t, string(said))
	start(t, root, in(root, user, "/livery"), "/data")
}

// unpacked returns a folder with the files of an image, owned as they are there.
func unpacked(t *testing.T, image v1.Image) string {
	t.Helper()
	root := t.TempDir()
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	files := mutate.Extract(image)
	defer func() { _ = files.Close() }()
	for archive := tar.NewReader(files); ; {
		head, err := archive.Next()
		if err == io.EOF {
			return root
		}
		path := filepath.Join(root, must(head, err).Name)
		if head.Typeflag == tar.TypeDir {
			err = os.MkdirAll(path, 0o755)
		} else {
			err = os.WriteFile(path, must(io.ReadAll(archive)), 0o600)
		}
		if err := errors.Join(err, os.Lchown(path, head.Uid, head.Gid), os.Chmod(path, head.FileInfo().Mode().Perm())); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTheThemeIsInstalledFromItsPackage by npm, and is imported where there is no browser, as a server does.
func TestTheThemeIsInstalledFromItsPackage(t *testing.T) {
	npm, node, dir := tool(t, "npm"), tool(t, "node"), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"private":true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, dir, npm, "install", "--offline", "--no-audit", "--no-fund", filepath.Join(built.out, "livery-theme-"+testVersion+".tgz"))
	said := run(t, dir, node, "--input-type=module", "-e", `
		import { address, preload } from "@livery/theme";
		const parts = { base: "https://cdn.example.com/", env: "env_1", theme: "thm_2", variant: "var_3", modes: ["scheme", "contrast.more"] };
		console.log(address({ ...parts, version: 4, file: "tokens.json" }), preload({ href: 'https://a.example/?a="b"&c' }));`)
	want := `https://cdn.example.com/env_1/thm_2/var_3/4/tokens.json?modes=scheme,contrast.more ` +
		`<link rel="preload" as="fetch" crossorigin href="https://a.example/?a=&quot;b&quot;&amp;c">`
	if strings.TrimSpace(said) != want {
		t.Errorf("it prints %s, want %s", said, want)
	}
}

// TestTheRendererIsInstalledFromItsPackage by npm, and renders in Node.
func TestTheRendererIsInstalledFromItsPackage(t *testing.T) {
	npm, node, dir := tool(t, "npm"), tool(t, "node"), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"private":true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, dir, npm, "install", "--offline", "--no-audit", "--no-fund", filepath.Join(built.out, "livery-renderer-"+testVersion+".tgz"))
	readme := string(must(os.ReadFile(filepath.Join(dir, "node_modules", "@livery", "renderer", "README.md"))))
	var program strings.Builder
	for line := range strings.Lines(readme) {
		if code, indented := strings.CutPrefix(line, "    "); indented {
			program.WriteString(code)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "try.mjs"), []byte(program.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if said := run(t, dir, node, "try.mjs"); !strings.Contains(said, "--red: #ff0000;") {
		t.Errorf("the program of the README prints %s", said)
	}
	if packed := run(t, filepath.Join(dir, "node_modules", "@livery", "renderer"), npm, "pack", "--dry-run", "--json"); !strings.Contains(packed, `"renderer.wasm"`) {
		t.Errorf("npm pack takes %s", packed)
	}
}
