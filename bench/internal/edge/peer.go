//go:build linux

package edge

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// peer is a server of others that is set up by one file. Each has one core and one worker, keeps no
// log, and sends the headers that livery sends.
type peer struct {
	file      string   // name of its configuration
	text      string   // of it; %[1]s is the folder of the files, %[2]s the host, %[3]s the port
	arguments []string // of the program; {config}, {address}, {dir}, {behind} are replaced
	program   string
}

var peers = map[string]peer{
	"h2o": {"h2o.conf", h2oConfig, []string{"-c", "{config}"}, "h2o"},
	"varnish": {"varnish.vcl", varnishConfig, []string{
		"-F", "-j", "none", "-n", "{dir}/varnish", "-a", "{address}", "-f", "{config}", "-s", "malloc,64m", "-t", "31536000",
		// What varnish would compress or unpack by itself, the others do not; its log is in memory and off.
		"-p", "http_gzip_support=off", "-p", "vsl_mask=" + varnishSilent, "-p", "thread_pools=1", "-p", "thread_pool_min=100", "-p", "thread_pool_max=1000",
	}, "varnishd"},
}

const h2oConfig = `num-threads: 1
max-connections: 10240
http1-request-timeout: 60
error-log: /dev/null
pid-file: %[1]s/h2o.pid
user: root
file.mime.settypes:
  text/css; charset=utf-8: [".css"]
hosts:
  default:
    listen: {host: %[2]s, port: %[3]s}
    paths:
      /:
        file.dir: %[1]s
        file.send-compressed: ON
      /fresh/:
        file.dir: %[1]s/fresh
        compress: ON
    header.set: "Cache-Control: public, max-age=31536000, immutable"
    header.set: "Access-Control-Allow-Origin: *"
    header.set: "X-Content-Type-Options: nosniff"
`

// h2oSecure is what a listener of h2o has under TLS.
const h2oSecure = `port: %[3]s, ssl: {certificate-file: %[1]s/tls.pem, key-file: %[1]s/tls.key, minimum-version: TLSv1.3}`

// varnishSilent takes what a hit would write out of varnish's log.
const varnishSilent = "-Begin,-End,-Link,-Timestamp,-ReqStart,-ReqMethod,-ReqURL,-ReqProtocol,-ReqHeader,-ReqUnset,-ReqAcct," +
	"-RespProtocol,-RespStatus,-RespReason,-RespHeader,-RespUnset,-VCL_call,-VCL_return,-Hit,-SessOpen,-SessClose,-Filters"

const varnishConfig = `vcl 4.1;
backend default { .host = "%[2]s"; .port = "%[3]s"; }
`

// toolOf returns the program that a server is, empty for livery.
func toolOf(name string) string {
	if strings.HasPrefix(name, "nginx ") {
		return "nginx"
	}
	return peers[name].program
}

// installed reports whether a program is there.
func installed(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

// start starts the server on a free port. behind is the address of the server whose answers it keeps.
func (p peer) start(dir, behind string) (*exec.Cmd, string, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, "", err
	}
	host, port, err := net.SplitHostPort(address)
	if behind != "" { // its configuration names the other server, and its arguments its own address
		host, port, err = net.SplitHostPort(behind)
	}
	if err != nil {
		return nil, "", err
	}
	config := filepath.Join(dir, p.file)
	if err := os.WriteFile(config, fmt.Appendf(nil, p.text, dir, host, port), 0o644); err != nil {
		return nil, "", err
	}
	arguments := []string{"-c", strconv.Itoa(serverCore), p.program}
	fill := strings.NewReplacer("{config}", config, "{address}", address, "{dir}", dir)
	for _, a := range p.arguments {
		arguments = append(arguments, fill.Replace(a))
	}
	cmd := exec.Command("taskset", arguments...)
	log, err := os.Create(filepath.Join(dir, p.program+".log"))
	if err != nil {
		return nil, "", err
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	return cmd, address, cmd.Start()
}
