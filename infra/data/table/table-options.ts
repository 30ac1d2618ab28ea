import { UsageError } from '../../command/run-command.ts';

export const tableOptions = {
  table: { type: 'string' },
  region: { type: 'string' },
  data: { type: 'string' },
} as const;

export const tableUsage = (column: number) =>
  `  ${'--table NAME'.padEnd(column)}a table in AWS, with the credentials that the AWS SDK finds
  ${'--region REGION'.padEnd(column)}the region of that table; by default the one that the AWS SDK finds
  ${'--data DIR'.padEnd(column)}the folder with the local service's data; by default .local
`;

export type TableOptions = { [name in keyof typeof tableOptions]?: string | undefined };

export function checkTableOptions({ table, region, data }: TableOptions): void {
  if (table === undefined && region !== undefined) {
    throw new UsageError('--region can only be used with --table.');
  }
  if (table !== undefined && data !== undefined) {
    throw new UsageError(
      'Use only one of --data and --table: the first selects the local service, the second a table in AWS.',
    );
  }
}
