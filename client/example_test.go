package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"example.com/livery/client"
)

// A Theme is created, edited and published; its files are then served at the printed addresses.
func Example() {
	server := startOrigin() // in earnest: an address and a token of an origin that runs
	defer server.close()

	ctx := context.Background()
	c := client.New(server.url, server.token)
	theme, err := c.CreateTheme(ctx, server.environment, client.NewTheme{
		Slug: "acme", DisplayName: "Acme", Integration: &client.Integration{Framework: "react", Library: "plainCSS"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	set, err := c.EditThemeTokens(ctx, server.environment, theme.ID, client.EditOptions{}, []client.Operation{
		{Operation: "add", Path: "/brand", Value: json.RawMessage(`{"$type": "color", "$value": "#0055aa"}`)},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("draft:", set.Tokens[0].Path, string(set.Tokens[0].Value))

	theme, err = c.PublishTheme(ctx, server.environment, theme.ID, client.PublishOptions{IfMatch: set.DraftETag()})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("version:", *theme.LatestVersion, theme.ServingURLs.Latest[0].File)
	// Output:
	// draft: brand "#0055aa"
	// version: 1 tokens.css
}

// An edit that was made on an older draft is refused; read again, decide, and send it again.
func ExampleClient_EditThemeTokens_conflict() {
	server := startOrigin()
	defer server.close()

	ctx := context.Background()
	c := client.New(server.url, server.token)
	theme, err := c.CreateTheme(ctx, server.environment, client.NewTheme{Slug: "acme", DisplayName: "Acme"})
	if err != nil {
		fmt.Println(err)
		return
	}
	add := func(etag, name string) error {
		_, err := c.EditThemeTokens(ctx, server.environment, theme.ID, client.EditOptions{ETag: etag}, []client.Operation{
			{Operation: "add", Path: "/" + name, Value: json.RawMessage(`{"$type": "number", "$value": 1}`)},
		})
		return err
	}
	fmt.Println("first:", add("", "a"))
	err = add("", "b") // claims that the draft does not exist
	fmt.Println("second is a conflict:", errors.Is(err, client.ErrConflict))

	set, err := c.Scope(server.environment, theme.ID).Tokens(ctx, "", client.ReadOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("again:", add(set.DraftETag(), "b"))
	// Output:
	// first: <nil>
	// second is a conflict: true
	// again: <nil>
}

// Lists are read page by page; the Every methods go through all pages.
func ExampleClient_EveryTheme() {
	server := startOrigin()
	defer server.close()

	ctx := context.Background()
	c := client.New(server.url, server.token)
	for _, slug := range []string{"web", "app"} {
		if _, err := c.CreateTheme(ctx, server.environment, client.NewTheme{Slug: slug, DisplayName: slug}); err != nil {
			fmt.Println(err)
			return
		}
	}
	for theme, err := range c.EveryTheme(ctx, server.environment) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(theme.Slug)
	}
	// Output:
	// app
	// web
}

// A refusal says what kind it is and lists every fault.
func ExampleError() {
	server := startOrigin()
	defer server.close()

	c := client.New(server.url, server.token)
	_, err := c.CreateTheme(context.Background(), server.environment, client.NewTheme{Slug: "-", DisplayName: ""})
	var refusal *client.Error
	if errors.As(err, &refusal) && errors.Is(err, client.ErrValidation) {
		fmt.Println(refusal.Status, refusal.Cause, len(refusal.Messages))
	}
	// Output:
	// 400 validation 2
}
