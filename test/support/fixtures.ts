import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base } from 'vitest';
import { FaultyProxy } from './proxy.ts';
import { createTestTable } from './table.ts';

export const test = base
  .extend('table', () => createTestTable())
  .extend('proxy', async ({}, { onCleanup }) => {
    const proxy = await FaultyProxy.start();
    onCleanup(() => proxy.stop());
    return proxy;
  })
  .extend('folder', ({}, { onCleanup }) => {
    const folder = mkdtempSync(join(tmpdir(), 'recruitment-test-'));
    onCleanup(() => rmSync(folder, { recursive: true }));
    return folder;
  });
