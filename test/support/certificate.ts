import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const DAY_MS = 86_400_000;

/**
 * Self-signed, for localhost (RFC 5280, sections 4.1 and 4.2.1.6). Does not need `openssl`, which a machine may lack.
 * Its key is RSA with 2048 bits, like DynamoDB's.
 */
export function makeCertificate(now = Date.now()) {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const algorithm = sequence(objectIdentifier('2a864886f70d01010b'), ber(0x05)); // sha256WithRSA
  const commonName = sequence(objectIdentifier('550403'), ber(0x0c, Buffer.from('localhost')));
  const name = sequence(ber(0x31, commonName));
  const host = ber(0x82, Buffer.from('localhost'));
  const serial = Buffer.concat([Buffer.of(0x01), randomBytes(8)]);
  const toBeSigned = sequence(
    ber(0xa0, ber(0x02, Buffer.of(2))), // version 3
    ber(0x02, serial),
    algorithm,
    name,
    sequence(time(now - DAY_MS), time(now + 7 * DAY_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    // Subject alternative name: clients compare the host with it, not with the common name.
    ber(0xa3, sequence(sequence(objectIdentifier('551d11'), ber(0x04, sequence(host))))),
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const certificate = sequence(toBeSigned, algorithm, ber(0x03, Buffer.of(0), signature));
  return {
    certificate: pem('CERTIFICATE', certificate),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** BER (X.690, section 8.1), always with the length in two bytes. */
function ber(tag: number, ...contents: Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(content.length);
  return Buffer.concat([Buffer.of(tag, 0x82), length, content]);
}

const sequence = (...members: Uint8Array[]) => ber(0x30, ...members);

const objectIdentifier = (hex: string) => ber(0x06, Buffer.from(hex, 'hex'));

/** UTCTime (YYMMDDHHMMSSZ), for dates before 2050. */
function time(milliseconds: number): Buffer {
  const digits = new Date(milliseconds).toISOString().replace(/\D/g, '').slice(2, 14);
  return ber(0x17, Buffer.from(`${digits}Z`));
}

function pem(label: string, contents: Buffer): string {
  const lines = contents.toString('base64').replace(/.{64}/g, '$&\n');
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}
