package origin_test

import (
	"encoding/json"
	"regexp"
	"testing"
	"time"
)

// milliseconds is how answers spell times.
var milliseconds = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)

// TestAnswersSpellTimesAlike: times have three digits of a second in every answer, so that they sort as text.
func TestAnswersSpellTimesAlike(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	h.clock.move(time.Duration(1000-h.clock.Now().Nanosecond()/1e6) * time.Millisecond)
	theme := h.theme("brand")
	variant := h.variant(theme, "dark")
	h.patch(theme, red)
	h.want(200, "POST", theme+"/tokens/publish", "")
	environment := "/environments/" + h.sandbox
	times := 0
	for _, path := range []string{
		"/environments", environment, environment + "/themes", theme, theme + "/variants", variant, theme + "/tokens?version=1", variant + "/tokens",
		theme + "/tokens/versions", environment + "/events",
	} {
		var answer any
		if err := json.Unmarshal([]byte(h.want(200, "GET", path, "").body), &answer); err != nil {
			t.Fatal(err)
		}
		forEachString(answer, func(name, text string) {
			if _, err := time.Parse(time.RFC3339Nano, text); err != nil {
				return
			}
			if times++; !milliseconds.MatchString(text) {
				t.Errorf("GET %s: %s = %q, want three digits of a second", path, name, text)
			}
		})
	}
	if times < 12 {
		t.Errorf("%d times were looked at", times)
	}
}

// forEachString calls each for every string member of a JSON value.
func forEachString(v any, each func(name, text string)) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			if text, ok := member.(string); ok {
				each(name, text)
			}
			forEachString(member, each)
		}
	case []any:
		for _, item := range v {
			forEachString(item, each)
		}
	}
}

// TestAllFaultsOfAQueryAtOnce: a parameter that the route does not know hides no other fault.
func TestAllFaultsOfAQueryAtOnce(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	e := h.do(owner, "GET", "/environments/"+h.sandbox+"/themes?pagesize=3&pageNumber=x&orderDir=up", "").refuses(t, 400, "payload")
	if len(e.Messages) != 3 {
		t.Errorf("messages = %q, want one for each of the three parameters", e.Messages)
	}
}

// TestPathParameterNamesAToken: a path that can name no token is a fault, not an empty answer.
func TestPathParameterNamesAToken(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	for _, path := range []string{"/c", "a..b", "", "{a}", "a.", "$value"} {
		h.do(owner, "GET", theme+"/tokens?path="+path, "").refuses(t, 400, "validation")
	}
}
