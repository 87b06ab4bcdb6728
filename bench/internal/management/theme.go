package management

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"example.com/livery/client"
)

// perGroup is the number of tokens of each group of a Theme.
const perGroup = 20

// theme is a Theme of an origin that is edited again and again. It is for one goroutine.
type theme struct {
	server      *server
	environment string
	id          string
	etag        string // of its draft
	edits       int
}

// newTheme makes a Theme with so many tokens, a fifth of them aliases, and publishes it.
func (h *server) newTheme(ctx context.Context, environment, slug string, tokens int) (*theme, error) {
	made, err := h.api.CreateTheme(ctx, environment, client.NewTheme{
		Slug: slug, DisplayName: slug, Integration: &client.Integration{Framework: "react", Library: "plainCSS"},
	})
	if err != nil {
		return nil, err
	}
	var batch []client.Operation
	for g := range tokens / perGroup {
		batch = append(batch, client.Operation{Operation: "add", Path: fmt.Sprintf("/group-%d", g), Value: group(g)})
	}
	if _, err := h.api.EditThemeTokens(ctx, environment, made.ID, client.EditOptions{}, batch); err != nil {
		return nil, err
	}
	published, err := h.api.PublishTheme(ctx, environment, made.ID, client.PublishOptions{})
	if err == nil && published.TokenCount != tokens {
		err = fmt.Errorf("the Theme %s has %d tokens, %d were sent", slug, published.TokenCount, tokens)
	}
	return &theme{server: h, environment: environment, id: made.ID}, err
}

// group is one group of colors as JSON.
func group(g int) json.RawMessage {
	text := []byte(`{"$type":"color"`)
	for i := range perGroup {
		value := fmt.Sprintf("#%06x", g<<8+i)
		if i%5 == 4 {
			value = "{" + tokenPath(g, i-1) + "}"
		}
		text = fmt.Appendf(text, `,"token-%d":{"$value":%q}`, i, value)
	}
	return append(text, '}')
}

func tokenPath(g, i int) string { return fmt.Sprintf("group-%d.token-%d", g, i) }

func (t *theme) address(rest string) string { return t.environment + "/themes/" + t.id + rest }

// patch sends one operation on the draft that the last one left.
func (t *theme) patch(ctx context.Context, operation string) (time.Duration, error) {
	a, err := t.server.send(ctx, http.MethodPatch, t.address("/tokens?etag="+t.etag), []byte(`{"operations":[`+operation+`]}`))
	if err == nil && (a.etag == "" || a.etag == t.etag) {
		err = fmt.Errorf("an edit of the Theme %s changed nothing", t.id)
	}
	t.etag = a.etag
	return a.took, err
}

// edit gives one token a value that it never had.
func (t *theme) edit(ctx context.Context) (time.Duration, error) {
	t.edits++
	return t.patch(ctx, fmt.Sprintf(`{"operation":"replace","path":"/group-0/token-3/$value","value":"#%06xff"}`, t.edits))
}

// rename gives the group at the end of the Theme another name.
func (t *theme) rename(ctx context.Context, from, to string) error {
	_, err := t.patch(ctx, fmt.Sprintf(`{"operation":"move","from":"/%s","path":"/%s"}`, from, to))
	return err
}

// publish publishes the draft.
func (t *theme) publish(ctx context.Context) (time.Duration, error) {
	a, err := t.server.send(ctx, http.MethodPost, t.address("/tokens/publish"), nil)
	t.etag = ""
	return a.took, err
}

// editAndPublish publishes a value that the Theme never had.
func (t *theme) editAndPublish(ctx context.Context) (time.Duration, error) {
	edited, err := t.edit(ctx)
	if err != nil {
		return 0, err
	}
	published, err := t.publish(ctx)
	return edited + published, err
}

// read reads every token.
func (t *theme) read(ctx context.Context) (time.Duration, error) {
	a, err := t.server.send(ctx, http.MethodGet, t.address("/tokens"), nil)
	return a.took, err
}
