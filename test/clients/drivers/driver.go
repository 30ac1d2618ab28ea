// Makes the calls that scripted.mjs tells on standard input, and prints what came of each.
// It is compiled in a module beside the package recruitment.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"example.com/recruitment"
)

type call struct {
	Operation, Job string
	Seconds, After float64
}

type result struct {
	Printed string  `json:"printed"`
	Reason  string  `json:"reason"`
	Seconds float64 `json:"seconds"`
}

var given struct {
	BaseURL        string `json:"baseUrl"`
	TokenEndpoint  string
	AttemptSeconds float64
	AtOnce         int
	Calls          []call
}

func seconds(number float64) time.Duration { return time.Duration(number * float64(time.Second)) }

func made(client *recruitment.Client, call call) result {
	ctx, cancel := context.WithTimeout(context.Background(), seconds(call.Seconds))
	defer cancel()
	if call.Operation == "set" {
		last := client.SetJobStatus(ctx, call.Job, "paused", `"7"`)
		printed := fmt.Sprintln(last.Outcome, last.Lost, last.Header.Get("ETag"))
		return result{Printed: strings.TrimSpace(printed), Reason: last.Error()}
	}
	var application struct{ Name string }
	var response *recruitment.Response
	if err := client.GetApplication(ctx, call.Job, "c-1", &application); errors.As(err, &response) {
		return result{Printed: fmt.Sprint("error ", response.Status), Reason: err.Error()}
	}
	return result{Printed: application.Name}
}

func main() {
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
		panic(err)
	}
	client := &recruitment.Client{
		BaseURL: given.BaseURL, TokenEndpoint: given.TokenEndpoint, ClientID: "client", ClientSecret: "secret",
		Scope: "jobs:write", AttemptLimit: seconds(given.AttemptSeconds),
	}
	results := make([]result, len(given.Calls))
	places := make(chan struct{}, given.AtOnce)
	var calls sync.WaitGroup
	for index, call := range given.Calls {
		places <- struct{}{}
		calls.Go(func() {
			defer func() { <-places }()
			time.Sleep(seconds(call.After))
			started := time.Now()
			results[index] = made(client, call)
			results[index].Seconds = time.Since(started).Seconds()
		})
	}
	calls.Wait()
	if err := json.NewEncoder(os.Stdout).Encode(results); err != nil {
		panic(err)
	}
}
