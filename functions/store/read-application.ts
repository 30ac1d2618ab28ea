import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { isApplication } from '#validators';
import { applicationNotFound, storedDataInvalid, unavailable } from '../contract/problem.ts';
import { Application } from '../domain/application.ts';
import { project } from '../domain/projection.ts';
import type { Dependencies } from '../runtime/dependencies.ts';
import { faultsOf, fileAttributes, revisionAttributes } from './items.ts';
import { applicationKey, attributes } from './keys.ts';
import { presignIfS3 } from './presign.ts';
import { withRetries } from './retries.ts';

/** The applications in the table of the environment. */
export function applications({ client, environment, awsNow, clock, timer }: Dependencies) {
  return {
    /**
     * Reads a candidate's application to a job: one GetItem, eventually consistent, half a read unit
     * for each 4 KB. An item past its `expires_at` (seconds since the epoch) does not exist, even
     * before DynamoDB has deleted it, which it does within a few days. A tombstone, which a removal has
     * left, does not exist either.
     * @throws Problem `application_not_found`, `unavailable`, or `stored_data_invalid` if the item does
     *   not fit the contract.
     */
    async get(
      tenant: string,
      job: string,
      candidate: string,
      abortSignal: AbortSignal,
    ): Promise<Application> {
      const input = {
        TableName: environment.tableName,
        Key: applicationKey(tenant, job, candidate),
        // Distinguishes a missing item from a response that lost its content.
        ReturnConsumedCapacity: 'TOTAL',
      } as const;
      const send = () => client.send(new GetCommand(input), { abortSignal });
      const result = await withRetries(send, abortSignal, timer);
      if (!result.isSuccess) throw result.problem;
      const { Item: item, ConsumedCapacity: capacity } = result.output;
      if (capacity === undefined) throw unavailable('database');
      if (item === undefined || isRemoved(item) || isExpired(item, clock().date)) {
        throw applicationNotFound();
      }
      const files: Record<string, unknown> = {};
      for (const field of fileAttributes) {
        files[field] = await presignIfS3(field, item[field], tenant, environment, awsNow);
      }
      const application = project(Application, { ...item, ...files });
      if (isApplication(application)) return application;
      throw storedDataInvalid('application', faultsOf(isApplication));
    },
  };
}

type Stored = Readonly<Record<string, unknown>>;

/** Whether a live write has left a tombstone in place of the application. */
const isRemoved = (item: Stored) => item[revisionAttributes.removed] === true;

/** DynamoDB ignores a time to live that is not a number. */
function isExpired({ [attributes.timeToLive]: timeToLive }: Stored, now: number): boolean {
  return typeof timeToLive === 'number' && timeToLive <= now / 1000;
}
