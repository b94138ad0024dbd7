/** The content of a screen before it is divided into pages. */
export type Content = {
  /** Lines and options, each kept whole. */
  readonly units: readonly string[];
  /** The line for the next page, on every page but the last. */
  readonly more: string;
  /** The line for the back key; the first line to be left out when there is no room. */
  readonly back: string | undefined;
};

/**
 * Divides a screen into pages that fit, by whole units. A unit that is too long for any page gets a page of its own; the
 * channel cuts it, and the prover reports it.
 */
export function pagesOf({ units, more, back }: Content, fits: (page: string) => boolean): string[] {
  const whole = units.join('\n');
  if (fits(whole)) return [withBack(whole, back, fits)];
  const pages: string[] = [];
  let page = '';
  for (const unit of units) {
    const longer = page === '' ? unit : `${page}\n${unit}`;
    if (page !== '' && !fits(`${longer}\n${more}`)) {
      pages.push(`${page}\n${more}`);
      page = unit;
    } else {
      page = longer;
    }
  }
  return [...pages, withBack(page, back, fits)];
}

function withBack(page: string, back: string | undefined, fits: (page: string) => boolean): string {
  const longer = back === undefined ? page : `${page}\n${back}`;
  return fits(longer) ? longer : page;
}
