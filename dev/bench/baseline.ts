import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import manifest from './baseline.json' with { type: 'json' }
import type { Bench } from './open-bench.ts'

export const baseline = 'baseline'

const root = join(import.meta.dirname, '../..')

const git = async (...args: readonly string[]) => {
  await promisify(execFile)('git', ['-C', root, ...args])
}

/**
 * Checks out the commit of `baseline.json` into a temporary folder under `.data` that is removed when the benchmark
 * ends. The checkout runs with the currently installed dependencies.
 */
export const checkOutBaseline = async ({ stopAtEnd }: Pick<Bench, 'stopAtEnd'>): Promise<string> => {
  await mkdir(join(root, '.data'), { recursive: true })
  const folder = await mkdtemp(join(root, '.data', 'bench-baseline-'))
  await git('worktree', 'add', '--quiet', '--detach', folder, manifest.commit)
  stopAtEnd({ stop: () => git('worktree', 'remove', '--force', folder) })
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}
