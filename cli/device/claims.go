package device

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"time"
)

// Claims are what a token says of itself. Nothing of it is verified: it tells a person why a token is not
// taken, and keeps one from being sent to whom it is not for.
type Claims struct {
	Audience []string  // addresses of those that it is for
	Expires  time.Time // zero if it does not say
}

// lastSecond is the last second of the year 9999.
const lastSecond = 253402300799

// Read reads the claims of a JSON Web Token; another token has none, which is an error.
func Read(token string) (Claims, error) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return Claims{}, errors.New("device: the token is not a JSON Web Token")
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return Claims{}, err
	}
	var said struct {
		Audience audience `json:"aud"`
		Expires  float64  `json:"exp"`
	}
	if err := json.Unmarshal(text, &said); err != nil {
		return Claims{}, err
	}
	c := Claims{Audience: said.Audience}
	if said.Expires > 0 {
		c.Expires = time.Unix(int64(min(said.Expires, lastSecond)), 0)
	}
	return c, nil
}

// audience is a text or a list of texts.
type audience []string

// UnmarshalJSON reads either.
func (a *audience) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*a = audience{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(a))
}
