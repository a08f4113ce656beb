import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, realpathSync, symlinkSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')
const copied =
  /^(?:contracts|db|native-routes|proxy|gateway|bin|dev|scripts|shared|jobs|migration)\/|^(?:package\.json|wrangler\.toml)$/

/** Copies what `npm start` needs into a new temporary folder, so that its state is separate. Returns the folder. */
export const copyProject = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'crossfade-start-'))
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  for (const file of files.toString().split('\n')) {
    if (copied.test(file) && existsSync(join(root, file)))
      cpSync(join(root, file), join(folder, file), { force: true })
  }
  symlinkSync(realpathSync(join(root, 'node_modules')), join(folder, 'node_modules'))
  return folder
}
