import { readFileSync } from 'node:fs';

/** Reads a row of the table in docs/issuers.md. Cells without backticks mean the default, here ''. */
export function issuerSettings(name: string) {
  const row = readFileSync('docs/issuers.md', 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`| ${name} |`));
  const cells = row?.split('|').map((cell) => /`(.+)`/.exec(cell)?.[1] ?? '') ?? [];
  const [, , issuer = '', audience = '', scopeClaims = '', tenantClaim = ''] = cells;
  return { issuer, audience, scopeClaims, tenantClaim };
}
