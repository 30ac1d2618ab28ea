// Package recruitment is a client of the recruitment API, with the standard library alone.
// docs/integrate.md says what it repeats and what the outcomes mean.
package recruitment

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Client shares one token among its calls. The context of a call limits its token and all its
// attempts; each attempt may take AttemptLimit, or 10 seconds if it is 0.
type Client struct {
	BaseURL, TokenEndpoint, ClientID, ClientSecret, Scope string
	AttemptLimit                                          time.Duration
	current                                               atomic.Pointer[token]
}

type token struct {
	done    chan struct{} // closed when there is a value or a failure
	value   string
	failure error
}

// Response is the last response to a call.
type Response struct {
	Status    int // 0 if there is no response
	Header    http.Header
	Members   map[string]any // of the body, if it is a JSON object
	Outcome   string         // of a change
	Lost      bool           // an attempt may have made the change, and no response says whether it did
	body      []byte
	summary   string
	isProblem bool
}

func (r *Response) Error() string { return r.summary }

// GetApplication decodes an application into the fields that a struct has. Its error is a *Response.
func (c *Client) GetApplication(ctx context.Context, job, candidate string, into any) error {
	path := "/v1/jobs/" + url.PathEscape(job) + "/applications/" + url.PathEscape(candidate)
	r := c.call(ctx, "GET", path, http.Header{}, "")
	if r.Status == http.StatusOK && json.Unmarshal(r.body, into) == nil {
		return nil
	}
	return r
}

// SetJobStatus sets the status of a job that has this version, such as `"7"`.
func (c *Client) SetJobStatus(ctx context.Context, job, status, version string) *Response {
	header := http.Header{"Content-Type": {"application/json"}, "If-Match": {version}}
	body, _ := json.Marshal(map[string]string{"status": status})
	r := c.call(ctx, "PATCH", "/v1/jobs/"+url.PathEscape(job)+"/status", header, string(body))
	known, _ := strconv.Atoi(strings.Trim(version, `"`))
	isNext := r.Header.Get("ETag") == fmt.Sprintf(`"%d"`, known+1)
	if r.Lost && isNext && r.Outcome == "changed by others" {
		r.Outcome = "probably set"
	} else if r.Lost && r.Outcome == "not set" {
		r.Outcome = "unknown"
	}
	return r
}

func (c *Client) call(ctx context.Context, method, path string, header http.Header, body string) *Response {
	var rejected *token
	lost := false
	r := repeat(ctx, func() (r *Response, isFinal bool) {
		for {
			token, err := c.accessToken(ctx, rejected)
			if err != nil {
				return &Response{summary: err.Error(), Outcome: "not set"}, true
			}
			header.Set("Authorization", "Bearer "+token.value)
			r := c.send(ctx, method, c.BaseURL+path, header, body)
			lost = lost || r.Outcome == "unknown"
			if r.Status != http.StatusUnauthorized || rejected != nil {
				return r, false
			}
			rejected = token
		}
	})
	r.Lost = lost
	return r
}

// send makes one attempt. A transport does not follow redirects.
func (c *Client) send(ctx context.Context, method, url string, header http.Header, body string) *Response {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.AttemptLimit, 10*time.Second))
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return &Response{summary: err.Error(), Outcome: "not set"}
	}
	request.Header = header
	response, err := http.DefaultTransport.RoundTrip(request)
	if network := (*net.OpError)(nil); errors.As(err, &network) && network.Op == "dial" {
		return &Response{summary: err.Error(), Outcome: "not set"}
	} else if err != nil {
		return &Response{summary: err.Error(), Outcome: "unknown"}
	}
	defer response.Body.Close()
	r := &Response{Status: response.StatusCode, Header: response.Header, Outcome: "unknown"}
	if r.body, err = io.ReadAll(io.LimitReader(response.Body, 1_000_000)); err != nil {
		return &Response{summary: err.Error(), Outcome: "unknown"}
	}
	mediaType, _, _ := strings.Cut(strings.ToLower(r.Header.Get("Content-Type")), ";")
	mediaType = strings.TrimSpace(mediaType)
	r.isProblem = mediaType == "application/problem+json"
	if r.isProblem || mediaType == "application/json" {
		_ = json.Unmarshal(r.body, &r.Members) // what is not JSON has no members
	}
	code, _ := r.Members["code"].(string)
	failure, _ := r.Members["error"].(string)
	r.summary = fmt.Sprint(r.Status, " ", cmp.Or(code, failure, r.Header.Get("Location"), mediaType))
	outcomes := map[int]string{404: "no such job", 409: "not allowed", 412: "changed by others"}
	switch isSure := r.isProblem && r.Members["outcome_unknown"] != true; {
	case r.Status == 200 && r.Members["success"] == true:
		r.Outcome = "set"
	case r.isProblem && outcomes[r.Status] != "":
		r.Outcome = outcomes[r.Status]
	case r.Status >= 400 && r.Status < 500 || r.Status == 503 && isSure:
		r.Outcome = "not set"
	}
	return r
}

// accessToken returns the token, until a minute before it expires or until the API rejects it.
func (c *Client) accessToken(ctx context.Context, rejected *token) (*token, error) {
	t := c.current.Load()
	if t == nil || t == rejected {
		fresh := &token{done: make(chan struct{})}
		if c.current.CompareAndSwap(t, fresh) {
			go c.requestToken(fresh)
		}
		return c.accessToken(ctx, rejected)
	}
	select {
	case <-t.done:
	case <-ctx.Done():
		select {
		case <-t.done:
		default:
			c.current.CompareAndSwap(t, nil) // a later call does not wait for it
			return nil, ctx.Err()
		}
	}
	return t, t.failure
}

func (c *Client) requestToken(t *token) {
	basic := http.Request{Header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}}
	basic.SetBasicAuth(url.QueryEscape(c.ClientID), url.QueryEscape(c.ClientSecret))
	form := url.Values{"grant_type": {"client_credentials"}, "scope": {c.Scope}}.Encode()
	r := repeat(context.Background(), func() (*Response, bool) {
		return c.send(context.Background(), "POST", c.TokenEndpoint, basic.Header, form), false
	})
	t.value, _ = r.Members["access_token"].(string)
	seconds, _ := r.Members["expires_in"].(float64)
	lifetime := time.Duration(cmp.Or(seconds, 3600)) * time.Second
	if r.Status != http.StatusOK || t.value == "" {
		t.failure, lifetime = fmt.Errorf("token endpoint: %w", r), 0
		c.current.CompareAndSwap(t, nil)
	}
	time.AfterFunc(lifetime-time.Minute, func() { c.current.CompareAndSwap(t, nil) })
	close(t.done)
}

func repeat(ctx context.Context, attempt func() (r *Response, isFinal bool)) *Response {
	for n, pause := 1, 200*time.Millisecond; ; n, pause = n+1, 2*pause {
		r, isFinal := attempt()
		isFault := r.Status == 0 || r.Status > 500 || r.Status == 500 && !r.isProblem
		seconds, _ := strconv.ParseFloat(r.Header.Get("Retry-After"), 64)
		after := time.Duration(min(seconds, 3600)) * time.Second
		if date, err := http.ParseTime(r.Header.Get("Retry-After")); err == nil {
			after = time.Until(date)
		}
		wait := max(0, after) + rand.N(pause)
		end, isLimited := ctx.Deadline()
		isLate := after > 30*time.Second || isLimited && time.Until(end) <= wait
		if n == 4 || isFinal || isLate || !isFault && r.Status != http.StatusTooManyRequests {
			return r
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return r
		}
	}
}
