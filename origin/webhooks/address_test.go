package webhooks_test

import (
	"context"
	"crypto/x509"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"example.com/livery/origin/auth"
	"example.com/livery/origin/webhooks"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/record"
)

// Addresses that are not of the public internet are refused in every spelling, unless their network is allowed; http needs
// an allowed network.
func TestAddressesThatWebhooksMayReach(t *testing.T) {
	t.Parallel()
	public := webhooks.NewSender(webhooks.SenderConfig{})
	own := webhooks.NewSender(webhooks.SenderConfig{Networks: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00:1::/32")}})
	for _, c := range []struct {
		host          string
		public, owned bool
	}{
		{"1.1.1.1", true, true},
		{"[2606:4700::1]", true, true},
		{"[::ffff:1.1.1.1]", true, true},
		{"93.184.215.14:8443", true, true},
		{"10.1.2.3", false, true},
		{"[::ffff:10.1.2.3]", false, true},
		{"[fd00:1::1]", false, true},
		{"10.2.0.1", false, false},
		{"127.0.0.1", false, false},
		{"127.9.9.9", false, false},
		{"[::1]", false, false},
		{"0.0.0.0", false, false},
		{"[::]", false, false},
		{"[::ffff:127.0.0.1]", false, false},
		{"[::ffff:169.254.169.254]", false, false},
		{"[::127.0.0.1]", false, false},
		{"172.16.0.1", false, false},
		{"172.31.255.255", false, false},
		{"192.168.1.1", false, false},
		{"169.254.169.254", false, false},
		{"100.64.0.1", false, false},
		{"192.0.0.8", false, false},
		{"192.0.2.1", false, false},
		{"198.18.0.1", false, false},
		{"198.51.100.1", false, false},
		{"203.0.113.1", false, false},
		{"192.88.99.1", false, false},
		{"224.0.0.1", false, false},
		{"239.255.255.250", false, false},
		{"240.0.0.1", false, false},
		{"255.255.255.255", false, false},
		{"[fe80::1]", false, false},
		{"[fe80::1%25eth0]", false, false},
		{"[fc00::1]", false, false},
		{"[fd00:2::1]", false, false},
		{"[ff02::1]", false, false},
		{"[64:ff9b::a00:1]", false, false},
		{"[64:ff9b:1::1]", false, false},
		{"[2002:7f00:1::]", false, false},
		{"[2001::1]", false, false},
		{"[2001:db8::1]", false, false},
		{"[100::1]", false, false},
		{"[5f00::1]", false, false},
		{"[fec0::1]", false, false},
	} {
		for sender, allowed := range map[*webhooks.Sender]bool{public: c.public, own: c.owned} {
			if fault := sender.CheckURL("https://" + c.host + "/"); (fault == "") != allowed {
				t.Errorf("CheckURL(https://%s/) = %q, want it allowed: %v", c.host, fault, allowed)
			}
		}
		if public.CheckURL("http://"+c.host+"/") == "" || (own.CheckURL("http://"+c.host+"/") == "") != (c.owned && !c.public) {
			t.Errorf("http://%s/ is allowed: %v, with networks %v", c.host, public.CheckURL("http://"+c.host+"/"), own.CheckURL("http://"+c.host+"/"))
		}
	}
}

// names is a DNS server that answers the n-th question for an IPv4 address with the n-th of its addresses, and with the last
// from then on.
type names struct {
	answers []netip.Addr
	asked   atomic.Int32
}

// resolver returns what asks the server.
func (n *names) resolver(t *testing.T) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	go func() {
		question := make([]byte, 512)
		for {
			size, from, err := server.ReadFrom(question)
			if err != nil {
				return
			}
			_, _ = server.WriteTo(n.answer(question[:size]), from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

func (n *names) answer(question []byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(question) != nil || len(m.Questions) != 1 {
		return nil
	}
	m.Response, m.Additionals = true, nil
	if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
		at := n.answers[min(int(n.asked.Add(1)), len(n.answers))-1]
		m.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class}, Body: &dnsmessage.AResource{A: at.As4()}}}
	}
	packed, _ := m.Pack()
	return packed
}

const environment = "env_x"

// sent makes a webhook of a store, lets it be tested as often as there are deliveries wanted, one after the other, and returns
// what the log says of each.
func sent(t *testing.T, url string, config webhooks.SenderConfig, want int) (results []record.Delivery) {
	t.Helper()
	store, err := pebble.Open("", pebble.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	master, err := auth.ParseMaster("a master key of the tests that is long enough")
	if err != nil {
		t.Fatal(err)
	}
	update := func(fn func(tx storage.Tx) error) {
		t.Helper()
		if _, err := store.Update(t.Context(), environment, func(tx storage.Tx) (record.Change, error) {
			return record.Change{At: time.Now(), Internal: true}, fn(tx)
		}); err != nil {
			t.Fatal(err)
		}
	}
	update(func(tx storage.Tx) error {
		w, _, err := webhooks.Create(tx, master, "whk_x", environment, webhooks.Input{URL: url, Format: webhooks.FormatEvent}, time.Now())
		if err != nil {
			return err
		}
		return storage.Webhooks.Write(tx, w, environment, w.ID)
	})
	d := webhooks.New(webhooks.Config{Store: store, Sender: webhooks.NewSender(config), Master: master, Logger: slog.New(slog.DiscardHandler), Now: time.Now})
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { d.Run(ctx) })
	defer wg.Wait()
	defer cancel()
	for number := 1; number <= want; number++ {
		update(func(tx storage.Tx) error {
			w, err := storage.Webhooks.Read(tx, environment, "whk_x")
			if err != nil {
				return err
			}
			due, _ := webhooks.Ping(w, "ada", "tag", time.Now())
			return due.Write(tx)
		})
		var delivery record.Delivery
		for deadline := time.Now().Add(time.Minute); delivery.Attempts == 0; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("delivery %d was not sent", number)
			}
			if err := store.View(ctx, func(r storage.Reader) (err error) {
				delivery, err = storage.Deliveries.Read(r, environment, "whk_x", storage.Number(uint32(number)))
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		results = append(results, delivery)
	}
	return results
}

// secure starts a receiver over HTTPS and returns its port and what trusts it.
func secure(t *testing.T, handler http.HandlerFunc) (port string, roots *x509.CertPool) {
	t.Helper()
	server := httptest.NewTLSServer(handler)
	t.Cleanup(server.Close)
	roots = x509.NewCertPool()
	roots.AddCert(server.Certificate())
	_, port, _ = net.SplitHostPort(server.Listener.Addr().String())
	return port, roots
}

// A name is resolved and its address checked at each connection: one that led to an allowed address before, and to another one
// now, is refused, and nothing connects to it.
func TestANameIsCheckedWhenItIsConnectedTo(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	port, roots := secure(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		requests.Add(1)
	})
	dns := &names{answers: []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.2")}}
	got := sent(t, "https://example.com:"+port+"/", webhooks.SenderConfig{
		Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, Roots: roots, Resolver: dns.resolver(t),
	}, 2)
	if got[0].State != storage.DeliveryDelivered || got[1].State != storage.DeliveryDead || !strings.Contains(got[1].Answer, "is not at an address of the public internet") {
		t.Errorf("deliveries = %+v, want the first delivered and the second refused", got)
	}
	if strings.Contains(got[1].Answer, "127.0.0") {
		t.Errorf("the log tells the address: %s", got[1].Answer)
	}
	if n := requests.Load(); n != 1 {
		t.Errorf("%d requests came, want 1", n)
	}
	if n := dns.asked.Load(); n < 2 {
		t.Errorf("the name was resolved %d times, want at each connection", n)
	}
}

// A receiver that is slow, says too much, redirects, or cannot be trusted does not stop the webhook.
func TestReceiversThatMisbehave(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	t.Cleanup(elsewhere.Close)
	release := make(chan struct{})
	port, roots := secure(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/slow":
			<-release
		case "/drip":
			w.WriteHeader(http.StatusInternalServerError)
			_ = http.NewResponseController(w).Flush()
			<-release
		case "/huge":
			w.WriteHeader(http.StatusBadRequest)
			for range 1 << 14 { // 16 MiB, if they were read
				if _, err := w.Write([]byte(strings.Repeat("x", 1<<10))); err != nil {
					return
				}
			}
			t.Error("all of a huge answer was read")
		case "/redirect":
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		}
	})
	defer close(release)
	networks := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	for path, want := range map[string]string{
		"/slow": "no whole answer in time", "/drip": "no whole answer in time", "/huge": strings.Repeat("x", 200) + " …", "/redirect": "redirects are not followed",
	} {
		timeout := time.Minute
		if want == "no whole answer in time" {
			timeout = 300 * time.Millisecond
		}
		got := sent(t, "https://127.0.0.1:"+port+path, webhooks.SenderConfig{Networks: networks, Roots: roots, Timeout: timeout}, 1)[0]
		if got.State != storage.DeliveryDead || got.Answer != want {
			t.Errorf("%s = %s %q, want it refused with %q", path, got.State, got.Answer, want)
		}
	}
	got := sent(t, "https://127.0.0.1:"+port+"/", webhooks.SenderConfig{Networks: networks}, 1)[0]
	if got.State != storage.DeliveryDead || !strings.Contains(got.Answer, "certificate") {
		t.Errorf("a receiver with an unknown certificate = %s %q, want it refused", got.State, got.Answer)
	}
}
