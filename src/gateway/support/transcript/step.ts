import { Scalar } from 'yaml';

export type Step = string | Readonly<Record<string, unknown>>;

export function quoted(text: string): Scalar {
  const scalar = new Scalar(text);
  scalar.type = Scalar.QUOTE_SINGLE;
  return scalar;
}
