package session

import (
	"strconv"

	"github.com/valyala/fasthttp"

	"example.com/livery/origin/httpserver"
)

// Header must stand in every request that a session counts in, with the value 1. A page of another origin cannot send it:
// the browser asks first, and package cors never allows it.
const Header = "X-Livery-Console"

// The names of the cookie. A browser takes the second for this host alone, over https alone.
const (
	plainName  = "livery_session"
	secureName = "__Host-livery_session"
)

// FromConsole reports whether a page of this very origin sent the request, as far as the browser says.
func FromConsole(h *fasthttp.RequestHeader) bool {
	if lines := h.PeekAll(Header); len(lines) != 1 || string(lines[0]) != "1" {
		return false
	}
	site := string(h.Peek("Sec-Fetch-Site")) // browsers before 2023 may send none
	return site == "" || site == "same-origin"
}

// value returns the value of the cookie that a request of the console carries, or "".
func (s *Sessions) value(ctx *fasthttp.RequestCtx) string {
	if !FromConsole(&ctx.Request.Header) {
		return ""
	}
	return string(ctx.Request.Header.Cookie(s.name(ctx)))
}

// Token returns the access token of the session that a request of the console carries, "" without one. It may not be
// valid any more. The nil Sessions has none.
func (s *Sessions) Token(ctx *fasthttp.RequestCtx) string {
	if s == nil {
		return ""
	}
	token, _, err := s.open(s.value(ctx))
	if err != nil {
		return ""
	}
	return token
}

// Of returns the session that a request of the console carries, or the error of Resume.
func (s *Sessions) Of(ctx *fasthttp.RequestCtx) (Session, error) { return s.Resume(s.value(ctx)) }

// Set returns the answer with the cookie that keeps the session.
func (s *Sessions) Set(ctx *fasthttp.RequestCtx, a httpserver.Answer, session Session, value string) httpserver.Answer {
	return s.setCookie(ctx, a, value, int(session.Expires.Sub(s.Now()).Seconds()))
}

// Clear returns the answer with what makes the browser forget the session.
func (s *Sessions) Clear(ctx *fasthttp.RequestCtx, a httpserver.Answer) httpserver.Answer {
	return s.setCookie(ctx, a, "", 0)
}

func (s *Sessions) setCookie(ctx *fasthttp.RequestCtx, a httpserver.Answer, value string, maxAge int) httpserver.Answer {
	line := s.name(ctx) + "=" + value + "; Path=/; Max-Age=" + strconv.Itoa(max(0, maxAge)) + "; HttpOnly; SameSite=Strict"
	if s.secure(ctx) {
		line += "; Secure"
	}
	return a.With(fasthttp.HeaderSetCookie, line)
}

func (s *Sessions) name(ctx *fasthttp.RequestCtx) string {
	if s.secure(ctx) {
		return secureName
	}
	return plainName
}

func (s *Sessions) secure(ctx *fasthttp.RequestCtx) bool { return s.Secure || httpserver.IsTLS(ctx) }
