package pebble_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/livery/internal/test/storagetest"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
)

// killVariable makes the test binary a child process that writes until it is killed; its value is
// the number of the round and the directory.
const killVariable = "LIVERY_TEST_KILL"

// killRoundsVariable sets the number of rounds.
const killRoundsVariable = "LIVERY_KILL_ROUNDS"

const killWriters = 8

// runVictim is that child. It prints each acknowledged step in one write.
func runVictim(spec string) int {
	number, dir, _ := strings.Cut(spec, ":")
	round, err := strconv.Atoi(number)
	if err != nil {
		fmt.Println(err)
		return 2
	}
	s, err := pebble.Open(dir, pebble.Options{Logger: quiet, MinFreeBytes: -1})
	if err != nil {
		fmt.Println(err)
		return 3
	}
	fmt.Println("open")
	acks := newAcknowledgements()
	acks.also = func(step storagetest.Step, at storage.Cursor) { fmt.Println("ack", step, at) }
	var writers []int
	for w := range killWriters {
		writers = append(writers, round*killWriters+w)
	}
	work(context.Background(), s, writers, acks).Wait()
	return 4
}

// Whatever a process had acknowledged when it was killed is in the store, round after round: each
// goes on with the store that the one before left.
func TestKilledProcessesLoseNothingAcknowledged(t *testing.T) {
	t.Parallel()
	rounds := 20
	if n, err := strconv.Atoi(os.Getenv(killRoundsVariable)); err == nil {
		rounds = n
	} else if testing.Short() {
		rounds = 3
	}
	random := rand.New(rand.NewPCG(uint64(rounds), 4))
	dir, acks := t.TempDir(), newAcknowledgements()
	for round := range rounds {
		killOne(t, dir, round, acks, time.Duration(random.IntN(40_000))*time.Microsecond)
		if round%50 == 49 { // the walk over everything grows with everything
			dir, acks = verifyKilled(t, dir, acks), newAcknowledgements()
		}
	}
	verifyKilled(t, dir, acks)
}

// killOne lets a child work for some time after its first commit and kills it.
func killOne(t *testing.T, dir string, round int, acks *acknowledgements, after time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), killVariable+"="+strconv.Itoa(round)+":"+dir)
	out, err := cmd.StdoutPipe()
	if err := errors.Join(err, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	var kill sync.Once
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) != 3 || words[0] != "ack" {
			if lines.Text() != "open" {
				t.Fatalf("round %d: the child said %q", round, lines.Text())
			}
			continue
		}
		kill.Do(func() { time.AfterFunc(after, func() { _ = cmd.Process.Kill() }) })
		step, stepErr := storagetest.ParseStep(words[1])
		at, err := storage.ParseCursor(words[2])
		if err := errors.Join(stepErr, err); err != nil {
			break // the line was cut short by the kill, and was not read
		}
		acks.add(step, at)
	}
	if err := cmd.Wait(); err == nil || ctx.Err() != nil {
		t.Fatalf("round %d: the child was not killed: %v", round, err)
	}
}

// verifyKilled checks all that was acknowledged, and returns a new directory.
func verifyKilled(t *testing.T, dir string, acks *acknowledgements) string {
	t.Helper()
	s := open(t, dir, pebble.Options{MinFreeBytes: -1})
	n := storagetest.Verify(t, s, acks.copy())
	if at, lost := s.Lost(); lost {
		t.Errorf("Lost() = %s", at)
	}
	t.Logf("%d acknowledged commits, %d in the log", acks.count(), n)
	if err := s.Close(); err != nil {
		t.Errorf("Close() = %v", err)
	}
	return t.TempDir()
}
