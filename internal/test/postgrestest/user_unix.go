//go:build unix

package postgrestest

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// serverUser is whom a server runs as if that is not this process's own user: the server refuses to
// be root.
func serverUser() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, err
	}
	uid, _ := strconv.Atoi(u.Uid) // a number on every Unix
	gid, _ := strconv.Atoi(u.Gid)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

// giveToServer makes the server's user the owner of a directory.
func giveToServer(dir string) error {
	who, err := serverUser()
	if err != nil || who == nil {
		return err
	}
	return os.Chown(dir, int(who.Uid), int(who.Gid))
}

// runAsServer has a program run as the server's user.
func runAsServer(cmd *exec.Cmd) error {
	who, err := serverUser()
	if err == nil && who != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: who}
	}
	return err
}
