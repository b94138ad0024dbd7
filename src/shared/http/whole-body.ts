import type { MiddlewareHandler } from 'hono';

/**
 * Waits for the whole body before what follows finds out who sends it, so that a body that is held back is not carried out for somebody
 * whose access has ended meanwhile. Comes after the bound of the body.
 */
export const wholeBody: MiddlewareHandler = async (c, next) => {
  try {
    await c.req.arrayBuffer();
  } catch {
    // The sender has left.
    return c.body(null, 400);
  }
  return next();
};
