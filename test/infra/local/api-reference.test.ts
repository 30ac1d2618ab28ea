import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, describe, expect } from 'vitest';
import type { Operation } from '../../../functions/contract/operation.ts';
import { operationNames, operations } from '../../../functions/operations/operations.ts';
import { serviceTest as it, root } from '../../support/local-service.ts';

const browser = await startChromium();

const BROWSER_WITHIN_MS = 600_000;

const MOST_TABS = 5;

describe('the API reference', () => {
  it('opens at the address of the service', async ({ running }) => {
    const response = await fetch(running.base);
    expect([response.status, response.url]).toEqual([200, `${running.base}/docs`]);
    const { status } = await fetch(running.base, { method: 'HEAD', redirect: 'manual' });
    expect(status).toBe(302);
  });

  it('uses the OpenAPI document, with the service as the only server', async ({ running }) => {
    const served = await (await fetch(`${running.base}/openapi.json`)).json();
    const document = JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8'));
    expect(served).toMatchObject({ info: document.info, components: document.components });
    expect(served).toMatchObject({ servers: [{ url: running.base }] });
  });

  it('allows only its own scripts, and connections only to the service', async ({ running }) => {
    const { headers } = await fetch(`${running.base}/docs`);
    const policy = headers.get('content-security-policy')?.split('; ') ?? [];
    expect(policy).toEqual(
      expect.arrayContaining(["default-src 'none'", "script-src 'self'", "connect-src 'self'"]),
    );
    expect(policy.filter((directive) => /https?:|[ ']\*/.test(directive))).toEqual([]);
  });

  describe.skipIf(browser === undefined)('in a browser', () => {
    /** Requests to other hosts, and errors such as violations of the Content Security Policy. */
    const unwanted: string[] = [];

    async function open(base: string): Promise<Page> {
      const context = await browser?.newContext({ viewport: { width: 1280, height: 900 } });
      if (context === undefined) throw new Error('There is no browser.');
      context.setDefaultTimeout(BROWSER_WITHIN_MS);
      context.on('request', (sent) => {
        if (new URL(sent.url()).origin !== base) unwanted.push(sent.url());
      });
      context.on('console', (message) => {
        if (message.type() === 'error') unwanted.push(message.text());
      });
      context.on('weberror', (error) => unwanted.push(String(error.error())));
      const page = await context.newPage();
      await page.goto(base);
      await page.getByRole('heading', { level: 1 }).waitFor();
      return page;
    }

    const responseTo = (page: Page, { method }: Operation) =>
      page.waitForResponse(
        (response) =>
          response.request().method() === method &&
          new URL(response.url()).pathname.startsWith('/v1/'),
      );
    const testRequest = (page: Page, { method, path }: Operation) =>
      page.getByRole('button', { name: `Test Request (${method.toLowerCase()} ${path})` });
    const sendButton = (page: Page) =>
      page.getByRole('dialog').getByRole('button', { name: /^Send \w+ request/ });

    async function violations(page: Page): Promise<string[]> {
      const found: string[] = [];
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.locator(`body.${colorScheme}-mode`).waitFor();
        for (const width of [1280, 390]) {
          await page.setViewportSize({ width, height: 900 });
          // CSS transitions change colours, so wait until they end.
          const results = await page.evaluate<axe.AxeResults>(`
            ${axe.source};
            Promise.allSettled(document.getAnimations().map(({ finished }) => finished))
              .then(() => axe.run({ runOnly: ['color-contrast', 'button-name'] }))`);
          for (const { id, nodes } of results.violations) {
            found.push(...nodes.map(({ html }) => `${colorScheme}, ${width}, ${id}: ${html}`));
          }
        }
      }
      return found;
    }

    afterAll(async () => {
      await browser?.close();
    });
    afterEach(() => {
      expect(unwanted.splice(0)).toEqual([]);
    });

    it.for(operationNames)(
      'tries %s with a token and ids that are filled in',
      async (name, { running }) => {
        const operation = operations[name];
        const page = await open(running.base);
        await page.getByRole('link', { name: operation.summary }).click();
        await testRequest(page, operation).click();
        const console = page.getByRole('dialog');
        const variables = console.getByRole('region', { name: 'Variables' });
        const values = variables.getByRole('combobox', { name: 'Value' });
        expect(await values.allTextContents()).toEqual(
          ['4007', 'c-1001'].slice(0, operation.path.split('{').length - 1),
        );
        const received = responseTo(page, operation);
        await sendButton(page).click();
        const response = await received;
        expect(response.status()).toBe(200);
        await console.getByRole('link', { name: '200 OK' }).waitFor();
        const [member = ''] = Object.keys(await response.json());
        await console.getByRole('region', { name: 'Response' }).getByText(`"${member}"`).waitFor();
      },
    );

    it('has a skip link, and the first Send is a few Tab presses away from it', async ({
      running,
    }) => {
      const page = await open(running.base);
      const focused = page.locator(':focus');
      await page.keyboard.press('Tab');
      expect(await focused.textContent()).toBe('Skip to the first request');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').locator(':focus').waitFor();
      let tabs = 0;
      while (!(await focused.textContent())?.includes('Send')) {
        await page.keyboard.press('Tab');
        tabs += 1;
        expect(tabs).toBeLessThanOrEqual(MOST_TABS);
      }
    });

    it('shows why a request failed until somebody closes the message or sends a request', async ({
      running,
    }) => {
      const operation = operations['get-application'];
      const page = await open(running.base);
      await testRequest(page, operation).click();
      await page.route('**/v1/**', (route) => route.abort());
      await sendButton(page).click();
      const failure = page.getByRole('alert').filter({ hasText: 'Close' });
      await failure.getByText('Failed to fetch').waitFor();
      const toasts = page.locator('[data-sonner-toast]');
      expect(await toasts.filter({ visible: true }).count()).toBe(0);
      expect(await violations(page)).toEqual([]);
      // Scalar's own message (a toast) disappears after a few seconds; our page's message stays.
      await expect.poll(() => toasts.count()).toBe(0);
      await failure.waitFor();
      expect(unwanted.splice(0).join()).toContain('net::ERR_FAILED');
      await page.unroute('**/v1/**');
      await page.keyboard.press('ControlOrMeta+Enter');
      await page.getByRole('link', { name: '200 OK' }).waitFor();
      await failure.waitFor({ state: 'hidden' });
      await page.getByRole('combobox', { name: 'Value' }).first().fill('');
      await sendButton(page).click();
      await failure.getByText('Path parameters must have values').waitFor();
      await page.keyboard.press('Escape');
      await failure.waitFor({ state: 'hidden' });
    });

    it('has text with enough contrast and a name for each button', async ({ running }) => {
      const operation = operations['update-job-status'];
      const page = await open(running.base);
      await page.getByRole('link', { name: operation.summary }).click();
      await testRequest(page, operation).waitFor();
      expect(await violations(page)).toEqual([]);
      await testRequest(page, operation).click();
      await sendButton(page).waitFor();
      expect(await violations(page)).toEqual([]);
    });

    it('does not send the If-Match that it lists, and shows the ETag', async ({ running }) => {
      const operation = operations['update-job-status'];
      const page = await open(running.base);
      await page.getByRole('link', { name: operation.summary }).click();
      await testRequest(page, operation).click();
      const ifMatch = page.getByRole('dialog').getByRole('row', { name: /If-Match/ });
      expect(await ifMatch.getByRole('checkbox').isChecked()).toBe(false);
      const first = responseTo(page, operation);
      await sendButton(page).click();
      const { etag = '' } = (await first).headers();
      expect(await (await first).request().headerValue('if-match')).toBeNull();
      const response = page.getByRole('region', { name: 'Response' });
      await response.getByRole('button', { name: 'Response Headers' }).click();
      await response.getByText(etag, { exact: true }).waitFor();
      // To take the screenshot for docs/local.md, set SCREENSHOT to the name of its file. The style hides the progress bar.
      const { SCREENSHOT: path } = process.env;
      const style = '[style*="translate3d"] { display: none }';
      if (path) await page.screenshot({ path, animations: 'disabled', style });
    });
  });
});

/**
 * Starts the browser that the variable `CHROMIUM` names, or else an installed one. Undefined if there is none.
 * @throws Error if the named browser does not start.
 */
async function startChromium(): Promise<Browser | undefined> {
  const executablePath = process.env.CHROMIUM;
  if (executablePath) return chromium.launch({ executablePath });
  // Playwright finds these browsers itself.
  for (const channel of ['chrome', 'chromium', 'msedge']) {
    const browser = await chromium.launch({ channel }).catch(() => undefined);
    if (browser !== undefined) return browser;
  }
  process.stderr.write(
    'Skipped the tests in a browser: no Chrome, Chromium or Edge is installed (CONTRIBUTING.md).\n',
  );
  return undefined;
}
