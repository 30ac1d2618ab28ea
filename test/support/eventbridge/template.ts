const PATH = /^\$(\.[\w/-]+(\[\d+\])*)*$/;

/**
 * What a pipe makes of an event by an input template, as "Amazon EventBridge Pipes input
 * transformation" and "Amazon EventBridge input transformation" describe it:
 *
 * - outside of quotes a variable stands as JSON, a string with its quotes;
 * - between quotes it stands as it is: EventBridge does not escape it;
 * - one whose path leads nowhere does not appear.
 * @param variables the reserved variables, `aws.pipes.…`, by their names.
 * @throws Error where a variable is not known, or a path has a syntax that pipes do not have.
 */
export function render(
  template: string,
  event: unknown,
  variables: Readonly<Record<string, string>> = {},
): string {
  const isQuoted = quotesIn(template);
  return template.replace(/<([^<>]+)>/g, (_, name: string, at: number) => {
    const value = name.startsWith('$') ? valueAt(event, name) : variables[name];
    if (value === undefined && !name.startsWith('$')) throw new Error(`No variable is ${name}.`);
    if (value === undefined) return '';
    return isQuoted[at] && typeof value === 'string' ? value : JSON.stringify(value);
  });
}

/** For each character of a JSON text, whether it is within a string. */
function quotesIn(text: string): boolean[] {
  let isWithin = false;
  let isEscaped = false;
  return Array.from({ length: text.length }, (_, at) => {
    const character = text[at];
    if (character === '"' && !isEscaped) isWithin = !isWithin;
    isEscaped = isWithin && character === '\\' && !isEscaped;
    return isWithin;
  });
}

function valueAt(event: unknown, path: string): unknown {
  if (!PATH.test(path)) throw new Error(`A pipe does not take the path ${path}.`);
  const steps = path.match(/[\w/-]+/g) ?? [];
  return steps.reduce<unknown>(
    (value, step) => (value as Record<string, unknown> | undefined)?.[step],
    event,
  );
}
