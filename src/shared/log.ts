import { type Logger, type LoggerOptions, pino } from 'pino';
import pretty from 'pino-pretty';

/** The program's log (pino). */
export type Log = Logger;

export type LogOptions = {
  level: string;
  /** Writes coloured lines for a terminal instead of JSON. */
  pretty?: boolean;
  /** Receives the lines of JSON; standard output by default, and always with `pretty`. */
  destination?: { write(line: string): void };
};

/** Control characters and line ends that JSON does not escape, and that terminals and viewers interpret. */
const controls = /[\u007f-\u009f\u2028\u2029]/g;

/** Escapes the control characters within the strings of a line, because some strings contain a client's text. */
function escapeControls(line: string): string {
  return line.replace(controls, (character) => `\\u${toHex(character)}`);
}

/** Escapes the control characters for a reader that decodes the strings before it prints them. */
function escapeControlsTwice(line: string): string {
  return line.replace(controls, (character) => `\\\\u${toHex(character)}`);
}

function toHex(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, '0');
}

/** Creates the log. Callers log ids, counts, durations and codes, never a number, key, secret or body; redaction is a second defence. */
export function createLog(options: LogOptions): Log {
  const settings: LoggerOptions = {
    level: options.level,
    base: null,
    formatters: { level: (label) => ({ level: label }) },
    hooks: { streamWrite: options.pretty ? escapeControlsTwice : escapeControls },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    redact: [
      'msisdn',
      'payer',
      'dialler',
      'key',
      'secret',
      'authorization',
      'body',
      '*.msisdn',
      '*.authorization',
    ],
  };
  if (options.pretty) return pino(settings, pretty({ colorize: true, translateTime: 'SYS:HH:MM:ss.l' }));
  return options.destination ? pino(settings, options.destination) : pino(settings);
}

/** Returns at most 200 characters of a foreign text, each digit as `#`: it may contain a phone number or a one-time code. */
export function withoutDigits(text: string): string {
  return text.slice(0, 200).replaceAll(/\d/g, '#');
}
