import { execFileSync } from 'node:child_process';

/** A certificate and its private key, as PEM. */
export interface Certificate {
  certificate: string;
  key: string;
}

/** Makes a self-signed certificate for localhost that lasts a week, with RSA of 2048 bits, as DynamoDB's own. */
export function makeCertificate(): Certificate {
  const request = 'req -x509 -newkey rsa:2048 -nodes -keyout - -days 7 -subj /CN=localhost';
  const args = [...request.split(' '), '-addext', 'subjectAltName=DNS:localhost'];
  const pem = execFileSync('openssl', args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const at = pem.indexOf('-----BEGIN CERTIFICATE');
  return { certificate: pem.slice(at), key: pem.slice(0, at) };
}
