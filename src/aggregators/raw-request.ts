/** One HTTP request of an aggregator before it is parsed. The content type is not included: dialects parse by content. */
export type RawRequest = {
  body: string;
  query: Readonly<Record<string, string>>;
  /** The callback's path after the secret, without leading and trailing slashes. Usually empty. */
  path: string;
};
