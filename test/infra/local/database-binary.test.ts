import { describe, expect, it } from 'vitest';
import { databaseBinary } from '../../../infra/local/database-binary.ts';
import manifest from '../../../package.json' with { type: 'json' };

describe('the embedded DynamoDB', () => {
  it('is installed by npm if it is missing; the command is named before, and if it fails', async () => {
    const version = manifest.optionalDependencies['@dynoxide/linux-x64'];
    const command = `npm install --no-save --ignore-scripts --prefix .local @dynoxide/none@${version}`;
    const reports: string[] = [];
    const offline = { ...process.env, npm_config_offline: 'true' };
    const installed = databaseBinary((text) => reports.push(text), {
      name: '@dynoxide/none',
      env: offline,
    });
    await expect(installed).rejects.toThrow(new RegExp(`ENOTCACHED.*${command}.*Docker`, 's'));
    expect(reports).toEqual([expect.stringContaining(command)]);
  });
});
