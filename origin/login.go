package origin

import (
	"github.com/valyala/fasthttp"

	"example.com/livery/storage/record"
)

// loginsBody says at which issuers people log in.
type loginsBody struct {
	Issuers []loginBody `json:"issuers"`
}

// loginBody is one issuer, as whoever logs in there needs to know it.
type loginBody struct {
	Name       string            `json:"name"`
	Issuer     string            `json:"issuer"`
	ClientID   string            `json:"clientID"`
	Scopes     []string          `json:"scopes"`
	Parameters map[string]string `json:"parameters"`
}

// showLogin answers anybody with where to log in, as the operator set it. It reads no token and no store.
func (o *Origin) showLogin(ctx *fasthttp.RequestCtx) {
	q := ctx.UserValue(requestKey{}).(*request)
	q.route = loginRoute
	body := loginsBody{Issuers: []loginBody{}}
	for _, i := range o.keys.Logins() {
		body.Issuers = append(body.Issuers, loginBody{i.Name, i.URL, i.Login.ClientID, i.Login.Scopes, i.Login.Parameters})
	}
	a, err := bare(fasthttp.StatusOK, body)
	if err != nil {
		q.answer = o.refuse(q, err)
		return
	}
	q.answer = published(a.Body).answer(copied(ctx.Request.Header.PeekAll(fasthttp.HeaderIfNoneMatch)))
}

// published names a body by its bytes.
func published(body []byte) publication {
	return publication{body, `"` + string(record.HashOf(body)[:32]) + `"`}
}
