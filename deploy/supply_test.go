package deploy_test

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestImagesCanBePinned: every image that these files start from is a variable with its tag as the default, so that a
// digest can stand in its place, and the guide says how to give each.
func TestImagesCanBePinned(t *testing.T) {
	guide := read(t, "../docs/operating.md")
	dockerfile := read(t, "Dockerfile")
	var variables []string
	for _, from := range regexp.MustCompile(`(?m)^FROM (?:--platform=\S+ )?(\S+)`).FindAllStringSubmatch(dockerfile, -1) {
		name := strings.TrimSuffix(strings.TrimPrefix(from[1], "${"), "}")
		switch {
		case from[1] == "scratch":
		case name == from[1] || !strings.Contains(dockerfile, "\nARG "+name+"="):
			t.Errorf("the Dockerfile builds from %s, which is not a variable", from[1])
		default:
			variables = append(variables, name)
		}
	}
	compose := documents(t, "compose.yaml")[0]["services"].(map[string]any)
	for service, at := range compose {
		image, _ := at.(map[string]any)["image"].(string)
		found := regexp.MustCompile(`^\$\{([A-Z_]+):-[^}]+\}$`).FindStringSubmatch(image)
		if found == nil {
			t.Errorf("compose.yaml: the image of %s is %s, which is not a variable", service, image)
			continue
		}
		variables = append(variables, found[1])
	}
	if image := documents(t, "action/gitlab.example.yml")[0][".livery"].(map[string]any)["image"]; image != "$LIVERY_CI_IMAGE" {
		t.Errorf("the snippet for GitLab runs in %s, which is not a variable", image)
	}
	if len(variables) != 6 { // the compiler's, and those of five services
		t.Errorf("the variables are %q", variables)
	}
	for _, name := range variables {
		if !strings.Contains(guide, name) {
			t.Errorf("docs/operating.md does not say how to give %s", name)
		}
	}
}

// TestSecretsAreMadeFirstAndNotCommitted: the file's own steps work in their order, and git ignores what they make.
func TestSecretsAreMadeFirstAndNotCommitted(t *testing.T) {
	text := read(t, "compose.yaml")
	up := strings.Index(text, "docker compose -f")
	for secret, at := range documents(t, "compose.yaml")[0]["secrets"].(map[string]any) {
		file := strings.TrimPrefix(at.(map[string]any)["file"].(string), "./")
		made := strings.Index(text, "> deploy/"+file+"\n")
		if made < 0 || made > up {
			t.Errorf("compose.yaml: nothing before docker compose makes the secret %s", secret)
		}
		if folder := "/deploy/" + filepath.Dir(file) + "/\n"; !strings.Contains(read(t, "../.gitignore"), folder) {
			t.Errorf(".gitignore does not name %s", folder)
		}
	}
}

// TestNginxCanBeTried: the commands at the head of nginx/livery.conf make the certificates that it names, and nginx
// takes the file with them.
func TestNginxCanBeTried(t *testing.T) {
	program := tool(t, "nginx")
	tool(t, "openssl")
	p := &proxy{t: t, address: freeAddress(t), dir: t.TempDir()}
	text := strings.NewReplacer("/etc/livery/tls", filepath.Join(p.dir, "tls"), "/var/cache/nginx/livery", filepath.Join(p.dir, "cache"),
		"/var/log/nginx/livery.log", filepath.Join(p.dir, "access.log"), "listen 443 ", "listen "+p.address+" ").Replace(read(t, "nginx/livery.conf"))
	head, _, _ := strings.Cut(text, "#   nginx -t\n")
	commands := regexp.MustCompile(`(?m)^#   (.*)$`).FindAllStringSubmatch(head, -1)
	if len(commands) != 2 {
		t.Fatalf("the head of nginx/livery.conf has the commands %q", commands)
	}
	for _, command := range commands {
		if out, err := exec.Command("sh", "-ec", command[1]).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", command[1], err, out)
		}
	}
	for name, content := range map[string]string{"livery.conf": text, "nginx.conf": p.frame()} {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command(program, "-t", "-c", filepath.Join(p.dir, "nginx.conf"), "-p", p.dir, "-e", "stderr").CombinedOutput()
	if err != nil {
		t.Errorf("nginx -t: %v: %s", err, out)
	}
}

