// test.mjs - checks the types of the tests, translates them, and runs them with Node's own runner.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = mkdtempSync(join(root, 'node_modules', '.tests-'));
const names = readdirSync(join(root, 'test')).filter((name) => name.endsWith('.test.ts'));

function run(program, args) {
  return spawnSync(program, args, { cwd: root, stdio: 'inherit' }).status ?? 1;
}

try {
  let failed = run('node', ['node_modules/typescript/bin/tsc', '-p', 'test']);
  if (!failed) {
    await build({
      root,
      configFile: false,
      logLevel: 'warn',
      build: {
        ssr: true,
        outDir: out,
        target: 'node18',
        rollupOptions: {
          input: names.map((name) => join(root, 'test', name)),
          output: { entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' },
        },
      },
    });
    failed = run('node', ['--test', ...names.map((name) => join(out, name.replace(/\.ts$/, '.mjs')))]);
  }
  process.exitCode = failed;
} finally {
  rmSync(out, { recursive: true, force: true });
}
