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
export function splitPages({ units, more, back }: Content, fits: (page: string) => boolean): string[] {
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

/** Returns the content with the units that no page has room for divided: after a word, or else within one. */
export function withoutLongUnits(content: Content, fits: (page: string) => boolean): Content {
  const fitsOnPage = (unit: string) => fits(`${unit}\n${content.more}`);
  return { ...content, units: content.units.flatMap((unit) => divide(unit, fitsOnPage)) };
}

function divide(unit: string, fits: (part: string) => boolean): string[] {
  const parts: string[] = [];
  let rest = unit;
  while (!fits(rest)) {
    const head = maxHead(rest, fits);
    const lastBlank = head.lastIndexOf(' ');
    const part = lastBlank > head.length / 2 ? head.slice(0, lastBlank) : head;
    parts.push(part);
    rest = rest.slice(part.length).trimStart();
    // Where not even one character fits, nothing can be divided.
    if (rest === '') return parts;
  }
  return [...parts, rest];
}

/** The start of a text that fits, of at least one character. */
function maxHead(text: string, fits: (part: string) => boolean): string {
  const characters = Array.from(text);
  const head = (count: number) => characters.slice(0, count).join('');
  let fitting = 1;
  let tooLong = characters.length;
  while (tooLong - fitting > 1) {
    const middle = Math.floor((fitting + tooLong) / 2);
    if (fits(head(middle))) fitting = middle;
    else tooLong = middle;
  }
  return head(fitting);
}
