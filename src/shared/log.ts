import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

export type Log = Logger;

export type LogOptions = {
  level: string;
  /** Human-readable lines instead of JSON, for a terminal. */
  pretty: boolean;
  /** Where the lines go; standard output when left out. */
  destination?: { write(line: string): void };
};

/**
 * The program's log. Rule: no phone number, key, secret or body ever enters it. Callers pass identifiers,
 * counts, durations and error codes; the redaction here is the second line of defence, not the first.
 */
export function createLog(options: LogOptions): Log {
  const settings = {
    level: options.level,
    base: null,
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

/** The words of a carrier or a rail, which may repeat a message or a number, for the log: no digit of them. */
export function withoutDigits(text: string): string {
  return text.slice(0, 200).replaceAll(/\d/g, '#');
}
