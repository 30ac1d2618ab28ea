#!/usr/bin/env bash
# Runs a command, such as `npx vitest run`, with AWS's DynamoDB Local as the database. The script downloads DynamoDB Local from Maven
# Central and starts it on port 8010. The script needs Java 17 and Maven.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
copy() { mvn -q dependency:copy -Dartifact="software.amazon.dynamodb:DynamoDBLocal:3.0.0$1" -DoutputDirectory="$2"; }
copy :pom "$folder"
mvn -q -f "$folder/DynamoDBLocal-3.0.0.pom" dependency:copy-dependencies -DoutputDirectory="$folder/lib"
copy '' "$folder/lib"
# `-sharedDb` gives all access keys and regions the same tables, as the embedded database does.
java -Djava.library.path="$folder/lib" -cp "$folder/lib/*" software.amazon.dynamodb.services.local.main.ServerRunner \
  -inMemory -sharedDb -disableTelemetry -port 8010 &
trap 'kill $!; rm -rf "$folder"' EXIT
until (exec 3<>/dev/tcp/127.0.0.1/8010) 2>/dev/null; do sleep 1; done
AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:8010 "$@"
