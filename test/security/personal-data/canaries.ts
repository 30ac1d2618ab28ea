import { fullApplication } from '../../support/items.ts';

/** A person, invented, of whose words there are no others like them anywhere. */
export const who = {
  name: 'Zoraide Canário-z1q Teixeira',
  email: 'zoraide.canario.z1q@example.com',
  phone: '+55 11 98001-0199',
  linkedIn: 'linkedin.example.com/in/zoraide-canario-z1q',
  place: 'Canarópolis do z1q',
  summary: 'Catalogued "canary" songs\nfor z1q years & more.',
  comment: 'Comentário sigiloso z1q: não contratar?',
  signedUrl: 'https://files.example.com/z1q.pdf?X-Amz-Signature=5168e4d7canary&X-Amz-Expires=60',
  secret: 'canary-client-secret/z1q+~',
};

const { education, experience, evaluations } = fullApplication;

/** An application that holds their data wherever the contract has text. */
export const application = {
  ...fullApplication,
  name: who.name,
  email: who.email,
  phone: who.phone,
  linked_in: who.linkedIn,
  city: who.place,
  summary: who.summary,
  position: who.comment,
  resume_url: who.signedUrl,
  video_url: who.signedUrl,
  education: [{ ...education[0], institution: who.place, description: who.summary }],
  experience: [{ ...experience[0], company: who.place, description: who.summary }],
  evaluations: [
    { ...evaluations[0], evaluator: { id: 'u-7', name: who.name }, comment: who.comment },
  ],
};

/** The Base64 of `bytes` wherever they stand in what was encoded: what of it is theirs alone. */
const base64Forms = (bytes: Buffer) =>
  [0, 1, 2].flatMap((offset) => {
    const whole = Buffer.concat([Buffer.alloc(offset), bytes]);
    const [from, to] = [Math.ceil((offset * 8) / 6), Math.floor((whole.length * 8) / 6)];
    return [whole.toString('base64').slice(from, to), whole.toString('base64url').slice(from, to)];
  });

const escaped = (text: string) =>
  text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** How a secret may be written, in lower case. */
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

/** A token and its parts. */
export const partsOf = (token: string) => [token, ...token.split('.')];

/** A text that is shorter is found by chance. */
const SHORTEST = 8;

/** Those of the secrets that stand in `output`, whatever their case and encoding. */
export function tracesOf(secrets: Iterable<string>, output: string): string[] {
  const searched = output.toLowerCase();
  return [...new Set(secrets)].filter(
    (secret) =>
      secret.length >= SHORTEST && formsOf(secret).some((form) => searched.includes(form)),
  );
}
