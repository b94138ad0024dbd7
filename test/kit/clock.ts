export { type StillClock as TestClock, settle, stillClock as testClock } from '../../src/testing/clock.ts';
