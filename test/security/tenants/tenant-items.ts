import { isDeepStrictEqual } from 'node:util';
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { applicationItem, fullApplication, jobItem } from '../../support/items.ts';
import type { TestTable } from '../../support/table.ts';
import { ownTargets, SHARED, type Target, type Tenant, tenants } from './crafted-ids.ts';

/** A word that stands in every item of a tenant and nowhere else. */
export const markOf = (tenant: Tenant) => `mark-of-${tenants.indexOf(tenant)}.`;

/** The two items under a target: a job, and an application to it. */
function itemsAt(tenant: Tenant, { job, candidate }: Target) {
  const marked = JSON.stringify(fullApplication).replaceAll('Example', markOf(tenant));
  return [
    jobItem({ tenant, job }, { title: markOf(tenant) }),
    applicationItem({ tenant, job, candidate }, JSON.parse(marked)),
  ];
}

/** Gives every tenant its items: under ids of its own, and under the id that all have. */
export async function putTenantItems(table: TestTable): Promise<void> {
  const targets = (tenant: Tenant) => [...ownTargets(tenant), { job: SHARED, candidate: SHARED }];
  const items = tenants.flatMap((tenant) =>
    targets(tenant).flatMap((target) => itemsAt(tenant, target)),
  );
  await Promise.all(items.map((item) => table.put(item)));
}

/** All that the table holds, by key. */
export async function allItems({ client, name }: TestTable) {
  const found = new Map<string, unknown>();
  const scan = { TableName: name, ConsistentRead: true };
  for await (const { Items: items = [] } of paginateScan({ client }, scan)) {
    for (const item of items) found.set(`${item.pk} ${item.sk}`, item);
  }
  return found;
}

/** The items that were added or changed. */
export const changedItems = (before: Map<string, unknown>, after: Map<string, unknown>) =>
  [...after].flatMap(([key, item]) => (isDeepStrictEqual(item, before.get(key)) ? [] : [item]));

/** Each ordered pair of different tenants. */
export const pairs = tenants.flatMap((mine) =>
  tenants.filter((theirs) => theirs !== mine).map((theirs) => ({ mine, theirs })),
);
