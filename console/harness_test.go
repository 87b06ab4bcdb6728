//go:build browser

package console_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"example.com/livery/internal/test/program"
)

// patience bounds every wait for the browser and the program.
const patience = 60 * time.Second

// pictures is where TestViews puts pictures of the views.
var pictures = flag.String("pictures", "", "write pictures of the views into this folder")

func TestMain(m *testing.M) { program.Main(m.Run) }

// dev is a running livery dev.
type dev struct {
	t       *testing.T
	data    string
	origin  string // address of the origin
	console string // address that logs in once
	token   string // of the subject dev; empty until it is asked for
	process *exec.Cmd
	said    *output
}

// startDev starts livery dev on free ports with a store of its own.
func startDev(t *testing.T, flags ...string) *dev {
	t.Helper()
	data, err := os.MkdirTemp("", "livery-") // short: it holds a socket
	if err != nil {
		t.Fatal(err)
	}
	d := &dev{t: t, data: data}
	d.start(flags...)
	t.Cleanup(func() {
		d.stop()
		_ = os.RemoveAll(data)
	})
	return d
}

// stop ends the program. Its store stays.
func (d *dev) stop() {
	d.t.Helper()
	_ = d.process.Process.Signal(syscall.SIGTERM)
	if err := d.process.Wait(); err != nil {
		d.t.Errorf("livery dev: %v\n%s", err, d.said.String())
	}
}

// start starts the program on the store.
func (d *dev) start(flags ...string) {
	t := d.t
	t.Helper()
	d.process = exec.Command("livery", append([]string{"dev", "--data", d.data, "--origin", "127.0.0.1:0", "--edge", "127.0.0.1:0", "--compiled", compiled(t)}, flags...)...)
	d.process.Env = append(os.Environ(), "NO_COLOR=1")
	d.said, d.token = &output{}, ""
	d.process.Stdout, d.process.Stderr = d.said, d.said
	if err := d.process.Start(); err != nil {
		t.Fatal(err)
	}
	address := regexp.MustCompile(`(http://[^/\s]+)/public/v1\n`)
	await(t, func() error {
		found := address.FindStringSubmatch(d.said.String())
		if found == nil {
			return fmt.Errorf("livery dev prints no address:\n%s", d.said.String())
		}
		d.console, d.origin = found[0], found[1]
		return nil
	})
}

// compiled is where all dev servers of the tests keep the compiled renderer module.
func compiled(t *testing.T) string {
	t.Helper()
	return program.Path(t, ".cache", "compiled")
}

// output collects what a program prints.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// await calls f until it returns nil.
func await(t *testing.T, f func() error) {
	t.Helper()
	var err error
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if err = f(); err == nil {
			return
		}
	}
	t.Fatal(err)
}

// livery runs a command against the dev server and returns what it prints.
func (d *dev) livery(args ...string) string {
	d.t.Helper()
	cmd := exec.Command("livery", args...)
	cmd.Env = append(os.Environ(), "LIVERY_DATA="+d.data, "NO_COLOR=1", "HOME="+d.data)
	text, err := cmd.CombinedOutput()
	if err != nil {
		d.t.Fatalf("livery %s: %v\n%s", strings.Join(args, " "), err, text)
	}
	return string(text)
}

// api sends a request with the token of the dev server and reads the answer into out.
func (d *dev) api(method, path string, body, out any) {
	d.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		d.t.Fatal(err)
	}
	req, err := http.NewRequest(method, d.origin+"/public/v1"+path, bytes.NewReader(text))
	if err != nil {
		d.t.Fatal(err)
	}
	if d.token == "" {
		d.token = strings.TrimSpace(d.livery("token", "--subject", "dev"))
	}
	req.Header.Set("Authorization", "Bearer "+d.token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode/100 != 2 {
		d.t.Fatalf("%s %s: %d %s %v", method, path, res.StatusCode, answer, err)
	}
	if out != nil {
		if err := json.Unmarshal(answer, out); err != nil {
			d.t.Fatal(err)
		}
	}
}

// page is a tab of a browser, and what the browser complained of in it.
type page struct {
	t   *testing.T
	ctx context.Context
	mu  sync.Mutex
	bad []string
}

// browserNames are the programs that are tried if LIVERY_CHROMIUM names none.
var browserNames = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}

// newBrowser opens a browser of its own with one tab. Without one the test is skipped.
func newBrowser(t *testing.T) *page {
	t.Helper()
	name := os.Getenv("LIVERY_CHROMIUM")
	for _, candidate := range browserNames {
		if path, err := exec.LookPath(candidate); err == nil && name == "" {
			name = path
		}
	}
	if name == "" {
		t.Skip("NOT PROVEN: there is no Chromium on the path, and LIVERY_CHROMIUM names none")
	}
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(name), chromedp.UserDataDir(t.TempDir()), chromedp.WindowSize(1280, 900),
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck,
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("force-color-profile", "srgb"), chromedp.Flag("disable-quic", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
	}
	for _, quiet := range []string{"background-networking", "component-update", "sync", "extensions", "default-apps", "breakpad"} {
		options = append(options, chromedp.Flag("disable-"+quiet, true))
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, closeTab := chromedp.NewContext(allocator)
	t.Cleanup(closeTab)
	p := &page{t: t, ctx: ctx}
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("%s does not start: %v", name, err)
	}
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("close the browser: %v", err)
		}
	})
	p.listen()
	return p
}

