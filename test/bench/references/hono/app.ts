import { Hono } from 'hono';
import type { LambdaContext } from 'hono/aws-lambda';
import { createMiddleware } from 'hono/factory';
import { bearerToken, Refused } from '../http.ts';
import { subjectOf } from '../jose-token.ts';

/** What Lambda and the middlewares leave on a request. */
interface Environment {
  Bindings: { lambdaContext: LambdaContext };
  Variables: { subject: string };
}

/** Lets requests pass whose token has the scope. */
export const authorized = (scope: string) =>
  createMiddleware<Environment>(async (context, next) => {
    const token = bearerToken(context.req.header('authorization'));
    context.set('subject', await subjectOf(token, scope));
    await next();
  });

/** An app that answers refusals. */
export function createApp(): Hono<Environment> {
  const app = new Hono<Environment>();
  app.onError((error) => {
    if (!(error instanceof Refused)) throw error;
    return Response.json({ message: error.message }, { status: error.status });
  });
  return app;
}
