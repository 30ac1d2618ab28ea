/** The names in a comma-separated list, such as `AUDIENCE` or the header `Content-Encoding`. */
export const splitList = (list = ''): string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
