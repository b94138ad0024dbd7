import { expect, test } from 'vitest';
import { CircuitBreaker } from '../../../src/shared/limits/circuit-breaker.ts';

/** Creates a circuit breaker after `times` consecutive failures, the last of them at 0. */
function failed(times: number): CircuitBreaker {
  const circuit = new CircuitBreaker();
  for (let n = times - 1; n >= 0; n--) {
    circuit.tryAcquire(-n);
    circuit.release('failed', -n);
  }
  return circuit;
}

/** Returns the number of ten simultaneous calls that may start. */
const countStarted = (circuit: CircuitBreaker, now: number) =>
  Array.from({ length: 10 }, () => circuit.tryAcquire(now)).filter(Boolean).length;

test.each([
  ['in a new circuit', new CircuitBreaker(), 1, 10],
  ['after four failures', failed(4), 1, 10],
  ['after five failures', failed(5), 1, 1],
  ['until ten seconds after the fifth failure', failed(5), 9_999, 1],
  ['ten seconds after the fifth failure', failed(5), 10_000, 10],
])('of ten simultaneous calls, %s, the right number starts', (_, circuit, now, count) => {
  expect(countStarted(circuit, now)).toBe(count);
});

test('in an open circuit a failed call lets the next one start, and an answered call closes the circuit', () => {
  const circuit = failed(5);
  expect(countStarted(circuit, 1)).toBe(1);
  circuit.release('failed', 2);
  expect(countStarted(circuit, 3)).toBe(1);
  circuit.release('answered', 4);
  expect(countStarted(circuit, 5)).toBe(10);
});

test('an answer resets the count of failures', () => {
  const circuit = failed(4);
  circuit.tryAcquire(1);
  circuit.release('answered', 1);
  for (let n = 0; n < 4; n++) {
    circuit.tryAcquire(2);
    circuit.release('failed', 2);
  }
  expect(countStarted(circuit, 3)).toBe(10);
});

test('after the open time a single failure opens the circuit again', () => {
  const circuit = failed(5);
  circuit.tryAcquire(10_000);
  circuit.release('failed', 11_000);
  expect(countStarted(circuit, 20_999)).toBe(1);
});

test('a call in flight since before the failures counts as the one call of an open circuit', () => {
  const circuit = new CircuitBreaker();
  const early = countStarted(circuit, 0);
  for (let n = 0; n < 5; n++) circuit.release('failed', 1);
  expect(early).toBe(10);
  expect(circuit.tryAcquire(2)).toBe(false);
});

test('a circuit is idle while it has no failure and no call in flight', () => {
  const circuit = new CircuitBreaker();
  expect(circuit.isIdle()).toBe(true);
  circuit.tryAcquire(0);
  expect(circuit.isIdle()).toBe(false);
  circuit.release('answered', 1);
  expect(circuit.isIdle()).toBe(true);
  expect(failed(1).isIdle()).toBe(false);
});
