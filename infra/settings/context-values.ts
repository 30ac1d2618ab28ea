import { isScopePrefix } from '../../functions/contract/scope.ts';
import {
  isTransitionPolicyName,
  type TransitionPolicyName,
  transitionPolicies,
} from '../../functions/domain/job.ts';
import { isStageName, type StageName, stageNames } from './stages.ts';

// What the values of context keys must be; each throws an Error that names the key, and what to do.

export function scopePrefix(prefix: string): string {
  if (!isScopePrefix(prefix)) {
    throw new Error(
      'The context key scopePrefix may hold what a scope may hold: no space or quote.',
    );
  }
  return prefix;
}

/** What comes without TLS could be anybody's, except from this very machine. */
export function secureUrl(key: string, value: string): string {
  const url = URL.parse(value);
  const isLocal =
    url?.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
  if ((url?.protocol !== 'https:' && !isLocal) || /[\s?#]/.test(value)) {
    throw new Error(`The context key ${key} must be an https URL, without spaces, ? or #.`);
  }
  return value;
}

/** An API destination of EventBridge takes nothing but https, whichever machine it names. */
export function webhookUrl(value: string): string {
  if (URL.parse(value)?.protocol !== 'https:') {
    throw new Error('The context key webhookUrl must be an https URL.');
  }
  return secureUrl('webhookUrl', value);
}

export function stageName(name: string): StageName {
  if (!isStageName(name)) {
    throw new Error(`The context key stage must be one of ${stageNames.join(', ')}.`);
  }
  return name;
}

export function regionName(name: string | undefined): string | undefined {
  if (name !== undefined && !/^[a-z]{2}(-[a-z]+)+-\d$/.test(name)) {
    throw new Error('The context key region must be the name of a region, such as eu-west-1.');
  }
  return name;
}

export function reservesConcurrency(choice: string): boolean {
  if (choice !== 'derived' && choice !== 'none') {
    throw new Error(
      'The context key reservedConcurrency must be derived, or none where the quota of concurrent ' +
        'executions has nothing to spare.',
    );
  }
  return choice === 'derived';
}

export function rollsOut(choice: string): boolean {
  if (choice !== 'staged' && choice !== 'direct') {
    throw new Error(
      'The context key rollOut must be staged, or direct for a deployment that is the cure and must ' +
        'not wait for alarms.',
    );
  }
  return choice === 'staged';
}

export function transitionPolicy(name: string): TransitionPolicyName {
  if (!isTransitionPolicyName(name)) {
    const names = Object.keys(transitionPolicies).join(' or ');
    throw new Error(`The context key transitionPolicy must be ${names}.`);
  }
  return name;
}

export function origins(list: string | undefined): string[] {
  const named = list?.split(',').map((origin) => origin.trim()) ?? [];
  for (const origin of named) {
    if (URL.parse(origin)?.origin !== origin) {
      throw new Error(
        'The context key corsOrigins must list origins such as https://app.example.com, ' +
          'separated by commas, without a path.',
      );
    }
  }
  return named;
}

export function alarmEmail(address: string | undefined): string | undefined {
  if (address !== undefined && !/^[^\s@,;<>]+@[^\s@,;<>.]+(\.[^\s@,;<>.]+)+$/.test(address)) {
    throw new Error(
      'The context key alarmEmail must be one e-mail address, such as ops@example.com.',
    );
  }
  return address;
}

/** As DynamoDB writes it: https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html */
const STREAM_ARN =
  /^arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:\d{12}:table\/[\w.-]{3,255}\/stream\/\d{4}-\d\d-\d\dT[\d:.]+$/;

/**
 * A stream of a table whose name has the stage's: what is restored for one stage is not another's. It is
 * in the region that is deployed to, where that is known: a pipe reads no stream of another one.
 */
export function tableStreamArn(
  arn: string | undefined,
  stage: StageName,
  deployedTo: string | undefined,
): string | undefined {
  if (arn === undefined) return undefined;
  if (!STREAM_ARN.test(arn)) {
    throw new Error(
      "The context key restoredTableStream must be the ARN of a table's stream, such as " +
        'arn:aws:dynamodb:eu-west-1:111122223333:table/restored-prod/stream/2026-11-03T09:26:53.589.',
    );
  }
  const [, region = '', name = ''] = /dynamodb:([^:]+):\d+:table\/([^/]+)/.exec(arn) ?? [];
  if (deployedTo !== undefined && region !== deployedTo) {
    throw new Error(
      `The context key restoredTableStream names a stream in ${region}, and the stack is deployed to ` +
        `${deployedTo}: restore the table there, or name its region by the context key region.`,
    );
  }
  if (!name.split(/[-_.]/).includes(stage)) {
    throw new Error(
      `The context key restoredTableStream names ${name}, which is not of the stage ${stage}: the ` +
        'name of a table that is restored must have the stage in it, between hyphens.',
    );
  }
  return arn;
}
