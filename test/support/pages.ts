import { readFileSync } from 'node:fs';

/** A row of the table in docs/issuers.md. A cell without backticks keeps its default: it becomes empty. */
export function issuerSettings(name: string) {
  const row = readFileSync('docs/issuers.md', 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`| ${name} |`));
  const cells = row?.split('|').map((cell) => /`(.+)`/.exec(cell)?.[1] ?? '') ?? [];
  const [, , issuer = '', audience = '', scopeClaims = '', tenantClaim = ''] = cells;
  return { issuer, audience, scopeClaims, tenantClaim };
}
