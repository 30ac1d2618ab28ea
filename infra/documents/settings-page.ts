import { readFileSync } from 'node:fs';
import { settingNamed, settingsTable } from '../stack/settings/settings.ts';

const START = '<!-- settings: npm run generate -->\n';
const END = '<!-- end -->';

/** Returns the page with its table of settings regenerated. */
export function settingsPage(file: string): string {
  const page = readFileSync(file, 'utf8');
  const start = page.indexOf(START);
  const end = page.indexOf(END);
  if (start < 0 || end < start) throw new Error(`${file} must contain ${START} and ${END}.`);
  return `${page.slice(0, start)}${START}${table()}\n${page.slice(end)}`;
}

/** Leaves out padding, so that a changed row is only one line in the diff. */
function table(): string {
  const rows = Object.keys(settingsTable).map((key) => {
    const { text, needs, isOfOwnIssuer, isRequired, default: value } = settingNamed(key) ?? {};
    return [
      `\`${key}\``,
      text,
      needs ? `\`${needs}\`` : isOfOwnIssuer && !isRequired ? 'an issuer of your own' : '',
      value ?? (isRequired ? 'required' : ''),
    ];
  });
  return [['setting', 'meaning', 'needs', 'default'], ['-', '-', '-', '-'], ...rows]
    .map((cells) => `|${cells.join('|')}|`)
    .join('\n');
}
