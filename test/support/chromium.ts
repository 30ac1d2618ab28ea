import { type Browser, chromium } from 'playwright-core';

/** The browsers that Playwright finds by itself if they are installed. */
const CHANNELS = ['chrome', 'chromium', 'msedge'];

/**
 * Starts the Chromium that the variable `CHROMIUM` names, or one that is installed.
 * @returns undefined if there is none; a line says so.
 * @throws Error if the one that `CHROMIUM` names does not start.
 */
export async function startChromium(): Promise<Browser | undefined> {
  const executablePath = process.env.CHROMIUM;
  if (executablePath) return chromium.launch({ executablePath });
  for (const channel of CHANNELS) {
    const browser = await chromium.launch({ channel }).catch(() => undefined);
    if (browser !== undefined) return browser;
  }
  process.stderr.write(
    'Skipped the tests in a browser: no Chrome, Chromium or Edge is installed (docs/testing.md).\n',
  );
  return undefined;
}
