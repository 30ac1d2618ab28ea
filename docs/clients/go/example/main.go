package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"time"

	"example.com/recruitment"
)

func main() {
	client := &recruitment.Client{
		BaseURL:       cmp.Or(os.Getenv("BASE_URL"), "http://127.0.0.1:3000"),
		TokenEndpoint: cmp.Or(os.Getenv("TOKEN_ENDPOINT"), "http://127.0.0.1:3001/token"),
		ClientID:      cmp.Or(os.Getenv("CLIENT_ID"), "client"),
		ClientSecret:  cmp.Or(os.Getenv("CLIENT_SECRET"), "secret"),
		// With Cognito: recruitment/applications:read …
		Scope: cmp.Or(os.Getenv("SCOPE"), "applications:read jobs:write"),
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()

	for _, candidate := range []string{"c-1001", "unknown"} {
		var application struct {
			Name  string
			Stage string `json:"stage_title"`
		}
		if err := client.GetApplication(ctx, "4007", candidate, &application); err != nil {
			fmt.Println(err)
		} else {
			fmt.Println(application.Name, application.Stage)
		}
	}

	known := client.SetJobStatus(ctx, "4007", "paused", `"0"`) // changes nothing
	change := client.SetJobStatus(ctx, "4007", "paused", known.Header.Get("ETag"))
	fmt.Println(change.Outcome, change.Lost, change.Header.Get("ETag"))
}
