package feedproto_test

import (
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"example.com/livery/feedproto"
	"example.com/livery/storage/record"
)

func arguments(t *testing.T, uri string) *fasthttp.Args {
	t.Helper()
	u, err := url.Parse(uri)
	if err != nil {
		t.Fatal(err)
	}
	args := &fasthttp.Args{}
	args.Parse(u.RawQuery)
	return args
}

// A server reads the poll that a client wrote, and names the parameter that is out of its bounds.
func TestPollIsReadAsWritten(t *testing.T) {
	want := feedproto.Poll{After: "7.a b", Wait: feedproto.MaxWait, Limit: feedproto.MaxLimit}
	if got, fault := feedproto.ParsePoll(arguments(t, want.URI())); got != want || fault != "" {
		t.Errorf("ParsePoll(%s) = %+v, %q", want.URI(), got, fault)
	}
	if got, fault := feedproto.ParsePoll(arguments(t, "/")); got != (feedproto.Poll{Limit: feedproto.DefaultLimit}) || fault != "" {
		t.Errorf("ParsePoll of an empty query = %+v, %q", got, fault)
	}
	for query, parameter := range map[string]string{"wait=56": "wait", "wait=-1": "wait", "wait=a": "wait", "limit=0": "limit", "limit=10001": "limit"} {
		if _, fault := feedproto.ParsePoll(arguments(t, "/?"+query)); !strings.HasPrefix(fault, parameter+": ") {
			t.Errorf("ParsePoll(%s) = %q, want a fault of %s", query, fault, parameter)
		}
	}
}

// Clients that hold the same ask with the same words, in whatever order they list it, and a server reads them.
func TestRefreshQueryIsReadAsWritten(t *testing.T) {
	uri := feedproto.RefreshURI("e/t", "7.a", []string{"-/latest", "-/1", "-/latest"}, []string{"b", "a"})
	if again := feedproto.RefreshURI("e/t", "7.a", []string{"-/1", "-/latest"}, []string{"a", "b"}); again != uri {
		t.Errorf("the same question is spelled %s and %s", uri, again)
	}
	want := feedproto.RefreshQuery{Since: "7.a", Pairs: []string{"-/1", "-/latest"}, Has: map[record.Hash]bool{"a": true, "b": true}}
	if got, fault := feedproto.ParseRefreshQuery(arguments(t, uri)); !reflect.DeepEqual(got, want) || fault != "" {
		t.Errorf("ParseRefreshQuery(%s) = %+v, %q", uri, got, fault)
	}
	many := strings.Repeat("&pair=-/1", feedproto.MaxRefreshPairs+1)
	if _, fault := feedproto.ParseRefreshQuery(arguments(t, "/?"+many)); !strings.HasPrefix(fault, "pair: ") {
		t.Errorf("%d pairs are not refused: %q", feedproto.MaxRefreshPairs+1, fault)
	}
}

// An age is never told as less than it is, and a value that is not a number is read as 0.
func TestAgeIsRoundedUp(t *testing.T) {
	for age, want := range map[time.Duration]time.Duration{-time.Second: 0, 0: 0, 1: time.Millisecond, time.Second: time.Second} {
		if got := feedproto.ParseAge(feedproto.FormatAge(age)); got != want {
			t.Errorf("an age of %v is read as %v, want %v", age, got, want)
		}
	}
	if got := feedproto.ParseAge("-1"); got != 0 {
		t.Errorf("ParseAge(-1) = %v", got)
	}
}

// Only one Authorization line with the token itself authorizes.
func TestTokenAuthorizes(t *testing.T) {
	token := feedproto.NewToken("secret")
	for _, tt := range []struct {
		lines []string
		want  bool
	}{
		{[]string{feedproto.Authorization("secret")}, true},
		{[]string{"bearer secret"}, true},
		{nil, false},
		{[]string{"Bearer secret", "Bearer secret"}, false},
		{[]string{"Bearer secrets"}, false},
		{[]string{"Bearer "}, false},
		{[]string{"Basic secret"}, false},
	} {
		var lines [][]byte
		for _, line := range tt.lines {
			lines = append(lines, []byte(line))
		}
		if got := token.Authorizes(lines); got != tt.want {
			t.Errorf("Authorizes(%q) = %t", tt.lines, got)
		}
	}
}
