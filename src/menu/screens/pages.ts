/** What stands on a screen, before it is divided: lines and options that are never torn apart. */
export type Content = {
  readonly units: readonly string[];
  /** The line that offers to go on, on every page but the last. */
  readonly more: string;
  /** The line that offers to go back; the first to give way where there is no room. */
  readonly back: string | undefined;
};

/**
 * Divides a screen into pages that fit, by whole units. What fits one page is one page. A unit that alone is too long
 * for a page stands alone: whoever shows it cuts it, and the prover tells of it.
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
