import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };

/** Without the changelog, which also names files and commands that only earlier releases had. */
const pages = globSync('{*.md,docs/**/*.md}', { exclude: ['CHANGELOG.md'] });
const read = (page: string) => readFileSync(page, 'utf8');

const groups = (text: string, pattern: RegExp) =>
  Array.from(text.matchAll(pattern), ([, group = '']) => group);

const anchorsOf = (page: string) =>
  groups(read(page), /^#+ (.+)$/gm).map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );

it.each(pages)('%s links to files and sections that exist', (page) => {
  const links = groups(read(page), /\]\((?!https?:)([^)\s]+)\)/g);
  const broken = links.filter((link) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : join(dirname(page), path);
    if (globSync(target).length === 0) return true;
    return anchor !== undefined && !anchorsOf(target).includes(anchor);
  });
  expect(broken).toEqual([]);
});

it.each(pages)('%s names files and npm commands that exist', (page) => {
  // Guides mark files that do not exist yet with "(new)".
  const text = read(page).replaceAll(/^.*\(new\).*$/gm, '');
  const files = groups(text, /`((?:functions|infra|test|docs)\/[\w./*{},-]+)`/g);
  const commands = groups(text, /\bnpm run (?:-s )?([a-z][\w:-]*)/g);
  expect(files.filter((file) => globSync(file).length === 0)).toEqual([]);
  expect(commands.filter((command) => !(command in packageJson.scripts))).toEqual([]);
});
