import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The secret that stands in for this setting: made at the first start in a folder, the same at every later one. */
export const keptSecret = async (folder: string, setting: string) => {
  const file = join(folder, setting.toLowerCase().replaceAll('_', '-'))
  try {
    return await readFile(file, 'utf8')
  } catch {
    const secret = randomBytes(32).toString('base64')
    await writeFile(file, secret, { mode: 0o600, flag: 'wx' })
    return secret
  }
}
