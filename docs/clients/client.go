package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"example/recruitment"

	"github.com/hashicorp/go-retryablehttp"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

var issuer = clientcredentials.Config{
	TokenURL:     cmp.Or(os.Getenv("TOKEN_ENDPOINT"), "http://127.0.0.1:3001/token"),
	ClientID:     cmp.Or(os.Getenv("CLIENT_ID"), "client"),
	ClientSecret: cmp.Or(os.Getenv("CLIENT_SECRET"), "secret"),
	// With Cognito: recruitment/applications:read …
	Scopes: []string{"applications:read", "jobs:write"},
}

// newTokens gets a token, and another one a minute before it expires.
func newTokens() oauth2.TokenSource {
	client := &http.Client{Timeout: 10 * time.Second}
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, client)
	return oauth2.ReuseTokenSourceWithExpiry(nil, issuer.TokenSource(ctx), time.Minute)
}

// attempts of a request are in its context.
type attempts struct {
	lost bool // True if one may have made the change, and no response says so.
}

type attemptsKey struct{}

// transport makes one attempt, or two if the API rejects the token of the first.
type transport struct {
	mu     sync.Mutex
	tokens oauth2.TokenSource
}

func (t *transport) token(rejected string) (*oauth2.Token, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	token, err := t.tokens.Token()
	if err == nil && token.AccessToken == rejected {
		t.tokens = newTokens()
		return t.tokens.Token()
	}
	return token, err
}

func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	return t.attempt(request, "")
}

func (t *transport) attempt(request *http.Request, rejected string) (*http.Response, error) {
	token, err := t.token(rejected)
	if err != nil {
		return nil, err
	}
	request = request.Clone(request.Context())
	if request.GetBody != nil {
		request.Body, _ = request.GetBody()
	}
	token.SetAuthHeader(request)
	state, isUpdate := request.Context().Value(attemptsKey{}).(*attempts)
	if !isUpdate {
		state = &attempts{}
	}
	lost := state.lost
	state.lost = true // until the response is here
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	var problem struct {
		Code           string
		OutcomeUnknown bool `json:"outcome_unknown"`
	}
	if err = cmp.Or(err, json.Unmarshal(body, &problem)); err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	noAnswer := problem.Code != "unavailable" || problem.OutcomeUnknown
	state.lost = lost || (response.StatusCode >= 500 && noAnswer)
	if problem.Code == "invalid_token" && rejected == "" {
		return t.attempt(request, token.AccessToken)
	}
	return response, nil
}

// isWorthRepeating is true for all faults but a problem of the service with status 500.
func isWorthRepeating(ctx context.Context, response *http.Response, err error) (bool, error) {
	if response != nil && response.StatusCode == http.StatusInternalServerError &&
		response.Header.Get("Content-Type") == "application/problem+json" {
		return false, nil
	}
	return retryablehttp.DefaultRetryPolicy(ctx, response, err)
}

// newClient makes up to four attempts for each request, each for at most ten seconds.
func newClient() *recruitment.RecruitmentAPIService {
	retries := retryablehttp.NewClient()
	retries.HTTPClient.Transport = &transport{tokens: newTokens()}
	retries.HTTPClient.Timeout = 10 * time.Second
	retries.RetryMax = 3
	retries.RetryWaitMin, retries.RetryWaitMax = 0, 200*time.Millisecond
	retries.Backoff = retryablehttp.RateLimitLinearJitterBackoff
	retries.CheckRetry = isWorthRepeating
	retries.ErrorHandler = retryablehttp.PassthroughErrorHandler
	retries.Logger = nil
	url := cmp.Or(os.Getenv("BASE_URL"), "http://127.0.0.1:3000")
	configuration := recruitment.NewConfiguration()
	configuration.Servers = recruitment.ServerConfigurations{{URL: url}}
	configuration.HTTPClient = retries.StandardClient()
	return recruitment.NewAPIClient(configuration).RecruitmentAPI
}

// setStatus sets the status of a job that has this version. It returns the outcome, whether an attempt
// was lost, and the version.
func setStatus(ctx context.Context, api *recruitment.RecruitmentAPIService, id string,
	status recruitment.JobStatus, version string) (string, bool, string) {
	state := &attempts{}
	_, response, err := api.UpdateJobStatus(context.WithValue(ctx, attemptsKey{}, state), id).
		JobStatusUpdate(recruitment.JobStatusUpdate{Status: status}).IfMatch(version).Execute()
	if response == nil { // or the context is done
		log.Print(err)
		response = &http.Response{}
	}
	etag := response.Header.Get("ETag")
	known, _ := strconv.Atoi(strings.Trim(version, `"`))
	isNext := etag == fmt.Sprintf(`"%d"`, known+1)
	switch {
	case response.StatusCode == http.StatusOK:
		return "set", state.lost, etag
	case response.StatusCode == http.StatusNotFound:
		return "no such job", state.lost, etag
	case response.StatusCode == http.StatusConflict:
		return "not allowed", state.lost, etag
	case response.StatusCode == http.StatusPreconditionFailed && state.lost && isNext:
		return "probably set", state.lost, etag
	case response.StatusCode == http.StatusPreconditionFailed:
		return "changed by others", state.lost, etag
	case state.lost: // and 401, 403, 429, 500, 503 or no response
		return "unknown", state.lost, etag
	}
	return "not set", state.lost, etag
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second) // or your caller's
	defer cancel()
	api := newClient()
	var reads sync.WaitGroup
	for _, id := range []string{"c-1001", "unknown"} {
		reads.Go(func() {
			application, _, err := api.GetApplication(ctx, "4007", id).Execute()
			fmt.Println(application.GetName(), err)
		})
	}
	reads.Wait()
	_, _, version := setStatus(ctx, api, "4007", recruitment.PAUSED, `"0"`) // changes nothing
	fmt.Println(setStatus(ctx, api, "4007", recruitment.PAUSED, version))
}
