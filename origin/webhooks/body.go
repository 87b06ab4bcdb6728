package webhooks

import (
	"cmp"
	"errors"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"

	"example.com/livery/origin/events"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// purges reports whether an event of the kind changes what edges serve.
func purges(kind string) bool {
	switch kind {
	case events.ThemeChanged, events.ThemeDeleted, events.ThemePublished, events.VariantCreated, events.VariantDeleted, events.VariantPublished, events.VariantsPublished:
		return true
	}
	return false
}

// names are what the API calls a Theme and a Variant of an event, now.
type names struct{ theme, variant string }

// readNames reads the names of what an event is about; an id takes the place of what is not there any more.
func readNames(r storage.Reader, environment string, e record.Event) (names, error) {
	n := names{e.ThemeID, e.VariantID}
	if e.ThemeID == "" {
		return n, nil
	}
	theme, err := storage.Themes.Read(r, environment, e.ThemeID)
	if err == nil {
		n.theme = theme.DisplayName
	}
	if err == nil && e.VariantID != "" {
		var variant record.Variant
		if variant, err = storage.Variants.Read(r, environment, e.ThemeID, e.VariantID); err == nil {
			n.variant = variant.DisplayName
		}
	}
	if errors.Is(err, storage.ErrNotFound) {
		err = nil
	}
	return n, err
}

// bodyOf returns the body of a message in the format of the webhook. The message has one event, of which n are the names, or
// several in FormatEvents.
func bodyOf(w record.Webhook, batch []record.Event, n names) ([]byte, error) {
	var body any
	switch w.Format {
	case FormatPurge:
		body = purgeBody{surrogateKeys(batch[0])}
	case FormatChat:
		body = chatBody{sentence(batch[0], n, w.Identities)}
	case FormatEvents:
		all := eventsBody{}
		for _, e := range batch {
			all.Events = append(all.Events, events.BodyOf(w.EnvironmentID, e, w.Identities))
		}
		body = all
	default:
		body = events.BodyOf(w.EnvironmentID, batch[0], w.Identities)
	}
	return json.Marshal(body, json.Deterministic(true), record.AnswerTimes)
}

// eventsBody is some events of one Theme.
type eventsBody struct {
	Events []events.Body `json:"events"`
}

// purgeBody is what a CDN takes to drop files by their surrogate keys.
type purgeBody struct {
	SurrogateKeys []string `json:"surrogate_keys"`
}

// surrogateKeys are those of the files that an event changes: all of the Variant, or all of the Theme with its Variants, of
// which an event of many does not list each. A test changes none.
func surrogateKeys(e record.Event) []string {
	if e.ThemeID == "" {
		return []string{}
	}
	return []string{cmp.Or(e.VariantID, e.ThemeID)}
}

// chatBody is what the incoming webhooks of chats take.
type chatBody struct {
	Text string `json:"text"`
}

// sentence tells an event to people, with who made the change if identities are told.
func sentence(e record.Event, n names, identities bool) string {
	by := ""
	if identities {
		by = " by " + plain(e.By)
	}
	if e.Kind == events.WebhookPing {
		return "Livery: this is a test" + by
	}
	_, verb, _ := strings.Cut(e.Kind, ".")
	text, draft, was := "Theme "+plain(n.theme), "The draft of ", " was "
	switch {
	case e.Count > 0:
		text, draft, was = strconv.Itoa(e.Count)+" Variants of "+text, "The drafts of ", " were "
	case e.VariantID != "":
		text = "Variant " + plain(n.variant) + " of " + text
	}
	switch verb {
	case "drafted":
		text = draft + text + was + "changed"
	case "discarded":
		text = draft + text + was + "discarded"
	default:
		text += was + verb
	}
	if e.Version != 0 {
		text += " as version " + strconv.FormatUint(uint64(e.Version), 10)
	}
	text += by
	if e.Note != "" {
		text += ": " + plain(e.Note)
	}
	return text
}

// plain returns a text of which no chat makes markup, a link or a mention: the punctuation that means something to one of
// them is in its full-width form, and what cannot be seen is a space.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '.':
			return '․' // a link may begin without a scheme
		case strings.ContainsRune("!\"#$%&*/:;<>?@[\\]^_`{|}~()", r):
			return r - '!' + '！'
		case !unicode.IsGraphic(r) || unicode.IsSpace(r):
			return ' '
		}
		return r
	}, s)
}
