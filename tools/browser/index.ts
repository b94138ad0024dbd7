import sparticuz from '@sparticuz/chromium';
import axe from 'axe-core';
import { type Browser, chromium } from 'playwright-core';

export type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';

/** The program of axe, which a page runs to find what people with disabilities cannot use. */
export const axeSource: string = axe.source;

/** Starts Chromium. The default arguments of the package switch off the protections that the tests are about. */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: await sparticuz.executablePath(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-zygote'],
  });
}
