import { vi } from 'vitest';
import { type Answerer, type SigningKey, signingKey, TestIssuer } from '../../support/issuer.ts';
import { type Backends, type Functions, loadFunctions, loadRead } from '../../support/service.ts';

/** Which of an issuer's two documents a fault spoils. */
export type Target = 'discovery' | 'keys';

/** What came of a fetch of the keys: when it began, whether it gave the keys, and which. */
export interface Fetch {
  at: number;
  kids: readonly string[] | undefined;
}

const right: Answerer = (response, _, text) => response.end(text);

/** Makes the clocks alone a test's: timers, sockets and time-outs are real. */
export const useTestClock = () => vi.useFakeTimers({ toFake: ['Date', 'performance'] });
export const sleep = (ms: number) => vi.advanceTimersByTime(ms);

/** An issuer that fails as a test says, and the functions that need it. */
export class OutageSetup {
  /** Of the functions, but for the issuer. */
  readonly #others: Backends;
  readonly issuer: TestIssuer;
  /** A key that the issuer does not publish. */
  readonly unpublished: SigningKey;
  /** The document that a fetch begins with: discovery, unless the deployment names the keys' address. */
  readonly #first: Target;
  fetches: Fetch[] = [];
  /** When each document was asked for, by the clock of the test. */
  asked: Record<Target, number[]> = { discovery: [], keys: [] };

  /** Functions that have served requests already. */
  warm!: Functions;

  private constructor(
    others: Backends,
    issuer: TestIssuer,
    unpublished: SigningKey,
    first: Target,
  ) {
    this.#others = others;
    this.issuer = issuer;
    this.unpublished = unpublished;
    this.#first = first;
    this.recover();
  }

  static async start(others: Backends, first: Target = 'discovery'): Promise<OutageSetup> {
    const setup = new OutageSetup(others, await TestIssuer.start(), await signingKey(), first);
    setup.warm = await setup.load();
    return setup;
  }

  /** The functions as after a cold start, for which they fetch the keys. */
  load = (): Promise<Functions> => loadFunctions(this.#backends, this.#variables);

  /** Likewise the read alone. */
  loadRead = (): Promise<Functions['getApplication']> => loadRead(this.#backends, this.#variables);

  get #backends(): Backends {
    return { ...this.#others, issuer: this.issuer };
  }

  get #variables(): Record<string, string> {
    return this.#first === 'keys' ? { JWKS_URI: `${this.issuer.url}/jwks` } : {};
  }

  /** Forgets what the issuer was asked for. */
  clearRequests(): void {
    this.fetches = [];
    this.asked = { discovery: [], keys: [] };
  }

  #note(url: string, kids: Fetch['kids']): Target {
    const document = url.includes('openid-configuration') ? 'discovery' : 'keys';
    this.asked[document].push(Date.now());
    if (document === this.#first) this.fetches.push({ at: Date.now(), kids });
    return document;
  }

  /** From now on the issuer answers so where it is asked for this document, or for either. */
  fail(answerer: Answerer, target?: Target): void {
    this.issuer.behaviour = (response, url, text) => {
      const asked = this.#note(url, undefined);
      if (target === undefined || target === asked) answerer(response, url, text);
      else response.end(text);
    };
  }

  /** From now on the issuer answers as it should, if in its own way. */
  recover = (answerer: Answerer = right): void => {
    this.issuer.behaviour = (response, url, text) => {
      this.#note(
        url,
        this.issuer.published.map((key) => String(Object(key).kid)),
      );
      answerer(response, url, text);
    };
  };

  /** A good token, unless another key than the issuer's signs it. */
  mint = (key?: SigningKey) => this.issuer.mint({}, {}, key);
}
