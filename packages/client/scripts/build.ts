import { execFileSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'

// `npm run build`: writes the module and its types to `dist`, or to another folder with `--out FOLDER`.
const root = join(import.meta.dirname, '..')
const { values } = parseArgs({ options: { out: { type: 'string', default: join(root, 'dist') } } })
const folder = resolve(values.out)

// Uses this package's compiler, because the project's is newer than that of many applications.
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')

await rm(folder, { recursive: true, force: true })
// Bundles everything into one file, so a page can load it without a bundler.
await build({
  absWorkingDir: root,
  entryPoints: ['src/index.ts'],
  outfile: join(folder, 'index.js'),
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  mainFields: ['module', 'main'],
  target: 'es2022',
  logLevel: 'warning',
})
execFileSync(process.execPath, [compiler, '-p', root, '--outDir', folder], { stdio: 'inherit' })
