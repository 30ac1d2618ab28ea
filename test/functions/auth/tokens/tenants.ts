import { accepted, otherTenant, type Row, tenantless } from './row.ts';
import { claimsText, headerOf, type Setup, signed } from './setup.ts';

/** The claim that holds the tenant in the deployment of these rows. */
export const TENANT_CLAIM = 'org_id';
/** The tenant that owns what is asked for. */
export const TENANT = 'acme';

/** Names that every object has, though no token claims them. */
export const INHERITED = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];

const of = (tenant: unknown) => (setup: Setup) => setup.issuer.mint({ [TENANT_CLAIM]: tenant });

/** A token whose claims have these members too, as text. */
const text = (members: string) => (setup: Setup) =>
  signed(setup, headerOf(setup.issuer.key), claimsText(setup, members));

/** What the claim may hold that is no name of a tenant. */
const nameless: unknown[] = [
  undefined,
  null,
  '',
  [],
  [TENANT],
  {},
  { id: TENANT },
  7,
  0,
  true,
  `${TENANT}\u0000`,
  `${TENANT}\n`,
  '\ud800',
  'x'.repeat(257),
];

/** Names of other tenants that were written to read as this one's, or as a part of a key. */
const others = [
  'ACME',
  ' acme',
  'acme ',
  'acme\u200b',
  '\u0430cme',
  'acme,default',
  'acme#JOB#owned',
  'x#JOB#y',
  'TENANT#acme',
  '%61cme',
  '..',
  '*',
  'default',
  '__proto__',
  'constructor',
];

const LAST_WINS = 'the last of two claims wins, in what is checked as in what is used';

/** Tokens that are good in every way, of tenants of every kind. */
export const tenants: Row[] = [
  accepted('names the tenant', 'it owns what is asked for', of(TENANT), { tenant: TENANT }),
  accepted('names another tenant, and then this', LAST_WINS, text(`"org_id":"b","org_id":"acme"`), {
    tenant: TENANT,
  }),
  otherTenant('names this tenant, and then another', text(`"org_id":"acme","org_id":"b"`)),
  tenantless('names this tenant, and then none', text(`"org_id":"acme","org_id":null`)),
  ...nameless.map((tenant) =>
    tenantless(`names the tenant ${JSON.stringify(tenant)?.slice(0, 40)}`, of(tenant)),
  ),
  ...others.map((tenant) => otherTenant(`names the tenant ${JSON.stringify(tenant)}`, of(tenant))),
  tenantless(
    'names the tenant in the prototype of its claims',
    text(`"__proto__":{"org_id":"acme"}`),
  ),
  tenantless('names the tenant in a claim of another case', (setup) =>
    setup.issuer.mint({ ORG_ID: TENANT, Org_Id: TENANT }),
  ),
  tenantless('names the tenant in another claim', (setup) =>
    setup.issuer.mint({ tenant: TENANT, tenant_id: TENANT, 'custom:org_id': TENANT }),
  ),
];

/** Tokens for a deployment whose claim is `name`, which every object inherits. */
export const inherited = (name: string): Row[] => [
  tenantless(`does not claim ${name}`, (setup) => setup.issuer.mint()),
  tenantless(`claims an object as ${name}`, text(`"${name}":{"name":"acme"}`)),
  accepted(`claims ${name} of its own`, 'it is a claim like any other', text(`"${name}":"acme"`), {
    tenant: TENANT,
  }),
];
