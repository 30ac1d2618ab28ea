import { Ajv } from 'ajv';
import { Application } from '../../../functions/domain/application.ts';
import { ajvOptions } from '../../../functions/domain/formats.ts';

/** Invented, with words that occur nowhere else. */
export const who = {
  name: 'Zoraide Canário-z1q Teixeira',
  email: 'zoraide.canario.z1q@example.com',
  phone: '+55 11 98001-0199',
  place: 'Canarópolis do z1q',
  summary: 'Catalogued "canary" songs\nfor z1q years & more.',
  comment: 'Comentário sigiloso z1q: não contratar?',
  signedUrl: 'https://files.example.com/z1q.pdf?X-Amz-Signature=5168e4d7canary&X-Amz-Expires=60',
  secret: 'canary-client-secret/z1q+~',
};

export const data: string[] = Object.values(who);

export const application = canaryOf(Application, '') as Readonly<Record<string, unknown>>;

interface Schema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: boolean;
  readonly enum?: readonly unknown[];
}

/** A value that occurs nowhere else, unless it is a boolean or the schema lists its values. */
function canaryOf(schema: Schema, place: string): unknown {
  if (schema.properties) {
    const members = Object.entries(schema.properties);
    const described = members.map(([name, member]) => [name, canaryOf(member, `${place}/${name}`)]);
    const own = [`z1q name at ${place}`, `z1q text at ${place}`];
    if (schema.additionalProperties) data.push(...own);
    return Object.fromEntries([
      ...described,
      ...(schema.additionalProperties ? [[own[0], { [String(own[0])]: own[1] }]] : []),
    ]);
  }
  if (schema.items) return [canaryOf(schema.items, place)];
  const fits = new Ajv(ajvOptions).compile(schema);
  if (schema.enum) return schema.enum.find((value) => fits(value));
  const at = data.length;
  const canaries = [
    `Canário "z1q" of ${place}\n& more`,
    `https://files.example.com/z1q${place}.pdf?X-Amz-Signature=5168e4d7canary`,
    `z1q.example.com${place}`,
    `+55 11 98001-${5168 + at}`,
    `1987-03-19T05:16:08.${100 + at}Z`,
    `${5168 + at}-03-19`,
    51_684.4721 + at,
    true,
  ];
  const canary = canaries.find((each) => fits(each));
  if (canary === undefined) throw new Error(`There is no canary for ${place}.`);
  if (canary !== true) data.push(String(canary));
  return canary;
}

/**
 * Base64 of the bytes when 0, 1 or 2 other bytes precede them, without the characters that neighbouring bytes change.
 */
const base64Forms = (bytes: Buffer) =>
  [0, 1, 2].flatMap((offset) => {
    const whole = Buffer.concat([Buffer.alloc(offset), bytes]);
    const [from, to] = [Math.ceil((offset * 8) / 6), Math.floor((whole.length * 8) / 6)];
    return [whole.toString('base64').slice(from, to), whole.toString('base64url').slice(from, to)];
  });

const escaped = (text: string) =>
  text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const json = JSON.stringify(secret).slice(1, -1);
  const forms = [
    ...[secret, secret.normalize('NFD'), json, JSON.stringify(json).slice(1, -1)],
    ...[escaped(secret), escaped(json), encodeURI(secret), encodeURIComponent(secret)],
    encodeURIComponent(encodeURIComponent(secret)),
    new URLSearchParams([['', secret]]).toString().slice(1),
    ...[bytes.toString('hex'), bytes.toString('latin1'), ...base64Forms(bytes)],
  ];
  return forms.map((form) => form.toLowerCase());
}

export const partsOf = (token: string) => [token, ...token.split('.')];

/** Shorter strings turn up in long output by chance. */
const MIN_SECRET_LENGTH = 8;

export function tracesOf(secrets: Iterable<string>, output: string): string[] {
  const searched = output.toLowerCase();
  return [...new Set(secrets)].filter(
    (secret) =>
      secret.length >= MIN_SECRET_LENGTH && formsOf(secret).some((form) => searched.includes(form)),
  );
}
