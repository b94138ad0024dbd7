/** One thing that is not as it must be, told as `field: expected this, got that`. */
export type Wrong = { readonly field: string; readonly message: string };

/** A wire fixture, and where the dialect did otherwise. */
export type PlayedFixture = {
  readonly file: string;
  readonly about: string;
  readonly wrong: readonly Wrong[];
};

/** What went over the wire; the channel's secret is `***` in all of it, and a large body is cut. */
export type Sent = {
  readonly method: string;
  readonly path: string;
  readonly contentType: string;
  readonly body: string;
};
export type Answered = {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly ms: number;
};

/** One exchange with a gateway; `answered` is missing where no answer came. */
export type Exchanged = {
  readonly name: string;
  readonly sent: Sent;
  readonly answered?: Answered;
  readonly wrong: readonly Wrong[];
};

/** What was found out about one aggregator, or about one channel of it. */
export type Certified = {
  /** The channel's id, or the aggregator's name where all that ship are certified. */
  readonly name: string;
  readonly aggregator: string;
  readonly title: string;
  readonly fixtures: readonly PlayedFixture[];
  readonly exchanges: readonly Exchanged[];
  /** What is wrong with neither a fixture nor an exchange, such as that there are none. */
  readonly wrong: readonly Wrong[];
};

/** True where nothing is wrong. */
export function isCertified({ fixtures, exchanges, wrong }: Certified): boolean {
  return [...fixtures, ...exchanges].every((one) => one.wrong.length === 0) && wrong.length === 0;
}
