package frame

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

// One interrupt asks a command to end, and the next one ends it if it goes on.
func TestSecondInterruptEndsWhatGoesOn(t *testing.T) {
	const child = "LIVERY_COMMAND_CHILD"
	if os.Getenv(child) != "" {
		Main("child", func(ctx context.Context) error {
			fmt.Println("runs")
			<-ctx.Done()
			fmt.Println("interrupted")
			time.Sleep(time.Minute)
			return nil
		})
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), child+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for _, want := range []string{"runs", "interrupted"} {
		if !lines.Scan() || lines.Text() != want {
			t.Fatalf("the command says %q, want %q", lines.Text(), want)
		}
		_ = cmd.Process.Signal(os.Interrupt)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for end := time.Now().Add(20 * time.Second); ; _ = cmd.Process.Signal(os.Interrupt) { // one may come before it is the system's again
		select {
		case err := <-ended:
			if err == nil {
				t.Error("the interrupted command ended well")
			}
			return
		case <-time.After(10 * time.Millisecond):
		}
		if time.Now().After(end) {
			_ = cmd.Process.Kill()
			t.Fatal("the command goes on")
		}
	}
}

func TestCountsTakesGrowingNumbers(t *testing.T) {
	for text, want := range map[string]string{"10": "10", "1,10,100": "1,10,100", "": "", "0": "", "-1": "", "1,1": "", "2,1": "", "1,,2": "", "1, 2": "", "a": ""} {
		c := Counts{7}
		err := c.Set(text)
		switch {
		case want == "" && (err == nil || c.String() != "7"):
			t.Errorf("Set(%q) = %v and holds %s, want an error and what was held before", text, err, c.String())
		case want != "" && (err != nil || c.String() != want):
			t.Errorf("Set(%q) = %v and holds %s", text, err, c.String())
		}
	}
}
