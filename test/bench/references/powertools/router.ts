import { Router } from '@aws-lambda-powertools/event-handler/http';
import type { Middleware } from '@aws-lambda-powertools/event-handler/types';
import { bearerToken, Refused } from '../http.ts';
import { subjectOf } from '../jose-token.ts';

/** What the middlewares leave on a request. */
interface Environment {
  store: { request: { subject: string } };
}

/** Lets requests pass whose token has the scope. */
export const authorized =
  (scope: string): Middleware<Environment> =>
  async ({ reqCtx, next }) => {
    const token = bearerToken(reqCtx.req.headers.get('authorization') ?? undefined);
    reqCtx.set('subject', await subjectOf(token, scope));
    await next();
  };

/** A router that answers refusals. */
export function createRouter(): Router<Environment> {
  const router = new Router<Environment>();
  router.errorHandler(Refused, async ({ status, message }) =>
    Response.json({ message }, { status }),
  );
  return router;
}
