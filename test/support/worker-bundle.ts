import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../..')
const wrangler = join(root, 'node_modules/wrangler/bin/wrangler.js')

export interface WorkerBundle {
  readonly script: string
  /** The path of esbuild's metafile, which lists the inputs of the bundle relative to the project root. */
  readonly metafile: string
}

/**
 * Builds the bundle that `wrangler deploy` would upload into `folder`, without uploading it. `entry` is the path of
 * another entry point than that of `wrangler.toml`.
 */
export const buildWorkerBundle = async (folder: string, entry?: string): Promise<WorkerBundle> => {
  const bundle = { script: join(folder, 'worker.js'), metafile: join(folder, 'meta.json') }
  const entries = entry === undefined ? [] : [entry]
  await promisify(execFile)(
    process.execPath,
    [
      wrangler,
      'deploy',
      ...entries,
      '--env',
      'production',
      '--dry-run',
      '--outdir',
      folder,
      '--metafile',
      bundle.metafile,
    ],
    { cwd: root, env: { ...process.env, WRANGLER_SEND_METRICS: 'false', WRANGLER_LOG_PATH: folder } },
  )
  return bundle
}
