import { readFileSync } from 'node:fs';

/** Without padding, so that a changed row is one line of the diff. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly unknown[])[],
): string {
  const cell = (it: unknown) => String(it).replaceAll('|', '\\|');
  return [head, head.map(() => '-'), ...rows]
    .map((row) => `|${row.map(cell).join('|')}|`)
    .join('\n');
}

/** @throws Error if the page has no such section. */
export function pageWith(page: string, section: string, text: string): string {
  const [before, rest] = readFileSync(page, 'utf8').split(
    `<!-- ${section}: npm run generate -->\n`,
  );
  const end = rest?.indexOf('<!-- end -->') ?? -1;
  if (rest === undefined || end < 0) throw new Error(`${page} has no section ${section}.`);
  return `${before}<!-- ${section}: npm run generate -->\n${text}\n${rest.slice(end)}`;
}

/** A row of the table in docs/issuers.md. A cell without backticks keeps its default: it becomes empty. */
export function issuerSettings(name: string) {
  const row = readFileSync('docs/issuers.md', 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`| ${name} |`));
  const cells = row?.split('|').map((cell) => /`(.+)`/.exec(cell)?.[1] ?? '') ?? [];
  const [, , issuer = '', audience = '', scopeClaims = '', tenantClaim = ''] = cells;
  return { issuer, audience, scopeClaims, tenantClaim };
}
