import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A certificate and its private key, as PEM. */
export interface Certificate {
  certificate: string;
  key: string;
}

const DAY_MS = 86_400_000;

/**
 * Makes a self-signed certificate for localhost (X.509, RFC 5280, section 4.1) that lasts a week.
 * Node.js signs but builds no certificates. These few lines spare a package with twenty others
 * behind it, a committed private key that ends up in every secret scanner, and `openssl`, which a
 * newcomer's machine may lack. RSA of 2048 bits, as DynamoDB's own.
 */
export function makeCertificate(now = Date.now()): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const algorithm = sequence(objectIdentifier('2a864886f70d01010b'), der(0x05)); // sha256WithRSA
  const commonName = sequence(objectIdentifier('550403'), der(0x0c, Buffer.from('localhost')));
  const name = sequence(der(0x31, commonName));
  const serial = Buffer.concat([Buffer.of(0x01), randomBytes(8)]);
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.of(2))), // version 3
    der(0x02, serial),
    algorithm,
    name,
    sequence(time(now - DAY_MS), time(now + 7 * DAY_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(alternativeName('localhost'))),
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const certificate = sequence(toBeSigned, algorithm, der(0x03, Buffer.of(0), signature));
  return {
    certificate: pem('CERTIFICATE', certificate),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** A value in DER (X.690, section 8.1): its tag, its length and its contents. */
function der(tag: number, ...contents: Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const lengths =
    length < 0x80
      ? [length]
      : length < 0x100
        ? [0x81, length]
        : [0x82, Math.floor(length / 0x100), length % 0x100];
  return Buffer.concat([Buffer.of(tag, ...lengths), content]);
}

const sequence = (...members: Uint8Array[]) => der(0x30, ...members);

const objectIdentifier = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));

/** UTCTime, as all dates before 2050 are written: YYMMDDHHMMSSZ. */
function time(milliseconds: number): Buffer {
  const digits = new Date(milliseconds).toISOString().replace(/\D/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}

/** The extension by which a client compares the host (RFC 5280, section 4.2.1.6). */
function alternativeName(host: string): Buffer {
  const names = sequence(der(0x82, Buffer.from(host)));
  return sequence(objectIdentifier('551d11'), der(0x04, names));
}

function pem(label: string, contents: Buffer): string {
  const lines = contents.toString('base64').replace(/.{64}/g, '$&\n');
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}
