import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const runGit = async (...args: string[]) => {
  const { stdout } = await promisify(execFile)('git', args, { cwd: import.meta.dirname })
  return stdout.trim()
}

/** The commit of the sources, with `-dirty` if files have changed since; null without git or outside of a repository. */
export const readCommit = async (): Promise<string | null> => {
  try {
    const [commit, changes] = await Promise.all([
      runGit('rev-parse', 'HEAD'),
      runGit('status', '--porcelain', '--untracked-files=no'),
    ])
    return changes === '' ? commit : `${commit}-dirty`
  } catch {
    return null
  }
}
