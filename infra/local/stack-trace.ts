import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { root } from '../project.ts';

/** Such as `file:///var/task/index.mjs:1:4711`. */
const PLACE = /(file:[^\s()]+\.mjs):(\d+):(\d+)/g;

export function mapToSources(text: string): string {
  const maps = new Map<string, SourceMap | undefined>();
  const mapped = text.replaceAll(PLACE, (place, url, line, column) => {
    if (!maps.has(url)) maps.set(url, readMap(new URL(`${url}.map`)));
    const origin = maps.get(url)?.findOrigin(Number(line), Number(column));
    if (origin === undefined || !('fileName' in origin)) return place;
    const file = fileURLToPath(new URL(origin.fileName, url));
    return `${relative(root, file)}:${origin.lineNumber}:${origin.columnNumber}`;
  });
  return mapped.replaceAll(`${pathToFileURL(root)}/`, '');
}

function readMap(file: URL): SourceMap | undefined {
  return existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
}
