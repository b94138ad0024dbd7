import { type ResourceLimits, Worker } from 'node:worker_threads';

/** The program of a thread: a module without its ending, beside the module of `from`. */
export type ThreadProgram = {
  name: string;
  from: string;
  workerData: unknown;
  resourceLimits?: ResourceLimits;
};

/**
 * Starts a thread from the compiled program, or from source in development and in tests.
 *
 * @param program `from` is the `import.meta.url` of the module that starts it.
 */
export function startThread({ name, from, ...options }: ThreadProgram): Worker {
  if (!from.endsWith('.ts')) return new Worker(new URL(`./${name}.js`, from), options);
  // A thread does not inherit the loader of TypeScript.
  const [loader, program] = [import.meta.resolve('tsx/esm/api'), new URL(`./${name}.ts`, from).href];
  const load = `import('${loader}').then(({ register }) => register()).then(() => import('${program}'))`;
  return new Worker(load, { ...options, eval: true });
}
