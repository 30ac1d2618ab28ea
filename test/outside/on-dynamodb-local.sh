#!/usr/bin/env bash
# Runs a command, such as `npx vitest run`, on AWS's DynamoDB Local: downloaded from Maven Central, started on port 8010.
# Needs Java 17 and Maven.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
copy() { mvn -q dependency:copy -Dartifact="software.amazon.dynamodb:DynamoDBLocal:3.0.0$1" -DoutputDirectory="$2"; }
copy :pom "$folder"
mvn -q -f "$folder/DynamoDBLocal-3.0.0.pom" dependency:copy-dependencies -DoutputDirectory="$folder/lib"
copy '' "$folder/lib"
# `-sharedDb`: the same tables for all access keys and regions, as in the embedded database.
java -Djava.library.path="$folder/lib" -cp "$folder/lib/*" software.amazon.dynamodb.services.local.main.ServerRunner \
  -inMemory -sharedDb -disableTelemetry -port 8010 &
trap 'kill $!; rm -rf "$folder"' EXIT
until (exec 3<>/dev/tcp/127.0.0.1/8010) 2>/dev/null; do sleep 1; done
AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:8010 "$@"