// makeIn runs a target of the Makefile without making the renderer module anew, and returns what it prints.
func makeIn(t *testing.T, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(tool(t, "make"), append([]string{"--no-print-directory", "-o", "wasm/module/renderer.wasm.gz"}, args...)...)
	cmd.Dir = ".."
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestAnOldToolchainIsNoticedOffline: make toolchain fails if go.mod asks for a newer Go than this machine has.
func TestAnOldToolchainIsNoticedOffline(t *testing.T) {
	for _, c := range []struct {
		rule, module string
		fails        bool
	}{
		{"the toolchain line counts", "go 1.26.0\ntoolchain go1.999.1\n", true},
		{"an older one is enough", "go 1.20\ntoolchain go1.20.1\n", false},
		{"numbers are compared as numbers", "go 1.9\n", false},
		{"without a toolchain line the go line counts", "go 1.999\n", true},
	} {
		file := filepath.Join(t.TempDir(), "go.mod")
		if err := os.WriteFile(file, []byte("module m\n\n"+c.module), 0o600); err != nil {
			t.Fatal(err)
		}
		said, err := makeIn(t, "toolchain", "MODFILE="+file)
		if (err != nil) != c.fails || c.fails != strings.Contains(said, "install it, or set GOTOOLCHAIN=auto") {
			t.Errorf("%s: make toolchain says %q, %v", c.rule, said, err)
		}
	}
}

// TestVuln_Long: make suite NAME=vuln fails and says so if it reads no database, and does not if it reads one.
func TestVuln_Long(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles govulncheck: make check runs it")
	}
	out, err := exec.Command("go", "tool", "-modfile=tools.mod", "govulncheck", "-h").CombinedOutput()
	if err != nil && !strings.Contains(string(out), "Usage") {
		t.Skipf("SKIPPED: govulncheck is not on this machine, and there is no module proxy to get it from: %s", out)
	}
	empty, module := t.TempDir(), filepath.Join(t.TempDir(), "go.mod")
	if err := os.WriteFile(module, []byte("go 1.20\n"), 0o600); err != nil { // whatever Go this machine has
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(empty, "index"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"db.json": `{"modified":"2026-01-01T00:00:00Z"}`, "modules.json": `[]`, "vulns.json": `[]`} {
		if err := os.WriteFile(filepath.Join(empty, "index", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for database, fails := range map[string]bool{"http://127.0.0.1:1": true, "file://" + empty: false} {
		said, err := makeIn(t, "suite-vuln", "PACKAGES=./cli/escape", "VULNDB="+database, "MODFILE="+module)
		if (err != nil) != fails || fails != strings.Contains(said, "NOTHING WAS CHECKED") {
			t.Errorf("make suite NAME=vuln with the database %s says %q, %v", database, said, err)
		}
	}
}

// TestTheImageIsBuiltFromAllItNeeds: what the ignore file lets through is enough to load every package of the program, and
// the documents that it carries.
func TestTheImageIsBuiltFromAllItNeeds(t *testing.T) {
	list, err := exec.Command("git", "-C", "..", "ls-files").Output()
	if err != nil {
		t.Skipf("NOT PROVEN: the tree is not one of git: %v", err)
	}
	rules := strings.Split(strings.TrimSpace(read(t, "Dockerfile.dockerignore")), "\n")
	dir := t.TempDir()
	for _, name := range strings.Split(strings.TrimSpace(string(list)), "\n") {
		if ignored(rules, name) {
			continue
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(to), 0o755)
		if err == nil {
			err = os.WriteFile(to, []byte(read(t, filepath.Join("..", name))), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	load := exec.Command("go", "list", "-deps", ".")
	load.Dir = dir
	if said, err := load.CombinedOutput(); err != nil {
		t.Errorf("the program cannot be built from what the image gets: %v\n%s", err, said)
	}
}

// ignored reports whether the rules of an ignore file leave a file out: the last one that names it or a folder of it counts.
func ignored(rules []string, name string) (out bool) {
	for _, rule := range rules {
		pattern, keeps := strings.CutPrefix(rule, "!")
		if pattern == "" || strings.HasPrefix(pattern, "#") {
			continue
		}
		pattern, anywhere := strings.CutPrefix(pattern, "**/")
		for at := name; at != "."; at = path.Dir(at) {
			candidate := at
			if anywhere {
				candidate = path.Base(at)
			}
			if ok, _ := path.Match(pattern, candidate); ok {
				out = !keeps
			}
		}
	}
	return out
}
