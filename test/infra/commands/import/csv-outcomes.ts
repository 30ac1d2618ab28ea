// Prints random CSV files and the results of their imports for csv-check.py. Each line is a JSON object.
// Usage: node test/infra/commands/import/csv-outcomes.ts COUNT SEED
import { csvFiles } from './csv-files.ts';
import { importCsv } from './csv-import.ts';

const [count, seed] = process.argv.slice(2).map(Number);
for (const { bytes, columns, fault } of csvFiles(count ?? 2000, seed ?? 1)) {
  const outcome = await importCsv(bytes, columns);
  const line = { bytes: bytes.toString('base64'), columns, fault, ...outcome };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
