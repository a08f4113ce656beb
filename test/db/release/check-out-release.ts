import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import previous from './previous-release.json' with { type: 'json' }

const root = join(import.meta.dirname, '../../..')

/**
 * Checks the previous release out into a temporary folder and returns that. It runs with the dependencies that are installed
 * now. Throws if the repository was cloned without its history.
 */
export const checkOutRelease = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'crossfade-release-'))
  const archive = execFileSync('git', ['-c', 'safe.directory=*', '-C', root, 'archive', previous.commit], {
    maxBuffer: 200_000_000,
  })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  symlinkSync(realpathSync(join(root, 'node_modules')), join(folder, 'node_modules'))
  return folder
}

/** Replaces the migrations of a release by those of this one. */
export const replaceMigrations = (folder: string) => {
  const migrations = join(folder, 'db/migrations')
  rmSync(migrations, { recursive: true })
  cpSync(join(root, 'db/migrations'), migrations, { recursive: true })
}
