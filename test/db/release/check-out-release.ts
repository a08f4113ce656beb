import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import previous from './previous-release.json' with { type: 'json' }

const root = join(import.meta.dirname, '../../..')

// In a container, the repository may belong to another user. Git reads it only with `safe.directory`.
const git = (...args: readonly string[]) =>
  execFileSync('git', ['-c', 'safe.directory=*', '-C', root, ...args], { maxBuffer: 200_000_000 })

const requireCommit = () => {
  try {
    git('cat-file', '-e', `${previous.commit}^{commit}`)
  } catch (cause) {
    const fix = 'fetch the whole history (git fetch --unshallow)'
    throw new Error(`the commit ${previous.commit} of the previous release is not in this clone: ${fix}`, {
      cause,
    })
  }
}

/** Reads a JSON file of the previous release. Throws if the repository was cloned without its history. */
export const readReleasedJson = (path: string) => {
  requireCommit()
  return JSON.parse(git('show', `${previous.commit}:${path}`).toString())
}

/**
 * Checks out the previous release into a temporary folder and returns the folder. The release runs with the
 * dependencies that are installed now. Throws if the repository was cloned without its history.
 */
export const checkOutRelease = (): string => {
  requireCommit()
  const folder = mkdtempSync(join(tmpdir(), 'crossfade-release-'))
  const archive = git('archive', previous.commit)
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  symlinkSync(realpathSync(join(root, 'node_modules')), join(folder, 'node_modules'))
  return folder
}

export const replaceMigrations = (folder: string) => {
  const migrations = join(folder, 'db/migrations')
  rmSync(migrations, { recursive: true })
  cpSync(join(root, 'db/migrations'), migrations, { recursive: true })
}
