/** Attributes of an element: numbers are written with one decimal at most, as a place needs no more. */
export type Attributes = Readonly<Record<string, string | number>>;

/**
 * An SVG element as text.
 * @param content elements, already written; see `textElement` for words.
 */
export function element(name: string, attributes: Attributes, content: readonly string[] = []) {
  const written = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${escaped(typeof value === 'number' ? short(value) : value)}"`)
    .join('');
  return content.length === 0
    ? `<${name}${written}/>`
    : `<${name}${written}>${content.join('\n')}</${name}>`;
}

/** An element that holds words. */
export const textElement = (name: string, attributes: Attributes, words: string) =>
  element(name, attributes, [escaped(words)]);

/** A number with one decimal at most; the same on every machine. */
export const short = (value: number) => String(Math.round(value * 10) / 10);

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

const escaped = (words: string) => words.replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);
