import { execFile } from 'node:child_process'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { build, type Metafile } from 'esbuild'

const root = join(import.meta.dirname, '../..')

export const workerFolder = join(root, 'dist/worker')

// The runtime imports this module, which imports the others.
const entryName = 'worker.js'

export interface WorkerModule {
  readonly name: string
  readonly contents: string
}

export interface WorkerBundle {
  /** The first module is the one named `worker.js`. */
  readonly modules: readonly WorkerModule[]
  readonly sourceMaps: readonly WorkerModule[]
  readonly metafile: Metafile
}

/** Writes the assets, and the code's identity, which the bundle contains. */
const writeBuild = () => promisify(execFile)(process.execPath, ['dev/tools/write-build.ts'], { cwd: root })

/**
 * Bundles a Worker, by default the gateway's. Dynamic imports become separate modules, which are evaluated only when
 * they are imported. wrangler would merge all of them into one module.
 */
export const bundleWorker = async (entry = 'bin/worker.ts'): Promise<WorkerBundle> => {
  await writeBuild()
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [{ in: entry, out: basename(entryName, '.js') }],
    outdir: workerFolder,
    write: false,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*'],
    alias: { 'crossfade:build': './dist/build.json' },
    define: { 'process.env.NODE_ENV': '"production"' },
    // Also shortens function names, which make up nearly a tenth of the bundle. The source maps contain the full names.
    minify: true,
    sourcemap: 'linked',
    legalComments: 'eof',
    metafile: true,
    logLevel: 'warning',
  })
  const files = outputFiles.map(({ path, text }) => ({ name: basename(path), contents: text }))
  const isEntry = ({ name }: WorkerModule) => name === entryName
  const modules = files.filter(({ name }) => name.endsWith('.js'))
  return {
    modules: [...modules.filter(isEntry), ...modules.filter((module) => !isEntry(module))],
    sourceMaps: files.filter(({ name }) => name.endsWith('.map')),
    metafile,
  }
}
