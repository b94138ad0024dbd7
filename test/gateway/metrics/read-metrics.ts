/** One number of a scrape. */
export type Sample = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
};

export type Family = {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: readonly Sample[];
};

/**
 * Reads Prometheus' text format 0.0.4, strictly: each family once, HELP before TYPE before samples, no series twice, and
 * histograms whose buckets add up.
 *
 * @throws Error naming the line that is wrong.
 */
export function readMetrics(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const families = new Map<string, Family & { samples: Sample[] }>();
  const seen = new Set<string>();
  let help: { name: string; text: string } | undefined;
  let family: (Family & { samples: Sample[] }) | undefined;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [, helped, words] = /^# HELP ([a-zA-Z_:][\w:]*) (.+)$/.exec(line) ?? [];
    const [, typed, type] =
      /^# TYPE ([a-zA-Z_:][\w:]*) (counter|gauge|histogram|summary|untyped)$/.exec(line) ?? [];
    if (helped !== undefined && words !== undefined) {
      help = { name: helped, text: words };
    } else if (typed !== undefined && type !== undefined) {
      if (help?.name !== typed) throw new Error(`no HELP before: ${line}`);
      if (families.has(typed)) throw new Error(`a family twice: ${line}`);
      family = { name: typed, type, help: help.text, samples: [] };
      families.set(typed, family);
    } else {
      const sample = readSample(line);
      const series = `${sample.name} ${JSON.stringify(Object.entries(sample.labels).sort())}`;
      if (seen.has(series)) throw new Error(`a series twice: ${line}`);
      seen.add(series);
      if (!family || !isOf(family, sample.name)) throw new Error(`not under its TYPE: ${line}`);
      family.samples.push(sample);
    }
  }
  for (const one of families.values()) if (one.type === 'histogram') checkHistogram(one);
  return families;
}

function isOf({ name, type }: Family, sample: string): boolean {
  if (type === 'histogram') return ['_bucket', '_sum', '_count'].some((end) => sample === name + end);
  return sample === name;
}

function readSample(line: string): Sample {
  const [, name, list = '', number] =
    /^([a-zA-Z_:][\w:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)+)\})? (\S+)$/.exec(line) ?? [];
  if (name === undefined || number === undefined) throw new Error(`no sample: ${line}`);
  const labels = [...list.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\["\\n])*)"/g)].map(
    ([, label = '', value = '']) => [label, value] as const,
  );
  const names = new Set(labels.map(([label]) => label));
  if (names.size < labels.length) throw new Error(`a label twice: ${line}`);
  const value = number === '+Inf' ? Number.POSITIVE_INFINITY : Number(number);
  if (Number.isNaN(value) && number !== 'NaN') throw new Error(`no number: ${line}`);
  return { name, labels: Object.fromEntries(labels), value };
}

function checkHistogram({ name, samples }: Family): void {
  const groups = new Map<string, Sample[]>();
  for (const sample of samples) {
    const { le: _, ...rest } = sample.labels;
    const key = JSON.stringify(Object.entries(rest).sort());
    groups.set(key, [...(groups.get(key) ?? []), sample]);
  }
  for (const group of groups.values()) {
    const buckets = group.filter((one) => one.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels: { le = '' } }) => (le === '+Inf' ? Infinity : Number(le)));
    const counts = buckets.map(({ value }) => value);
    const [count] = group.flatMap((one) => (one.name === `${name}_count` ? [one.value] : []));
    const isSummed = group.some((one) => one.name === `${name}_sum`);
    const rises = (list: readonly number[], by: number) =>
      list.every((one, i) => i === 0 || one - (list[i - 1] ?? 0) >= by);
    if (!rises(bounds, Number.MIN_VALUE) || !rises(counts, 0)) throw new Error(`buckets of ${name}`);
    if (bounds.at(-1) !== Infinity || counts.at(-1) !== count || !isSummed)
      throw new Error(`ends of ${name}`);
  }
}

/** The value of one series; 0 where it is not there. */
export function countOf(
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  const samples = [...families.values()].flatMap((family) => family.samples);
  const found = samples.find(
    (one) =>
      one.name === name &&
      Object.keys(one.labels).length === Object.keys(labels).length &&
      Object.entries(labels).every(([label, value]) => one.labels[label] === value),
  );
  return found?.value ?? 0;
}
