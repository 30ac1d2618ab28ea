#!/usr/bin/env bash
# Tests the clients in docs/clients and generated ones in other languages against a running `npm start`, behind a proxy that adds
# what a later /v1 may add (additions.ts). Also imports the OpenAPI document into Postman, and runs schemathesis against the
# service. outside.yml installs the tools that each part needs.
# Usage: bash test/outside/clients.sh [PART…], by default all parts.
set -euo pipefail
shopt -s inherit_errexit

root=$(cd "$(dirname "$0")/../.." && pwd)
document=$root/docs/openapi.json
export BASE_URL=${BASE_URL:-http://127.0.0.1:3000}
export TOKEN_ENDPOINT=${TOKEN_ENDPOINT:-http://127.0.0.1:3001/token}
TOKEN=$(curl -sSf "$TOKEN_ENDPOINT" -d grant_type=client_credentials -d scope='applications:read jobs:write' \
  -d expires_in=7200 | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
export TOKEN
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export npm_config_loglevel=error PIP_DISABLE_PIP_VERSION_CHECK=1

example() {
  "$@" | tee printed
  grep -q 'Ana Conceição Araújo' printed
  grep -q '^404 ' printed
  grep -Eq '^set false "[0-9]+"$' printed
}

# Leaves out the TypeScript client's scenarios, which `npm test` runs.
clients() {
  cp -r "$root/docs/clients" "$root/docs/openapi.json" .
  (
    cd clients/typescript
    npm install openapi-typescript@7.13.0 typescript@5.9.3 @types/node@24
    npx openapi-typescript ../../openapi.json -o recruitment.d.ts
    npx tsc --noEmit --strict --target es2023 --module nodenext --allowImportingTsExtensions --types node example.mts
    example node example.mts
  )
  python_with httpx==0.28.1
  (cd clients/python && example "$work/python/bin/python" example.py)
  local test=$root/test/clients
  node "$test/scripted.mjs" "$work/python/bin/python" "$test/drivers/driver.py"
  node "$test/scripted.mjs" "$work/python/bin/python" "$test/drivers/driver.py" asyncio
}

openapi_generator() {
  local jar=$work/jar/openapi-generator-cli-7.25.0.jar
  [ -f "$jar" ] || mvn -q -B dependency:copy -DoutputDirectory="$work/jar" \
    -Dartifact=org.openapitools:openapi-generator-cli:7.25.0
  java -Dlog.level=error -jar "$jar" generate -i "$document" -g "$@" >/dev/null
}

# Makes openapi-generator's go and java clients accept unknown members and values, which they reject by default.
survives_additions=disallowAdditionalPropertiesIfNotPresent=false,enumUnknownDefaultCase=true

python_with() {
  python3 -m venv "$work/python"
  "$work/python/bin/pip" install -q "$@"
}

go() {
  openapi_generator go -o recruitment --additional-properties="withGoMod=false,packageName=recruitment,$survives_additions"
  mkdir generated
  cat >generated/main.go <<'END'
package main

import (
	"context"
	"os"

	"example/recruitment"
)

func must(ok bool, what string) {
	if !ok {
		panic(what)
	}
}

func main() {
	configuration := recruitment.NewConfiguration()
	configuration.Servers = recruitment.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	ctx := context.WithValue(context.Background(), recruitment.ContextAccessToken, os.Getenv("TOKEN"))
	api := recruitment.NewAPIClient(configuration).RecruitmentAPI
	application, _, err := api.GetApplication(ctx, "4007", "c-1001").Execute()
	must(err == nil && application.CreatedAt.Year() == 2026, "the application")
	paused := recruitment.JobStatusUpdate{Status: recruitment.PAUSED}
	updated, _, err := api.UpdateJobStatus(ctx, "4007").JobStatusUpdate(paused).Execute()
	must(err == nil && updated.Success, "the update")
	_, _, err = api.GetApplication(ctx, "4007", "unknown").Execute()
	body := err.(*recruitment.GenericOpenAPIError).Model().(recruitment.ProblemOrGatewayMessage)
	must(body.Problem.Code == "a_new_code", "the problem")
}
END
  # The generated tests import a module that does not exist.
  rm -r recruitment/test
  command go mod init example
  command go mod tidy
  command go run ./generated
}

java_native() {
  openapi_generator java -o client --library native --additional-properties="$survives_additions"
  mkdir -p client/src/main/java/check
  cat >client/src/main/java/check/Main.java <<'END'
package check;

import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.RecruitmentApi;
import org.openapitools.client.model.JobStatus;
import org.openapitools.client.model.JobStatusUpdate;

public class Main {
  public static void main(String[] arguments) throws ApiException {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("BASE_URL"));
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + System.getenv("TOKEN")));
    RecruitmentApi api = new RecruitmentApi(client);
    must(api.getApplication("4007", "c-1001").getCreatedAt().getYear() == 2026);
    must(api.updateJobStatus("4007", new JobStatusUpdate().status(JobStatus.PAUSED), null).getSuccess());
    try {
      api.getApplication("4007", "unknown");
      must(false);
    } catch (ApiException error) {
      must(error.getResponseBody().contains("a_new_code"));
    }
  }

  private static void must(boolean ok) {
    if (!ok) throw new AssertionError();
  }
}
END
  mvn -q -B -f client/pom.xml compile dependency:build-classpath -Dmdep.outputFile="$PWD/classpath" >/dev/null
  java -cp "client/target/classes:$(cat classpath)" check.Main
}

