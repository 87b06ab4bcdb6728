package term

import (
	"os/exec"
	"runtime"

	"example.com/livery/cli/localfile"
)

// Browse opens an address in the browser of this machine.
func Browse(address string) error {
	command := []string{"xdg-open", address}
	switch runtime.GOOS {
	case "darwin":
		command[0] = "open"
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler", address}
	}
	if err := exec.Command(command[0], command[1:]...).Start(); err != nil {
		return Fail("Open the address yourself: "+address, "no browser can be started: %s", localfile.Reason(err))
	}
	return nil
}
