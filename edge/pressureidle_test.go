package edge_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// idlers are connections of another process, so that no process needs all the files.
type idlers struct {
	t     *testing.T
	tell  io.Writer
	hears *bufio.Reader
}

// startIdlers opens connections that ask once and wait, until the test ends.
func startIdlers(t *testing.T, address, path string, number int) *idlers {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestIdlersAreAChild$")
	child.Env = append(os.Environ(), "LIVERY_IDLERS="+strings.Join([]string{address, path, strconv.Itoa(number)}, " "))
	child.Stderr = t.Output()
	tell, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	hears, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = tell.Close()
		if err := child.Wait(); err != nil {
			t.Errorf("the process of the connections that wait: %v", err)
		}
	})
	i := &idlers{t, tell, bufio.NewReader(hears)}
	if opened := i.number(); opened != number {
		t.Fatalf("%d of %d connections could be opened", opened, number)
	}
	return i
}

// ask has every connection send a request, and returns how many were answered with 200.
func (i *idlers) ask() int {
	i.t.Helper()
	if _, err := fmt.Fprintln(i.tell, "ask"); err != nil {
		i.t.Fatal(err)
	}
	return i.number()
}

func (i *idlers) number() int {
	i.t.Helper()
	line, err := i.hears.ReadString('\n')
	if err != nil {
		i.t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		i.t.Fatal(err)
	}
	return n
}

// TestIdlersAreAChild is not a test but what startIdlers starts.
func TestIdlersAreAChild(t *testing.T) {
	given := strings.Fields(os.Getenv("LIVERY_IDLERS"))
	if len(given) != 3 {
		t.Skip("it is started by TestPressureOfConnections")
	}
	number, err := strconv.Atoi(given[2])
	if err != nil {
		t.Fatal(err)
	}
	raiseFiles(t, number+100)
	var open []*caller
	var first tally
	for range number {
		c, err := call(given[0])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			break
		}
		c.ask(given[1], "identity", "4px", &first) // as a client does that keeps its connection
		open = append(open, c)
	}
	fmt.Println(first.status[200].Load())
	told := bufio.NewReader(os.Stdin)
	for {
		if _, err := told.ReadString('\n'); err != nil {
			os.Exit(0) // the parent is done with it; the rest of the run is not for it
		}
		var counts tally
		var asking sync.WaitGroup
		for part := range 16 {
			asking.Go(func() {
				for i := part; i < len(open); i += 16 {
					open[i].ask(given[1], "identity", "4px", &counts)
				}
			})
		}
		asking.Wait()
		fmt.Println(counts.status[200].Load())
	}
}
