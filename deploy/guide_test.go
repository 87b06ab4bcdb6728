package deploy_test

import (
	"regexp"
	"strings"
	"testing"
)

// TestTextsNameCommandsThatExist: each command in the texts of this folder and the guide is one, with
// the flags it is given.
func TestTextsNameCommandsThatExist(t *testing.T) {
	passage := regexp.MustCompile("(?m)^ {4}.*livery .*$|`livery [^`]*`|/livery .*$")
	mention := regexp.MustCompile("(?:^|[`( /])livery ((?:teams|serving|keys|store|env|theme|ci) [a-z]+|[a-z]+(?:-[a-z]+)?)((?: [-A-Za-z0-9_./:\"$]+)*)")
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
