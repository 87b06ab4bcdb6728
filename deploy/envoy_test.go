package deploy_test

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// startEnvoy runs envoy/envoy.yaml before the site. Only addresses and certificates are replaced.
func startEnvoy(t *testing.T) *proxy {
	t.Helper()
	program := tool(t, "envoy")
	p := &proxy{t: t, address: freeAddress(t), dir: t.TempDir()}
	p.certify()
	_, port, _ := net.SplitHostPort(p.address)
	_, edge, _ := net.SplitHostPort(strings.TrimPrefix(site.EdgeURL, "http://"))
	text := p.replaced("envoy/envoy.yaml", [][2]string{
		{"address: 0.0.0.0, port_value: 443", "address: 127.0.0.1, port_value: " + port},
		{"port_value: 8090", "port_value: " + edge},
		{"port_value: 8190", "port_value: " + edge},
		{"/etc/livery/tls/cdn", filepath.Join(p.dir, "tls")},
	})
	file := filepath.Join(p.dir, "envoy.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p.start(exec.Command(program, "-c", file, "--use-dynamic-base-id"))
	return p
}

// TestEnvoyIsToldWhatMatters reads the shipped configuration and holds the settings that keep paths,
// addresses and bounds as an edge needs them (A64, A83).
func TestEnvoyIsToldWhatMatters(t *testing.T) {
	var config any
	if err := yaml.Unmarshal([]byte(read(t, "envoy/envoy.yaml")), &config); err != nil {
		t.Fatal(err)
	}
	const manager = "static_resources.listeners.0.filter_chains.0.filters.0.typed_config."
	for path, want := range map[string]any{
		manager + "use_remote_address":                                                                true,
		manager + "xff_num_trusted_hops":                                                              uint64(0),
		manager + "normalize_path":                                                                    false,
		manager + "merge_slashes":                                                                     false,
		manager + "path_with_escaped_slashes_action":                                                  "KEEP_UNCHANGED",
		manager + "max_request_headers_kb":                                                            uint64(16),
		manager + "common_http_protocol_options.headers_with_underscores_action":                      "REJECT_REQUEST",
		manager + "http2_protocol_options.max_concurrent_streams":                                     uint64(100),
		manager + "route_config.virtual_hosts.0.routes.0.route.cluster":                               "livery_edges",
		manager + "route_config.virtual_hosts.0.routes.0.route.timeout":                               "0s",
		manager + "route_config.virtual_hosts.0.routes.0.route.idle_timeout":                          "30s",
		manager + "route_config.virtual_hosts.0.routes.0.route.retry_policy.retriable_status_codes.0": uint64(503),
		"static_resources.clusters.0.outlier_detection.enforcing_consecutive_gateway_failure":         uint64(100),
		"static_resources.clusters.0.name":                                                            "livery_edges",
		"static_resources.clusters.0.typed_extension_protocol_options.envoy/extensions/upstreams/http/v3/HttpProtocolOptions.common_http_protocol_options.idle_timeout": "60s",
		"static_resources.clusters.0.load_assignment.cluster_name":                                                          "livery_edges",
		"static_resources.listeners.0.filter_chains.0.transport_socket.name":                                                "envoy.transport_sockets.tls",
		"static_resources.clusters.0.load_assignment.endpoints.0.lb_endpoints.1.endpoint.address.socket_address.port_value": uint64(8190),
	} {
		if got := member(config, path); got != want {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
}

// member returns what stands at a dotted path, or nil. A dot in a name is written "/".
func member(v any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		switch n := v.(type) {
		case map[string]any:
			v = n[strings.ReplaceAll(name, "/", ".")]
		case []any:
			i := int(name[0] - '0')
			if i >= len(n) {
				return nil
			}
			v = n[i]
		default:
			return nil
		}
	}
	return v
}
