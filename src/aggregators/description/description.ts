import type { Operator } from '../../shared/msisdn.ts';
import type { Ending } from '../../shared/ussd.ts';
import type { Template } from './template.ts';

/** Field names in the order of preference. They ignore case; a dot selects a field of an object. */
type FieldNames = readonly string[];

/** How the kind of a request is found. Values are compared without regard to case. */
export type KindRule = {
  /**
   * The field that contains the kind. In a request without it, a dialled string opens a session and any other text is an
   * input; the service code without `*` and `#`, or an empty text, opens a session that is not known.
   */
  readonly field: FieldNames;
  /** The values that open a session. */
  readonly first: readonly string[];
  /** A request in which `field` has the same value as this field opens a session too. */
  readonly firstIfSame?: FieldNames;
  /** The values are booleans in any spelling. `first` is then `['true']` or `['false']`. */
  readonly flag?: boolean;
  /** The values that end the session. */
  readonly ended?: Readonly<Record<string, Ending>>;
  /** The values that ask whether the session is alive. */
  readonly probe?: readonly string[];
  /** The meaning of any other value (default: `input`). */
  readonly other?: 'input' | Ending;
  /**
   * Later requests can have the value of a first one: only a dialled string, or an empty input, opens a session. Any other
   * text opens a session that is not known.
   */
  readonly firstNeedsDial?: boolean;
};

/** The replies of an aggregator. */
export type ReplyTemplates = {
  /** The default is JSON for a map and plain text for a text. */
  readonly contentType?: string | undefined;
  /** Replies start with all fields of the request. Fields of the template replace them. */
  readonly echo?: boolean;
  readonly continue: Template;
  readonly end: Template;
  /** The answer to a notice (default: `end`). */
  readonly notice?: Template | undefined;
  /** The answers to a probe of a session that is alive, and of one that is over. */
  readonly probe?: { readonly alive: Template; readonly over: Template };
};

/** The dialect of an aggregator as data, which covers most of them. A channel of `generic` has the same data in its configuration. */
export type Description = {
  readonly session: FieldNames;
  /** The number of the dialler is the session id in requests without one. */
  readonly numberAsSession?: boolean;
  readonly number: FieldNames;
  readonly operator?: FieldNames;
  /** The operator code is this many characters at the start of its field (default: all of it). */
  readonly operatorLength?: number;
  /** The aggregator's own operator codes, in lower case. */
  readonly operators?: Readonly<Record<string, Operator>>;
  readonly input: FieldNames;
  /** The input has everything since the dial, joined with `*`. With `answers`, it never has the sub-code: an equal answer is an answer. */
  readonly cumulative?: boolean | 'answers';
  readonly kind?: KindRule;
  /** The field of the dialled string in the first request, if it is not the input. */
  readonly dialled?: FieldNames;
  /** The field of the dialled suffix, joined with `*`. It can begin with the whole service code. */
  readonly suffix?: FieldNames;
  readonly mark?: FieldNames;
  readonly ussdRef?: FieldNames;
  readonly reply: ReplyTemplates;
};