postman() {
  npm install openapi-to-postmanv2@6.3.3
  npx openapi2postmanv2 -s "$document" -o collection.json -O parametersResolution=Example,enableOptionalParameters=false >/dev/null
  cat >send.cjs <<'END'
const assert = require('node:assert');
const collection = require('./collection.json');

const requestsIn = (item) => (item.item ? item.item.flatMap(requestsIn) : [item.request]);
(async () => {
  const requests = requestsIn(collection);
  assert.equal(requests.length, 2);
  for (const { method, url, header, body } of requests) {
    const values = Object.fromEntries(url.variable.map(({ key, value }) => [key, value]));
    const path = url.path.map((part) => (part.startsWith(':') ? values[part.slice(1)] : part)).join('/');
    const headers = header.filter(({ disabled }) => !disabled).map(({ key, value }) => [key, value]);
    const { BASE_URL, TOKEN } = process.env;
    const { status } = await fetch(`${BASE_URL}/${path}`, {
      method,
      headers: [...headers, ['Authorization', `Bearer ${TOKEN}`]],
      body: body?.raw,
    });
    assert.equal(status, 200, path);
  }
})();
END
  node send.cjs
}

http() {
  npm install httpyac@6.16.7
  sed "s|http://127.0.0.1:3001/token|$TOKEN_ENDPOINT|; s|http://127.0.0.1:3000|$BASE_URL|" \
    "$root/docs/recruitment.http" >recruitment.http
  npx httpyac recruitment.http --all --output short | grep '^=>'
}

schemathesis() {
  python_with schemathesis==4.32.5
  # 412: an `If-Match` that is not the job's version. 413: a body that is too large.
  cat >schemathesis.toml <<'END'
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "401", "403", "404", "409", "412"]
[checks.negative_data_rejection]
expected-statuses = ["400", "401", "403", "404", "413", "415"]
END
  "$work/python/bin/schemathesis" run "$document" --url "$BASE_URL" -H "Authorization: Bearer $TOKEN" \
    --checks all --max-examples 2000 --continue-on-failure
}

parts=(clients go java_native postman http schemathesis)
[ $# -eq 0 ] || parts=("$@")
export PATH=$root/node_modules/.bin:$PATH
node "$root/test/outside/additions.ts" >"$work/additions" &
trap 'kill $!; rm -rf "$work"' EXIT
until [ -s "$work/additions" ]; do sleep 0.1; done
for part in "${parts[@]}"; do
  echo "== $part"
  mkdir "$work/$part.d"
  (
    cd "$work/$part.d" && rm -rf "$work/python"
    # These parts do not use the proxy: Postman and httpYac read little of the responses, and schemathesis would report
    # what the proxy adds.
    [[ $part =~ ^(postman|http|schemathesis)$ ]] || BASE_URL=$(cat "$work/additions")
    "$part"
  )
  echo "ok $part"
done
