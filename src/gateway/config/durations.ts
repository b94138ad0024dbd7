const msPerUnit = { Seconds: 1000, Days: 86_400_000 } as const;

type MsKey<Key> = Key extends `${infer Name}Seconds` | `${infer Name}Days` ? `${Name}Ms` : Key;

/** `Section` with each key `…Seconds` or `…Days` renamed to `…Ms`. */
export type WithMilliseconds<Section> = { [Key in keyof Section as MsKey<Key>]: Section[Key] };

/**
 * Converts the durations of one section of the configuration file to milliseconds: `leaseSeconds: 30` becomes
 * `leaseMs: 30_000`. A duration is a number, a number for each operator, or null where there is no limit. Nested
 * sections are converted by their own schema.
 */
export function withMilliseconds<Section extends object>(section: Section): WithMilliseconds<Section> {
  const entries = Object.entries(section).map(([key, value]) => {
    const [, name, unit] = /^(.+)(Seconds|Days)$/.exec(key) ?? [];
    return name === undefined
      ? [key, value]
      : [`${name}Ms`, scale(value, msPerUnit[unit as keyof typeof msPerUnit])];
  });
  return Object.fromEntries(entries) as WithMilliseconds<Section>;
}

function scale(value: unknown, factor: number): unknown {
  if (typeof value === 'number') return Math.round(value * factor);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, scale(item, factor)]));
}
