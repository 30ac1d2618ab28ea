import type { UpdateItemCommandInput, UpdateItemCommandOutput } from '@aws-sdk/client-dynamodb';
import type { UpdateCommand, UpdateCommandInput, UpdateCommandOutput } from '@aws-sdk/lib-dynamodb';
import { HttpRequest } from '@smithy/core/protocols';
import type { FinalizeRequestMiddleware } from '@smithy/types';

/** More than the clocks of two functions differ, so that a change by another is never missed. */
const CLOCK_DIFFERENCE_MS = 1000;

/** What is known of the sendings of a guarded update. */
export interface ResendGuard {
  /** Whether an earlier sending than the last may have done the update. */
  wasResent: boolean;
  /** A job that was changed from then on may have been changed after the first sending: ISO 8601. */
  since: string;
}

type Middleware = FinalizeRequestMiddleware<
  UpdateItemCommandInput | UpdateCommandInput,
  UpdateItemCommandOutput | UpdateCommandOutput
>;

/**
 * Lets the SDK send an update again only where nobody has changed the job since it was first sent:
 * where the first sending was done, its answer lost, and another's change followed, a second one
 * would undo that change. The guard is a condition that every sending but the first has.
 */
export function guardResends(command: UpdateCommand, startedAt: Date): ResendGuard {
  const since = new Date(startedAt.valueOf() - CLOCK_DIFFERENCE_MS).toISOString();
  const guard: ResendGuard = { wasResent: false, since };
  let sendings = 0;
  const middleware: Middleware = (next) => async (args) => {
    sendings += 1;
    if (sendings === 2 && HttpRequest.isInstance(args.request)) {
      guard.wasResent = true;
      addCondition(args.request, since);
    }
    return next(args);
  };
  command.middlewareStack.addRelativeTo(middleware, {
    // Within the retries and before the signature.
    relation: 'after',
    toMiddleware: 'retryMiddleware',
    name: 'guardResends',
    // lib-dynamodb adds the middlewares of a command twice.
    override: true,
  });
  return guard;
}

function addCondition(request: HttpRequest, since: string): void {
  const input = JSON.parse(new TextDecoder().decode(request.body));
  const body = JSON.stringify({
    ...input,
    ConditionExpression:
      `(${input.ConditionExpression}) AND ` +
      '(attribute_not_exists(status_changed_at) OR status_changed_at < :since)',
    ExpressionAttributeValues: { ...input.ExpressionAttributeValues, ':since': { S: since } },
  });
  request.body = body;
  request.headers['content-length'] = String(Buffer.byteLength(body));
}