// newTab opens a tab beside, with the same session.
func (p *page) newTab() *page {
	p.t.Helper()
	ctx, closeTab := chromedp.NewContext(p.ctx)
	p.t.Cleanup(closeTab)
	other := &page{t: p.t, ctx: ctx}
	if err := chromedp.Do(ctx); err != nil {
		p.t.Fatal(err)
	}
	other.listen()
	return other
}

// listen collects errors, but no 401 of a page that asks who it is, and no 409, which merges edits of the console, exceptions and violations of the policy; the test fails with them at its end.
func (p *page) listen() {
	p.t.Helper()
	complain := func(text string) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.bad = append(p.bad, text)
	}
	err := chromedp.Listen(p.ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			text := e.ExceptionDetails.Text
			if e.ExceptionDetails.Exception != nil {
				text += " " + e.ExceptionDetails.Exception.Description
			}
			complain("exception: " + text)
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
				for _, arg := range e.Args {
					complain("console: " + string(arg.Value) + arg.Description)
				}
			}
		case *cdplog.EventEntryAdded:
			if e.Entry.Level == cdplog.EntryLevelError && !strings.Contains(e.Entry.Text, "401 (Unauthorized)") && !strings.Contains(e.Entry.Text, "409 (Conflict)") {
				complain("log: " + e.Entry.Text + " " + e.Entry.URL)
			}
		}
	})
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, text := range p.bad {
			p.t.Error(text)
		}
	})
}

// visit opens an address.
func (p *page) visit(address string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Navigate(address)); err != nil {
		p.t.Fatal(err)
	}
}

// logIn opens the console with an address that logs in once.
func (p *page) logIn(address string) {
	p.t.Helper()
	p.visit(address)
	p.until(`document.querySelector(".menu summary")?.textContent.length > 0 && location.hash === ""`)
}

// logInAs logs in with a token that the operator made for a subject.
func (p *page) logInAs(d *dev, subject string) {
	p.t.Helper()
	p.visit(d.origin + "/console/")
	p.write("Access token", strings.TrimSpace(d.livery("token", "--subject", subject)))
	p.click("button", "Log in")
	p.until(fmt.Sprintf(`document.querySelector(".menu summary")?.textContent === %q`, subject))
}

// evaluate runs an expression of JavaScript; a promise is awaited.
func evaluate[T any](p *page, expression string) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// until waits for an expression to be true.
func (p *page) until(expression string) {
	p.t.Helper()
	var last error
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		ok, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool]("Boolean("+expression+")"))
		if ok {
			return
		}
		last = err
	}
	text, _ := chromedp.Run(p.ctx, chromedp.Evaluate[string](`location.href + "\n" + document.body.innerText.slice(0, 2000)`))
	p.t.Fatalf("%s is not true: %v\nThe page says:\n%s", expression, last, text)
}

// says waits until the page shows a text.
func (p *page) says(text string) {
	p.t.Helper()
	p.until(fmt.Sprintf("document.body.innerText.includes(%q)", text))
}

// view opens a view within the page, as a click on a link does.
func (p *page) view(path string) {
	p.t.Helper()
	evaluate[bool](p, fmt.Sprintf(`(() => { const a = document.createElement("a"); a.href = %q; document.body.append(a); a.click(); a.remove(); return true })()`, path))
}

// click clicks the one visible element that a selector of CSS and a text name.
func (p *page) click(selector, text string) {
	p.t.Helper()
	find := fmt.Sprintf(`[...document.querySelectorAll(%q)].find((e) => e.checkVisibility() && !e.disabled && (e.textContent.trim() === %q || e.getAttribute("aria-label") === %q))`, selector, text, text)
	p.until(find)
	evaluate[bool](p, "("+find+".click(), true)")
}

// fieldOf finds the visible field that a label names.
const fieldOf = `((name) => {
	const labelled = [...document.querySelectorAll("label")].find((l) => l.textContent.trim() === name && document.getElementById(l.htmlFor)?.checkVisibility());
	return labelled ? document.getElementById(labelled.htmlFor) : [...document.querySelectorAll("input, textarea, select")].find((e) => e.getAttribute("aria-label") === name && e.checkVisibility());
})`

// write puts a text into the field with a label, as a person does.
func (p *page) write(label, value string) {
	p.t.Helper()
	find := fmt.Sprintf("%s(%q)", fieldOf, label)
	p.until(find)
	evaluate[bool](p, fmt.Sprintf(`((field) => {
		field.focus();
		field.value = %q;
		field.dispatchEvent(new InputEvent("input", { bubbles: true }));
		field.dispatchEvent(new Event("change", { bubbles: true }));
		return true;
	})(%s)`, value, find))
}

// enter presses Enter in the field with a label.
func (p *page) enter(label string) {
	p.t.Helper()
	evaluate[bool](p, fmt.Sprintf(`%s(%q).dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }))`, fieldOf, label))
}

// screen sets the size of the window and the colour scheme that pages ask for.
func (p *page) screen(width, height int64, scheme string) {
	p.t.Helper()
	metrics := emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1}
	if _, err := chromedp.Call(p.ctx, emulation.SetDeviceMetricsOverride, metrics); err != nil {
		p.t.Fatal(err)
	}
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
		p.t.Fatal(err)
	}
	p.until(fmt.Sprintf("innerWidth === %d && matchMedia('(prefers-color-scheme: %s)').matches", width, scheme))
}

// picture writes a picture of what the window shows, if the flag asks for pictures.
func (p *page) picture(name string) {
	p.t.Helper()
	if *pictures == "" {
		return
	}
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*pictures, name+".png"), png, 0o644); err != nil {
		p.t.Fatal(err)
	}
}
