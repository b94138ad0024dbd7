/** A deviation in one field. The message has the form `expected …, got …`. */
export type Problem = { readonly field: string; readonly message: string };

/** A wire fixture and the fields in which the dialect deviates from it. */
export type ReplayedFixture = {
  readonly file: string;
  readonly about: string;
  readonly problems: readonly Problem[];
};

/** A request as it was sent. `***` replaces the channel's secret, and a large body is shortened. */
export type ReportedRequest = {
  readonly method: string;
  readonly path: string;
  readonly contentType: string;
  readonly body: string;
};

/** The answer to a request, shortened and without the secret like the request. */
export type ReportedAnswer = {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly ms: number;
};

/** One exchange with a gateway. `answer` is missing when no answer arrived. */
export type CertifiedExchange = {
  readonly name: string;
  readonly request: ReportedRequest;
  readonly answer?: ReportedAnswer;
  readonly problems: readonly Problem[];
};

/** The result for one aggregator, or for one channel. */
export type Certification = {
  /** The id of the channel. With `--all`, the name of the aggregator. */
  readonly name: string;
  readonly aggregator: string;
  readonly title: string;
  readonly fixtures: readonly ReplayedFixture[];
  readonly exchanges: readonly CertifiedExchange[];
  /** Problems of neither a fixture nor an exchange, such as a missing fixture. */
  readonly problems: readonly Problem[];
};

/** Returns whether the result contains no problem. */
export function isCertified({ fixtures, exchanges, problems }: Certification): boolean {
  return [...fixtures, ...exchanges].every((one) => one.problems.length === 0) && problems.length === 0;
}
