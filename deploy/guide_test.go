package deploy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// section returns the indented blocks under a heading of the operating guide, as one text.
func section(t *testing.T, heading string) string {
	t.Helper()
	_, rest, found := strings.Cut(read(t, "../docs/operating.md"), "\n## "+heading+"\n")
	if !found {
		t.Fatalf("the operating guide has no section %q", heading)
	}
	rest, _, _ = strings.Cut(rest, "\n## ")
	var block strings.Builder
	for line := range strings.Lines(rest) {
		if code, ok := strings.CutPrefix(line, "    "); ok {
			block.WriteString(code)
		}
	}
	return block.String()
}

// TestGuideCommandsWork runs the operating guide from its own text: an origin and an edge by hand, the
// first Team up to a served file, backup and restore. Only ports are others.
func TestGuideCommandsWork(t *testing.T) {
	sh := tool(t, "sh")
	tool(t, "curl")
	dir, err := os.MkdirTemp("", "livery-") // short: it holds a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	api, feed, files := freeAddress(t), freeAddress(t), freeAddress(t)
	ports := strings.NewReplacer("127.0.0.1:8080", api, "127.0.0.1:8081", feed, "127.0.0.1:8090", files)
	servers := strings.Split(strings.TrimSpace(ports.Replace(section(t, "Start an origin and an edge by hand"))), "\n")
	if len(servers) != 2 {
		t.Fatalf("the guide starts %d servers, want 2: %q", len(servers), servers)
	}
	begin := func(line, listen, announces string) {
		cmd := exec.Command("livery", strings.Fields(line)[1:]...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "LIVERY_LISTEN="+listen, "LIVERY_FEED_LISTEN="+feed, "LIVERY_OPS_LISTEN=127.0.0.1:0", "LIVERY_COMPILED="+compiledDir())
		if strings.Contains(line, " edge ") {
			cmd.Env = append(cmd.Env, "LIVERY_FEED_LISTEN=") // an edge's own, which it has none of
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Signal(os.Interrupt); _ = cmd.Wait() })
		var said map[string]string
		if err := announced(filepath.Join(dir, announces), &said); err != nil {
			t.Fatal(err)
		}
	}
	begin(servers[0], api, "data/origin.json")
	begin(servers[1], files, "edge/edge.json")
	script := ports.Replace("set -eu\n" + section(t, "The first Team") + section(t, "Backup and restore"))
	cmd := exec.Command(sh, "-c", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LIVERY_COLOR=never")
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("the guide's commands: %v\n%s", err, said)
	}
	for _, want := range []string{"team acme is created", "--color-brand: #0055ff", "reads back as it was written", "references were read"} {
		if !strings.Contains(string(said), want) {
			t.Errorf("the guide's commands do not print %q:\n%s", want, said)
		}
	}
}

// TestTextsNameCommandsThatExist: each command in the texts of this folder and the guide is one, with
// the flags it is given.
func TestTextsNameCommandsThatExist(t *testing.T) {
	passage := regexp.MustCompile("(?m)^ {4}.*livery .*$|`livery [^`]*`|/livery .*$")
	mention := regexp.MustCompile("(?:^|[`( /])livery ((?:teams|serving|keys|env|theme) [a-z]+|[a-z]+(?:-[a-z]+)?)((?: [-A-Za-z0-9_./:\"$]+)*)")
	given := map[string]string{}
	for _, name := range []string{"../docs/operating.md", "../SECURITY.md", "proxies.md", "compose.yaml", "kubernetes/livery.yaml"} {
		for _, text := range passage.FindAllString(read(t, name), -1) {
			for _, found := range mention.FindAllStringSubmatch(text, -1) {
				given[found[1]] += found[2]
			}
		}
	}
	delete(given, "create") // of "kubectl … livery create secret"
	if len(given) < 15 {
		t.Fatalf("only %d commands were found", len(given))
	}
	for name, flags := range given {
		help, err := livery(append(strings.Fields(name), "--help")...)
		if err != nil || !strings.Contains(help, "livery "+name) {
			t.Errorf("there is no command livery %s: %v", name, err)
			continue
		}
		for _, flag := range flagName.FindAllStringSubmatch(flags, -1) {
			if !strings.Contains(help, "--"+flag[1]+" ") {
				t.Errorf("livery %s has no flag --%s", name, flag[1])
			}
		}
	}
}
