#!/usr/bin/env bash
# Checks the pipe's patterns against the records of changes.test.ts with AWS's Event Ruler. Needs Java 17 and Maven.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../../.. && pwd)
libraries=$root/dist/event-ruler
(cd "$root" && npx vitest run test/infra/stack/events/changes.test.ts)
mvn -q dependency:copy-dependencies -DoutputDirectory="$libraries"
java -cp "$libraries/*" EventRuler.java "$root/dist/event-ruler.tsv"
