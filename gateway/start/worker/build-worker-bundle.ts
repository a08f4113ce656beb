import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../../..')
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
  const options = ['--env', 'production', '--dry-run', '--outdir', folder, '--metafile', bundle.metafile]
  await promisify(execFile)(process.execPath, [wrangler, 'deploy', ...entries, ...options], {
    cwd: root,
    env: {
      ...process.env,
      // Of the command in wrangler.toml that runs `node`.
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
      WRANGLER_SEND_METRICS: 'false',
      WRANGLER_LOG_PATH: folder,
    },
  })
  return bundle
}

/** Bundles a Worker, by default that of the gateway, and returns its script. */
export const buildWorkerScript = async (entry?: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'crossfade-worker-'))
  try {
    return await readFile((await buildWorkerBundle(folder, entry)).script, 'utf8')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
