import { expect, test } from 'vitest';
import { CircuitBreaker } from '../../src/shared/limits/circuit-breaker.ts';

/** A circuit after so many tries in a row that failed, the last of them at 0. */
function failed(times: number): CircuitBreaker {
  const circuit = new CircuitBreaker();
  for (let n = times - 1; n >= 0; n--) {
    circuit.admit(-n);
    circuit.ended('failed', -n);
  }
  return circuit;
}

/** How many of ten that come at once are admitted. */
const admitted = (circuit: CircuitBreaker, now: number) =>
  Array.from({ length: 10 }, () => circuit.admit(now)).filter(Boolean).length;

test.each([
  ['with nothing known', new CircuitBreaker(), 1, 10],
  ['after four failures', failed(4), 1, 10],
  ['after five', failed(5), 1, 1],
  ['after five, until ten seconds later', failed(5), 9_999, 1],
  ['ten seconds after the last of them', failed(5), 10_000, 10],
])('of ten tries at once, %s, as many go out as should', (_, circuit, now, count) => {
  expect(admitted(circuit, now)).toBe(count);
});

test('the one that tries makes room for the next when it fails, and for all when it is answered', () => {
  const circuit = failed(5);
  expect(admitted(circuit, 1)).toBe(1);
  circuit.ended('failed', 2);
  expect(admitted(circuit, 3)).toBe(1);
  circuit.ended('answered', 4);
  expect(admitted(circuit, 5)).toBe(10);
});

test('an answer between failures breaks the row', () => {
  const circuit = failed(4);
  circuit.admit(1);
  circuit.ended('answered', 1);
  for (let n = 0; n < 4; n++) {
    circuit.admit(2);
    circuit.ended('failed', 2);
  }
  expect(admitted(circuit, 3)).toBe(10);
});

test('after the pause a single failure is enough', () => {
  const circuit = failed(5);
  circuit.admit(10_000);
  circuit.ended('failed', 11_000);
  expect(admitted(circuit, 20_999)).toBe(1);
});

test('what went out before the row counts as the one that tries', () => {
  const circuit = new CircuitBreaker();
  const early = admitted(circuit, 0);
  for (let n = 0; n < 5; n++) circuit.ended('failed', 1);
  expect(early).toBe(10);
  expect(circuit.admit(2)).toBe(false);
});

test('a circuit is blank while it knows of no failure and nothing is under way', () => {
  const circuit = new CircuitBreaker();
  expect(circuit.isBlank()).toBe(true);
  circuit.admit(0);
  expect(circuit.isBlank()).toBe(false);
  circuit.ended('answered', 1);
  expect(circuit.isBlank()).toBe(true);
  expect(failed(1).isBlank()).toBe(false);
});
