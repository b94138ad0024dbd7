import fc from 'fast-check';

/* Random properties have the seed of the tests. A first counterexample kills a mutant: a smaller one would only take time. */
fc.configureGlobal({ seed: 20_260_308, endOnFailure: true });
