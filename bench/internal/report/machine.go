package report

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// machine is the machine of the measurement.
type machine struct {
	Processor string   `json:"processor"`
	Cores     int      `json:"cores"`
	MemoryGiB int      `json:"memoryGiB"`
	System    string   `json:"system"`
	Go        string   `json:"go"`
	Programs  []string `json:"programs"` // with their versions
}

// programs are those beside which is measured, and how each says its version.
var programs = [][]string{{"nginx", "-v"}, {"varnishd", "-V"}, {"h2o", "-v"}, {"wrk", "-v"}, {"node", "--version"}}

func thisMachine(ctx context.Context) machine {
	m := machine{
		Processor: lineAfter("/proc/cpuinfo", "model name"), Cores: runtime.NumCPU(), System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(),
	}
	if release, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		m.System += ", kernel " + strings.TrimSpace(string(release))
	}
	if kib, err := strconv.Atoi(strings.TrimSuffix(lineAfter("/proc/meminfo", "MemTotal"), " kB")); err == nil {
		m.MemoryGiB = (kib + 1<<19) >> 20
	}
	for _, p := range programs {
		if version := versionOf(ctx, p); version != "" {
			m.Programs = append(m.Programs, version)
		}
	}
	return m
}

// versionOf returns the first line in which a program says its version; "" if it is not there. Some
// say it as an error.
func versionOf(ctx context.Context, command []string) string {
	if _, err := exec.LookPath(command[0]); err != nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	said, _ := exec.CommandContext(ctx, command[0], command[1:]...).CombinedOutput()
	line, _, _ := strings.Cut(strings.TrimSpace(string(said)), "\n")
	if !strings.Contains(line, strings.TrimSuffix(command[0], "d")) {
		line = command[0] + " " + line
	}
	return line
}

// lineAfter returns what stands behind the colon of the first line that begins with a word, or "".
func lineAfter(path, word string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), word) {
			_, value, _ := strings.Cut(lines.Text(), ":")
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func (m machine) String() string {
	return fmt.Sprintf("%s, %d cores, %d GiB, %s, %s", m.Processor, m.Cores, m.MemoryGiB, m.System, m.Go)
}
